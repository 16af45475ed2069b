import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { FormDialog } from '../forms.tsx'
import { Loading, Problem } from '../ui.tsx'
import { media as words } from '../words.ts'
import { cropOf, type Framing, SHAPES, type Shape, within, zoomMax } from './crop.ts'
import { decode, draw, fetchFile, toJpeg } from './picture.ts'
import './crop.css'

/** The dialog draws nothing larger than this. */
const SHOWN_MAX = 1_080

interface CropDialogProps {
  /** The picture's address on this server. */
  url: string
  name: string
  channelTypes: readonly string[]
  /** Uploads the cropped picture. */
  onCropped: (file: File) => Promise<unknown>
  onClose: () => void
}

/** Crops a picture, with sliders or by dragging. */
export default function CropDialog({ url, name, channelTypes, onCropped, onClose }: CropDialogProps) {
  const { picture, error } = usePicture(url, name)
  const [framing, setFraming] = useState<Framing>({ shape: 'portrait', zoom: 1, x: 0.5, y: 0.5 })
  const change = (changes: Partial<Framing>): void => setFraming((before) => ({ ...before, ...changes }))
  const submit = async (): Promise<void> => {
    if (picture === undefined) return
    await onCropped(await toJpeg(picture, cropOf(picture, framing), { name, channelTypes }))
    onClose()
  }
  return (
    <FormDialog
      title={words.cropTitle}
      submit={words.cropSubmit}
      disabled={picture === undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      {picture === undefined ? (
        error === undefined ? (
          <Loading />
        ) : (
          <Problem error={error} />
        )
      ) : (
        <>
          <Frame picture={picture} framing={framing} onChange={change} />
          <p class="quiet small-text">{words.cropHint}</p>
          <Controls picture={picture} framing={framing} onChange={change} />
        </>
      )}
    </FormDialog>
  )
}

function usePicture(url: string, name: string) {
  const [picture, setPicture] = useState<ImageBitmap>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    let isOver = false
    let drawn: ImageBitmap | undefined
    const read = async (): Promise<void> => {
      drawn = await decode(await fetchFile(url, name))
      if (isOver) drawn.close()
      else setPicture(drawn)
    }
    read().catch(setError)
    return () => {
      isOver = true
      drawn?.close()
    }
  }, [url])
  return { picture, error }
}

interface PartProps {
  picture: ImageBitmap
  framing: Framing
  onChange: (changes: Partial<Framing>) => void
}

/** The cropped part, which can be dragged. */
function Frame({ picture, framing, onChange }: PartProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const part = cropOf(picture, framing)
  useLayoutEffect(() => {
    const element = canvas.current!
    const scale = Math.min(1, SHOWN_MAX / Math.max(part.width, part.height))
    element.width = Math.round(part.width * scale)
    element.height = Math.round(part.height * scale)
    draw(element, picture, part)
  })
  const move = (event: PointerEvent): void => {
    if (!canvas.current!.hasPointerCapture(event.pointerId)) return
    // Converts pointer movement to pixels of the picture.
    const scale = part.width / canvas.current!.clientWidth
    const moved = (at: number, by: number, room: number): number => (room < 1 ? at : within(at - (by * scale) / room))
    onChange({
      x: moved(framing.x, event.movementX, picture.width - part.width),
      y: moved(framing.y, event.movementY, picture.height - part.height),
    })
  }
  return (
    <canvas
      ref={canvas}
      class="crop"
      role="img"
      aria-label={words.cropped}
      onPointerDown={(event) => canvas.current!.setPointerCapture(event.pointerId)}
      onPointerMove={move}
    />
  )
}

function Controls({ picture, framing, onChange }: PartProps) {
  const most = zoomMax(picture, framing.shape)
  return (
    <>
      <label>
        <span class="label">{words.shape}</span>
        <select
          value={framing.shape}
          onChange={(event) => onChange({ shape: event.currentTarget.value as Shape, zoom: 1 })}
        >
          {(Object.keys(SHAPES) as Shape[]).map((shape) => (
            <option key={shape} value={shape}>
              {words.shapes[shape]}
            </option>
          ))}
        </select>
      </label>
      {(['zoom', 'x', 'y'] as const).map((name) => (
        <label key={name} class="crop-slider">
          <span class="label">{{ zoom: words.zoom, x: words.across, y: words.down }[name]}</span>
          <input
            type="range"
            min={name === 'zoom' ? 1 : 0}
            max={name === 'zoom' ? Math.max(most, 1.01) : 1}
            step="0.01"
            disabled={name === 'zoom' && most <= 1}
            value={framing[name]}
            onInput={(event) => onChange({ [name]: Number(event.currentTarget.value) })}
          />
        </label>
      ))}
    </>
  )
}
