import type { CalendarPost, ChannelPostingSlot } from '../../interface/generated/types.ts'
import { POST_STATUSES } from '../../interface/post-status.ts'
import { listCalendarPosts, listPostingSlots } from '../api.ts'
import { POLL_MS } from '../clock.ts'
import { type ReadPage, readPages, useList } from '../list.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { usePolled } from '../use-read.ts'

/** Sorts after every scheduled post, so that only unscheduled posts follow. */
const AFTER_ALL = '9999-12-31T23:59:59Z'
/** Search results shown at most. */
export const FOUND_MAX = 200

export type Query = Record<string, string | undefined>

interface Range {
  scheduledFrom?: string
  scheduledBefore?: string
  text?: string
}

/** Reads every post in the range that matches the address's filters, by time. */
export function postsQuery(organizationId: string, query: Query, range: Range) {
  const status = POST_STATUSES.find((one) => one === query.status)
  const filter = { ...(query.channel && { mediumId: query.channel }), ...(status && { status }), ...range }
  const read: ReadPage<CalendarPost> = (cursor, options) =>
    listCalendarPosts(organizationId, { ...filter, ...cursor }, options)
  return { queryKey: ['posts', organizationId, 'calendar', filter], read }
}

/** Keeps the previous month on screen until the next has loaded. */
export function usePosts(range: Range, enabled = true) {
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  const { queryKey, read } = postsQuery(organizationId, query, range)
  // Do not read again what readFirst has just read.
  return useList(queryKey, read, { enabled, placeholderData: (before) => before, staleTime: POLL_MS })
}

export const useTimeless = (enabled: boolean) => usePosts({ scheduledFrom: AFTER_ALL }, enabled)

/** Finds posts by text or notes, at any time or without one. */
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

/** Returns the slots of every channel, or none while they load or if they fail: they are only a help. */
export function useSlots(enabled = true): readonly ChannelPostingSlot[] {
  const { id: organizationId } = useOrganization()
  return (
    usePolled(['posting-slots', organizationId], (given) => listPostingSlots(organizationId, given), { enabled })
      .data ?? NONE
  )
}

const NONE: readonly ChannelPostingSlot[] = []
