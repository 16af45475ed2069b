import { useQueryClient } from '@tanstack/preact-query'
import { useRef, useState } from 'preact/hooks'
import { uploadMedia } from '../api.ts'
import { TextField } from '../fields.tsx'
import { Icon } from '../icons.tsx'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { announce, Button, Field, Note } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { common } from '../words.ts'
import { type Draft, mediaTypeOf } from './draft.ts'
import { problemOfMediaUrl } from './editor-rules.ts'
import { useUploads } from './queries.ts'
import type { PostEditor } from './use-editor.ts'
import { postWords } from './words.ts'

const words = postWords.editor

/** The address of a picture or video, or a file that is uploaded to have one; by a button or a drop. */
export function MediaField({ editor: { draft, uploadProblems, change } }: { editor: PostEditor }) {
  const { media, mediaType } = draft
  const { items, isOff } = useUploads()
  const upload = useUpload(change)
  const [isOver, setIsOver] = useState(false)
  const known = items?.find(({ url }) => url === media)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same with the keyboard
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
      <Refusal error={upload.error} />
      <TextField
        label={words.mediaUrl}
        hint={known === undefined ? words.mediaHint : words.mediaFacts(known)}
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
      {media !== '' && (
        <div class="actions">
          <Button kind="small" onClick={() => change({ media: '' })}>
            {words.removeMedia}
          </Button>
        </div>
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
    </section>
  )
}

/** Sends one file at a time; the person can cancel it. */
function useUpload(onUploaded: (media: Pick<Draft, 'media' | 'mediaType'>) => void) {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const { error, act } = useAct()
  const [running, setRunning] = useState<{ name: string; part: number }>()
  const controller = useRef<AbortController>()
  const send = async (file: File | undefined): Promise<void> => {
    if (file === undefined || running !== undefined) return
    const { name } = file
    setRunning({ name, part: 0 })
    controller.current = new AbortController()
    const { signal } = controller.current
    const onProgress = (part: number): void => setRunning({ name, part })
    await act(async () => {
      try {
        const done = await uploadMedia(organizationId, file, { signal, onProgress })
        await client.invalidateQueries({ queryKey: ['media', organizationId] })
        onUploaded({ media: done.url, mediaType: done.mediaType })
        announce(words.uploaded(name))
      } catch (thrown) {
        if (!signal.aborted) throw thrown
      }
    })
    setRunning(undefined)
  }
  return { running, error, send, cancel: () => controller.current?.abort() }
}

function Upload({ upload: { running, send, cancel } }: { upload: ReturnType<typeof useUpload> }) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <div class="upload">
      <input
        ref={picker}
        type="file"
        hidden
        accept="image/jpeg,image/png,video/mp4,video/quicktime"
        aria-label={words.upload}
        onChange={(event) => {
          void send(event.currentTarget.files?.[0])
          // The same file again is a choice too.
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
            <span class="small-text">{words.uploading(running.name, running.part)}</span>
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
