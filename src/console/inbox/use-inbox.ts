import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { InboxEntry, InboxMark } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { useList } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { useAct } from '../use-act.ts'
import { revisionQuery } from '../use-revision.ts'

/** An inbox holds few hundred entries: it is read whole. */
const PAGE_ROWS = 200

/** The news of the person who is signed in, the newest first. */
export function useInbox() {
  const { id: organizationId } = useOrganization()
  return useList(['inbox', organizationId], (cursor, options) =>
    call('listInbox', { organizationId, query: { limit: PAGE_ROWS, ...cursor } }, options),
  )
}

/** Marks entries. What was marked as read last can be taken back. */
export function useMarks() {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const { busy, error, act } = useAct({
    // The count beside the navigation follows at once.
    onSettled: () => client.invalidateQueries({ queryKey: revisionQuery(organizationId).queryKey }),
  })
  const [last, setLast] = useState<string[]>()

  const mark = (body: InboxMark): Promise<string[]> =>
    call('markInboxRead', { organizationId, body }).then(({ ids }) => {
      const changed = new Set(ids)
      const isRead = body.read ?? true
      client.setQueryData<InboxEntry[]>(['inbox', organizationId], (entries) =>
        entries?.map((entry) => (changed.has(entry.id) ? { ...entry, isRead } : entry)),
      )
      return ids
    })

  return {
    busy,
    error,
    last,
    forget: () => setLast(undefined),
    /** One entry, whose button then says the opposite: no note is needed. */
    toggle: ({ id, isRead }: InboxEntry) => act(() => mark({ ids: [id], read: !isRead })),
    /** All up to the newest that the person has seen. */
    allRead: (until: string) => act(async () => setLast(await mark({ until }))),
    undo: () =>
      act(async () => {
        await mark({ ids: last!, read: false })
        setLast(undefined)
      }),
  }
}

export type Marks = ReturnType<typeof useMarks>
