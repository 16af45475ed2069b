import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { InboxEntry, InboxMark } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { useList } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { useAct } from '../use-act.ts'
import { revisionQuery } from '../use-revision.ts'

/** An inbox holds a few hundred entries at most, so it is read in full. */
const PAGE_ROWS = 200

/** Reads the person's news, newest first. */
export function useInbox() {
  const { id: organizationId } = useOrganization()
  return useList(['inbox', organizationId], (cursor, options) =>
    call('listInbox', { organizationId, query: { limit: PAGE_ROWS, ...cursor } }, options),
  )
}

/** Marks entries as read or unread. The last "mark all as read" can be undone. */
export function useMarks() {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const { busy, error, act } = useAct({
    // The count in the navigation updates at once.
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
    /** Toggles one entry. Its button then offers the opposite, so no note is needed. */
    toggle: ({ id, isRead }: InboxEntry) => act(() => mark({ ids: [id], read: !isRead })),
    /** Marks everything up to the newest entry that the person has seen. */
    allRead: (until: string) => act(async () => setLast(await mark({ until }))),
    undo: () =>
      act(async () => {
        await mark({ ids: last!, read: false })
        setLast(undefined)
      }),
  }
}

export type Marks = ReturnType<typeof useMarks>
