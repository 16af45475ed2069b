import { useQueryClient } from '@tanstack/preact-query'
import { useRef, useState } from 'preact/hooks'
import type { Media } from '../../interface/generated/types.ts'
import { ALT_TEXT_CHARS_MAX, findMediaProblems } from '../../interface/media-rules.ts'
import { uploadMedia } from '../api.ts'
import { CheckField, TextArea, TextField } from '../fields.tsx'
import { Icon } from '../icons.tsx'
import { lazyPage } from '../lazy-page.tsx'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { useIsGone } from '../small-picture.tsx'
import { announce, Button, Field, Note } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { common, library as libraryWords, media as mediaWords, posts as postWords } from '../words.ts'
import { type Draft, mediaTypeOf } from './draft.ts'
import { problemOfMediaUrl } from './editor-rules.ts'
import { mediaFacts } from './file-facts.ts'
import { fetchFile, prepareFile } from './picture.ts'
import { useUploads } from './queries.ts'
import type { PostEditor } from './use-editor.ts'

const words = postWords.editor

const CropDialog = lazyPage(() => import('./crop-dialog.tsx'), { isPart: true })
const LibraryDialog = lazyPage(() => import('../media/library-dialog.tsx'), { isPart: true })

/** The address of a picture or video. A file can be uploaded by button or drop to get one. */
export function MediaField({ editor }: { editor: PostEditor }) {
  const { draft, uploadProblems, channels, change } = editor
  const { media, mediaType } = draft
  const { items, isOff } = useUploads()
  const channelTypes = Object.keys(draft.channels).map(channels.typeOf)
  const upload = useUpload(channelTypes, change)
  const [isOver, setIsOver] = useState(false)
  const [isChoosing, setIsChoosing] = useState(false)
  const known = items?.find(({ url }) => url === media)
  const isGone = useIsGone(media, items !== undefined && known === undefined)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same with the keyboard
    <section
      class={`card form ${isOver ? 'drop' : ''}`}
      onDragOver={(event) => {
        if (isOff || !event.dataTransfer?.types.includes('Files')) return
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        setIsOver(false)
        if (isOff || event.dataTransfer?.files.length === 0) return
        event.preventDefault()
        void upload.send(event.dataTransfer?.files[0])
      }}
    >
      <h2>{words.media}</h2>
      {!isOff && <Upload upload={upload} />}
      {!isOff && (
        <div class="actions">
          <Button onClick={() => setIsChoosing(true)}>{libraryWords.choose}</Button>
        </div>
      )}
      {isChoosing && (
        <LibraryDialog
          onChoose={({ url, mediaType: type }) => {
            change({ media: url, mediaType: type, altText: url === media ? draft.altText : '' })
            setIsChoosing(false)
          }}
          onClose={() => setIsChoosing(false)}
        />
      )}
      <Refusal error={upload.error} />
      {upload.note !== undefined && (
        <Note role="status">
          <p>{upload.note}</p>
        </Note>
      )}
      <TextField
        label={words.mediaUrl}
        hint={known === undefined ? words.mediaHint : mediaFacts(known)}
        problem={problemOfMediaUrl(media)}
        type="url"
        inputMode="url"
        maxLength={2048}
        placeholder="https://"
        value={media}
        onInput={(event) => {
          const url = event.currentTarget.value.trim()
          change({ media: url, mediaType: mediaTypeOf(url) ?? mediaType })
        }}
      />
      {isGone && (
        <Note kind="warn" role="alert">
          <p>{postWords.preview.gone}</p>
        </Note>
      )}
      {uploadProblems.length > 0 && (
        <Note kind="warn" role="alert">
          <ul>
            {uploadProblems.map((problem) => (
              <li key={problem} dir="auto">
                {problem}
              </li>
            ))}
          </ul>
        </Note>
      )}
      {media !== '' && (
        <div class="actions">
          {known !== undefined && <Repairs media={known} channelTypes={channelTypes} upload={upload} />}
          <Button kind="small" onClick={() => change({ media: '', altText: '' })}>
            {words.removeMedia}
          </Button>
        </div>
      )}
      <Field label={words.mediaType}>
        {(attributes) => (
          <select
            {...attributes}
            value={mediaType}
            onChange={(event) => change({ mediaType: event.currentTarget.value as Draft['mediaType'] })}
          >
            <option value="IMAGE">{words.image}</option>
            <option value="VIDEO">{words.video}</option>
          </select>
        )}
      </Field>
      {media !== '' && mediaType === 'IMAGE' && <AltText altText={draft.altText} change={change} />}
      <CheckField checked={draft.aiGenerated} onCheck={(aiGenerated) => change({ aiGenerated })}>
        <span>
          {postWords.aiGenerated}
          <span class="quiet small-text"> {mediaWords.aiGeneratedHint}</span>
        </span>
      </CheckField>
    </section>
  )
}

/** Instagram and Facebook accept alt text for pictures only. */
function AltText({ altText, change }: { altText: string; change: PostEditor['change'] }) {
  return (
    <TextArea
      label={postWords.altText}
      hint={
        <>
          {mediaWords.altTextHint}{' '}
          {words.count({ what: words.units.characters, many: altText.length, max: ALT_TEXT_CHARS_MAX })}
        </>
      }
      class="short"
      dir="auto"
      maxLength={ALT_TEXT_CHARS_MAX}
      value={altText}
      onInput={(event) => change({ altText: event.currentTarget.value })}
    />
  )
}

