import { useQueryClient } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Media } from '../../interface/generated/types.ts'
import { ApiError, call } from '../api.ts'
import { Choice, TextField } from '../fields.tsx'
import { Icon } from '../icons.tsx'
import { Loaded, Pager } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { SmallPicture } from '../small-picture.tsx'
import { formatInstant } from '../times.ts'
import { Empty } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { library as words } from '../words.ts'
import './media.css'

const PAGE_ROWS = 24
const KINDS = ['', 'IMAGE', 'VIDEO'] as const

/** The library's filters and position; empty means no filter. */
export interface LibraryQuery {
  kind?: string | undefined
  search?: string | undefined
  after?: string | undefined
}

function useLibrary({ kind, search, after }: LibraryQuery) {
  const { id: organizationId } = useOrganization()
  const mediaType = KINDS.find((one) => one !== '' && one === kind) as Media['mediaType'] | undefined
  return useRead({
    queryKey: ['media', organizationId, 'library', mediaType, search, after],
    queryFn: ({ signal }) =>
      call(
        'listMedia',
        { organizationId, query: { limit: PAGE_ROWS, mediaType, search: search || undefined, after } },
        { signal },
      ),
    placeholderData: (before) => before,
    retry: false,
  })
}

/** Creates missing small pictures, for example of files that programs uploaded, if the person may write. */
function useMissing(items: readonly Media[] | undefined): void {
  const { id: organizationId, may } = useOrganization()
  const client = useQueryClient()
  useEffect(() => {
    const controller = new AbortController()
    const make = async (missing: readonly Media[]): Promise<void> => {
      const { makeMissing } = await import('./make-small.ts')
      if (!(await makeMissing(organizationId, missing, controller.signal))) return
      await client.invalidateQueries({ queryKey: ['media', organizationId] })
    }
    const missing = (items ?? []).filter(({ smallUrl }) => smallUrl === undefined)
    if (missing.length > 0 && may('posts:write')) void make(missing)
    return () => controller.abort()
  }, [items])
}

interface LibraryProps {
  query: LibraryQuery
  onQuery: (changes: LibraryQuery) => void
  children: (media: Media, name: string) => ComponentChildren
  /** Called with the files of each page that was read. */
  onItems?: (items: readonly Media[]) => void
}

/** The uploaded files page by page, with filters. `children` renders one file. */
export function Library({ query, onQuery, children, onItems }: LibraryProps) {
  const read = useLibrary(query)
  const next = read.data?.nextCursor ?? undefined
  const items = read.data?.items
  useEffect(() => {
    if (items !== undefined) onItems?.(items)
  }, [items])
  useMissing(items)
  const hasFilter = Boolean(query.kind || query.search || query.after)
  if (read.error instanceof ApiError && read.error.code === 'media_disabled') return <Empty title={words.off} />
  return (
    <div class="library">
      <div class="filters">
        <Choice
          label={words.kind}
          value={query.kind ?? ''}
          options={KINDS.map((kind) => [kind, words.kinds[kind]] as const)}
          onChoose={(kind) => onQuery({ kind, after: '' })}
        />
        <TextField
          label={words.search}
          type="search"
          maxLength={255}
          value={query.search ?? ''}
          onInput={(event) => onQuery({ search: event.currentTarget.value, after: '' })}
        />
      </div>
      <Loaded read={read} lines={6}>
        {({ items: files }) =>
          files.length === 0 ? (
            <Empty title={words.emptyTitle}>{hasFilter ? words.emptyFilter : words.empty}</Empty>
          ) : (
            <Files items={files}>{children}</Files>
          )
        }
      </Loaded>
      <Pager
        label={words.pages}
        before={{ text: words.newest, go: query.after ? () => onQuery({ after: '' }) : undefined }}
        next={{ text: words.older, go: next === undefined ? undefined : () => onQuery({ after: next }) }}
      />
    </div>
  )
}

function Files({ items, children }: Pick<LibraryProps, 'children'> & { items: readonly Media[] }) {
  const { timeZone } = useOrganization()
  return (
    <ul class="library-files" aria-label={words.files}>
      {items.map((media) => (
        <li key={media.id}>{children(media, nameOf(media, timeZone))}</li>
      ))}
    </ul>
  )
}

/** Returns a file's name, or its type and time if none was stored. */
const nameOf = ({ name, mediaType, createdAt }: Media, timeZone: string): string =>
  name ?? words.unnamed({ mediaType, time: formatInstant(createdAt, timeZone, 'short') })

/** A file's small picture. The text is beside it. */
export function Thumbnail({ media: { url, mediaType, smallUrl } }: { media: Media }) {
  const isVideo = mediaType === 'VIDEO'
  const sign = <Icon name="play" className="media-icon" />
  return <SmallPicture key={smallUrl} class="thumbnail" url={url} isVideo={isVideo} pixels={160} sign={sign} />
}
