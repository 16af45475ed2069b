import { useQueryClient } from '@tanstack/preact-query'
import { useRef, useState } from 'preact/hooks'
import type { Media } from '../../interface/media.ts'
import { findMediaProblems } from '../../interface/media-rules.ts'
import { ApiError, listMedia, uploadMedia } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useOrganization } from '../session.tsx'
import { announce, Field, Problem } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { common } from '../words.ts'
import { type Draft, mediaTypeOf } from './draft.ts'
import { postWords } from './words.ts'

const words = postWords.editor

/** The files of the organization that were uploaded last; nothing where the server takes no uploads. */
export function useUploads() {
  const { id: organizationId } = useOrganization()
  const uploads = useRead({
    queryKey: ['media', organizationId],
    queryFn: ({ signal }) => listMedia(organizationId, { signal }),
    staleTime: 60_000,
    retry: false,
  })
  const isOff = uploads.error instanceof ApiError && uploads.error.code === 'media_disabled'
  return { items: uploads.data?.items, isOff }
}

/** What the chosen channels do not take of the uploaded file, in sentences. What is elsewhere on the web is not known. */
export function problemsOfUpload(
  uploads: readonly Media[] | undefined,
  url: string,
  channels: readonly { name: string; type: string }[],
): string[] {
  const media = uploads?.find((one) => one.url === url)
  if (media === undefined) return []
  return channels.flatMap(({ name, type }) => {
    const problems = findMediaProblems(media, type)
    return problems.length === 0 ? [] : [words.mediaRefused(name, problems.map(words.mediaProblem))]
  })
}

/** The address of a picture or video, or a file that is uploaded to have one; by a button or a drop. */
export function MediaField({
  media,
  mediaType,
  urlProblem,
  problems,
  onChange,
}: {
  media: string
  mediaType: Draft['mediaType']
  urlProblem: string | undefined
  problems: readonly string[]
  onChange: (changes: Pick<Draft, 'media' | 'mediaType'>) => void
}) {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const { items, isOff } = useUploads()
  const [upload, setUpload] = useState<{ name: string; part: number }>()
  const [error, setError] = useState<unknown>()
  const [isOver, setIsOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const running = useRef<AbortController>()
  const known = items?.find(({ url }) => url === media)

  const send = async (file: File | undefined): Promise<void> => {
    if (file === undefined || upload !== undefined) return
    setError(undefined)
    setUpload({ name: file.name, part: 0 })
    const controller = new AbortController()
    running.current = controller
    try {
      const { signal } = controller
      const onProgress = (part: number): void => setUpload({ name: file.name, part })
      const done = await uploadMedia(organizationId, file, { signal, onProgress })
      await client.invalidateQueries({ queryKey: ['media', organizationId] })
      onChange({ media: done.url, mediaType: done.mediaType })
      announce(words.uploaded(file.name))
    } catch (thrown) {
      if (!controller.signal.aborted) setError(thrown)
    } finally {
      setUpload(undefined)
    }
  }

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
        void send(event.dataTransfer?.files[0])
      }}
    >
      <h2>{words.media}</h2>
      {error !== undefined && <Problem error={error} />}
      {!isOff && (
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
          {upload === undefined ? (
            <>
              <button type="button" class="button" onClick={() => picker.current?.click()}>
                <Icon name="image" /> {words.upload}
              </button>
              <span class="quiet small-text">{words.uploadHint}</span>
            </>
          ) : (
            <>
              <label class="upload-progress">
                <span class="small-text">{words.uploading(upload.name, upload.part)}</span>
                <progress max="1" value={upload.part} />
              </label>
              <button type="button" class="button small" onClick={() => running.current?.abort()}>
                {common.cancel}
              </button>
            </>
          )}
        </div>
      )}
      <Field
        label={words.mediaUrl}
        hint={known === undefined ? words.mediaHint : words.mediaFacts(known)}
        problem={urlProblem}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="url"
            inputMode="url"
            maxLength={2048}
            placeholder="https://"
            value={media}
            onInput={(event) => {
              const url = event.currentTarget.value.trim()
              onChange({ media: url, mediaType: mediaTypeOf(url) ?? mediaType })
            }}
          />
        )}
      </Field>
      {problems.length > 0 && (
        <div class="notice notice-warn" role="alert">
          <ul>
            {problems.map((problem) => (
              <li key={problem} dir="auto">
                {problem}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Field label={words.mediaType}>
        {(attributes) => (
          <select
            {...attributes}
            value={mediaType}
            onChange={(event) => onChange({ media, mediaType: event.currentTarget.value as Draft['mediaType'] })}
          >
            <option value="IMAGE">{words.image}</option>
            <option value="VIDEO">{words.video}</option>
          </select>
        )}
      </Field>
    </section>
  )
}
