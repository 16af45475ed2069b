import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { Media, MediaUse } from '../../interface/generated/types.ts'
import type { PostStatus } from '../../interface/post-status.ts'
import { call } from '../api.ts'
import { FormDialog } from '../forms.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { pictureFacts } from '../posts/file-facts.ts'
import { formatInstant } from '../times.ts'
import { toName } from '../to-name.ts'
import { announce, Button, Page } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { common, library as words } from '../words.ts'
import { Library, Thumbnail } from './library.tsx'

/** Statuses of posts that may be about to go out. */
const AWAITED: readonly PostStatus[] = ['WAITING_FOR_APPROVAL', 'SCHEDULED', 'PUBLISHING']

/** `/media`: the library of uploads, with the posts that use them. */
export default function MediaPage() {
  const { query, setQuery } = useUrlQuery()
  const [items, setItems] = useState<readonly Media[]>([])
  const uses = useUses(items).data
  return (
    <Page title={words.title}>
      <p class="quiet">{words.lead}</p>
      <Library
        query={query}
        onQuery={(changes) => setQuery({ ...changes }, { replace: changes.search !== undefined })}
        onItems={setItems}
      >
        {(media, name) => <File media={media} name={name} uses={uses?.filter(({ mediaId }) => mediaId === media.id)} />}
      </Library>
    </Page>
  )
}

function useUses(items: readonly Media[]) {
  const { id: organizationId } = useOrganization()
  const ids = items.map(({ id }) => id).join(',')
  return useRead({
    queryKey: ['media-uses', organizationId, ids],
    queryFn: ({ signal }) => call('listMediaUses', { organizationId, query: { ids } }, { signal }),
    enabled: ids !== '',
  })
}

interface FileProps {
  media: Media
  name: string
  /** Undefined while loading. */
  uses: readonly MediaUse[] | undefined
}

function File({ media, name, uses }: FileProps) {
  const { timeZone, may } = useOrganization()
  const [isAsking, setIsAsking] = useState(false)
  const isAwaited = uses?.some(({ status }) => AWAITED.includes(status)) ?? false
  return (
    <article class="card library-file">
      <a href={media.url} target="_blank" rel="noreferrer noopener">
        <Thumbnail media={media} />
        <strong dir="auto">{name}</strong>
      </a>
      <p class="quiet small-text">{pictureFacts(media)}</p>
      <p class="quiet small-text">{words.uploaded({ time: formatInstant(media.createdAt, timeZone, 'short') })}</p>
      {uses !== undefined && <Uses uses={uses} />}
      {uses !== undefined && isAwaited && <p class="quiet small-text">{words.inUse}</p>}
      {uses !== undefined && !isAwaited && may('posts:write') && (
        <Button kind="small" of={name} onClick={() => setIsAsking(true)}>
          {words.delete}
        </Button>
      )}
      {isAsking && <DeleteDialog {...{ media, name, uses: uses ?? [] }} onClose={() => setIsAsking(false)} />}
    </article>
  )
}

function Uses({ uses }: { uses: readonly MediaUse[] }) {
  const { id: organizationId } = useOrganization()
  if (uses.length === 0) return <p class="quiet small-text">{words.unused}</p>
  return (
    <div class="small-text">
      {words.usedBy}
      <ul class="bullets">
        {uses.map(({ scheduledPostId, text, status }) => (
          <li key={scheduledPostId}>
            <a href={hrefOf(organizationId, 'posts', [scheduledPostId])}>
              <bdi>{text === '' ? words.post : toName(text)}</bdi>
            </a>{' '}
            <span class="quiet">{words.inStatus({ status: common.statusWithin[status] })}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function DeleteDialog({ media, name, uses, onClose }: FileProps & { uses: readonly MediaUse[]; onClose: () => void }) {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const remove = async (): Promise<void> => {
    await call('deleteMedia', { organizationId, mediaId: media.id })
    onClose()
    await client.invalidateQueries({ queryKey: ['media', organizationId] })
    announce(words.deleted({ name }))
  }
  return (
    <FormDialog
      title={words.deleteTitle({ name })}
      submit={words.delete}
      isBad
      isQuestion
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{uses.length === 0 ? words.deleteUnused : words.deleteUsed}</p>
      {uses.length > 0 && <Uses uses={uses} />}
    </FormDialog>
  )
}
