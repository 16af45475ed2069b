import type { CalendarPost, ChannelPostingSlot } from '../../interface/generated/types.ts'
import { POST_STATUSES } from '../../interface/post-status.ts'
import { listCalendarPosts, listPostingSlots } from '../api.ts'
import { POLL_MS } from '../clock.ts'
import { type ReadPage, readPages, useList } from '../list.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { usePolled } from '../use-read.ts'

/** Posts with a time are before it, so that only posts without one are from here on. */
const AFTER_ALL = '9999-12-31T23:59:59Z'
/** So many of what a search finds are shown. */
export const FOUND_MAX = 200

export type Query = Record<string, string | undefined>

interface Range {
  scheduledFrom?: string
  scheduledBefore?: string
  text?: string
}

/** Every post of the range that the filters of the address leave, by time. */
export function postsQuery(organizationId: string, query: Query, range: Range) {
  const status = POST_STATUSES.find((one) => one === query.status)
  const filter = { ...(query.channel && { mediumId: query.channel }), ...(status && { status }), ...range }
  const read: ReadPage<CalendarPost> = (cursor, options) =>
    listCalendarPosts(organizationId, { ...filter, ...cursor }, options)
  return { queryKey: ['posts', organizationId, 'calendar', filter], read }
}

/** The month before stays until the next is here. */
export function usePosts(range: Range, enabled = true) {
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  const { queryKey, read } = postsQuery(organizationId, query, range)
  // The posts that readFirst has read are not read twice.
  return useList(queryKey, read, { enabled, placeholderData: (before) => before, staleTime: POLL_MS })
}

export const useTimeless = (enabled: boolean) => usePosts({ scheduledFrom: AFTER_ALL }, enabled)

/** The first posts with this in their text or notes, at any time and without one. */
export function useFound(text: string) {
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  const { queryKey, read } = postsQuery(organizationId, query, { text })
  return usePolled(
    [...queryKey, 'found'],
    async (given) => (await readPages(read, { ...given, rows: FOUND_MAX })).items.slice(0, FOUND_MAX),
    { enabled: text !== '', placeholderData: (before) => before },
  )
}

/** The slots of every channel; none while they are read, or cannot be: they are a help, not the page. */
export function useSlots(enabled = true): readonly ChannelPostingSlot[] {
  const { id: organizationId } = useOrganization()
  return (
    usePolled(['posting-slots', organizationId], (given) => listPostingSlots(organizationId, given), { enabled })
      .data ?? NONE
  )
}

const NONE: readonly ChannelPostingSlot[] = []