type Upload = ReturnType<typeof useUpload>

/** An upload in progress: the sent fraction from 0 to 1, undefined while the file is being prepared. */
interface Running {
  name: string
  part: number | undefined
}

/**
 * Prepares and uploads one file at a time; the person can cancel. Cropping or converting the same picture keeps its alt
 * text.
 */
function useUpload(channelTypes: readonly string[], change: PostEditor['change']) {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const { error, act } = useAct()
  const [running, setRunning] = useState<Running>()
  const [note, setNote] = useState<string>()
  const controller = useRef<AbortController>()

  const invalidate = () => client.invalidateQueries({ queryKey: ['media', organizationId] })
  const put = async (file: File, signal: AbortSignal): Promise<Media> => {
    const onProgress = (part: number): void => setRunning({ name: file.name, part })
    const done = await uploadMedia(organizationId, file, { signal, onProgress })
    void addSmall(done)
    await invalidate()
    return done
  }
  /** Runs in the background; until it finishes, lists show the file itself. */
  const addSmall = async (media: Media): Promise<void> => {
    const { makeSmall } = await import('../media/make-small.ts')
    if (await makeSmall(organizationId, media)) await invalidate()
  }
  const run = async (name: string, isSamePicture: boolean, work: (signal: AbortSignal) => Promise<Media>) => {
    if (running !== undefined) return
    setRunning({ name, part: undefined })
    setNote(undefined)
    controller.current = new AbortController()
    const { signal } = controller.current
    await act(async () => {
      try {
        const done = await work(signal)
        change({ media: done.url, mediaType: done.mediaType, ...(isSamePicture ? {} : { altText: '' }) })
        announce(words.uploaded({ name }))
      } catch (thrown) {
        if (!signal.aborted) throw thrown
      }
    })
    setRunning(undefined)
  }
  /** Uploads a file in a form that the chosen channels accept. */
  const send = async (file: File | undefined, isSamePicture = false): Promise<void> => {
    if (file === undefined) return
    await run(file.name, isSamePicture, async (signal) => {
      const prepared = await prepareFile(file, channelTypes)
      signal.throwIfAborted()
      const done = await put(prepared.file, signal)
      setNote(prepared.note)
      return done
    })
  }
  return {
    ...{ running, error, note, send },
    cancel: (): void => controller.current?.abort(),
  }
}

interface RepairsProps {
  media: Media
  channelTypes: readonly string[]
  upload: Upload
}

/** Buttons that fix an uploaded picture. Browsers only expose the pixels of files from this server. */
function Repairs({ media, channelTypes, upload }: RepairsProps) {
  // The dialog keeps its picture until it is closed, even if the post gets another.
  const [cropped, setCropped] = useState<string>()
  const { error, act } = useAct()
  const { url, mediaType } = media
  if (mediaType !== 'IMAGE' || new URL(url).origin !== location.origin) return null
  const isFixable = channelTypes
    .flatMap((type) => findMediaProblems(media, type))
    .some(({ what }) => what === 'type' || what === 'size')
  const name = media.name ?? url.slice(url.lastIndexOf('/') + 1)
  const fix = (): Promise<boolean> =>
    act(async () => {
      await upload.send(await fetchFile(url, name), true)
    })
  return (
    <>
      {isFixable && (
        <Button kind="small" onClick={() => void fix()}>
          {mediaWords.fix}
        </Button>
      )}
      <Button kind="small" onClick={() => setCropped(url)}>
        {mediaWords.crop}
      </Button>
      <Refusal error={error} />
      {cropped !== undefined && (
        <CropDialog
          {...{ url: cropped, name, channelTypes }}
          onCropped={(file) => upload.send(file, true)}
          onClose={() => setCropped(undefined)}
        />
      )}
    </>
  )
}

function Upload({ upload: { running, send, cancel } }: { upload: Upload }) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <div class="upload">
      <input
        ref={picker}
        type="file"
        hidden
        accept="image/*,video/mp4,video/quicktime"
        aria-label={words.upload}
        onChange={(event) => {
          void send(event.currentTarget.files?.[0])
          // Lets the person choose the same file again.
          event.currentTarget.value = ''
        }}
      />
      {running === undefined ? (
        <>
          <Button onClick={() => picker.current?.click()}>
            <Icon name="image" /> {words.upload}
          </Button>
          <span class="quiet small-text">{words.uploadHint}</span>
        </>
      ) : (
        <>
          <label class="upload-progress">
            <span class="small-text">
              {running.part === undefined
                ? mediaWords.preparing({ name: running.name })
                : running.part < 1
                  ? words.uploading({ name: running.name, percent: Math.floor(running.part * 100) })
                  : words.checking({ name: running.name })}
            </span>
            <progress max="1" value={running.part} />
          </label>
          <Button kind="small" onClick={cancel}>
            {common.cancel}
          </Button>
        </>
      )}
    </div>
  )
}
