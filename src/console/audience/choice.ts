import type { AudienceSort } from '../../interface/audience.ts'
import type { Channel, ExportAudienceQuery, ListAudienceQuery, Workspace } from '../../interface/generated/types.ts'

// The people that the address selects. Shared with early.ts, which requests them before the page has loaded.

/** The address's query. */
export type AudienceQuery = Record<string, string | undefined>

const PAGE_ROWS = 50
/** A birthday within this many days is "soon". */
export const SOON_DAYS = 7
/** A copy of the service's list, so that early.ts need not load that. */
export const SORTS = ['value', 'name', 'lastPurchase', 'lastMessage', 'birthday'] as const satisfies AudienceSort[]

/** Returns the VIP workspaces, and the one that the address names or else the first. */
export function chooseWorkspace(all: readonly Workspace[] | undefined, query: AudienceQuery) {
  const choices = (all ?? []).filter(({ type }) => type === 'VIP')
  return { choices, workspaceId: choices.find(({ id }) => id === query.workspace)?.id ?? choices[0]?.id }
}

export const chooseChannel = (all: readonly Channel[] | undefined, query: AudienceQuery): Channel | undefined =>
  all?.find(({ id }) => id === query.channel) ?? all?.[0]

const offsetOf = ({ offset }: AudienceQuery): number => Math.max(0, Math.trunc(Number(offset)) || 0)

/** Returns the sort order. Upcoming birthdays are sorted by date unless another order is chosen. */
export const sortOf = ({ sort, birthday }: AudienceQuery): AudienceSort =>
  SORTS.find((name) => name === sort) ?? (birthday === 'soon' ? 'birthday' : 'value')

/** Returns true if the list has cursors: every list except those that the service keeps in memory. */
export const isByCursor = (query: AudienceQuery): boolean =>
  sortOf(query) !== 'value' || query.segment !== undefined || query.birthday === 'soon'

export const toFilter = (workspaceId: string, channelId: string, query: AudienceQuery): ExportAudienceQuery => ({
  workspaceId,
  channelId,
  scope: query.scope === 'all' ? 'all' : 'vip',
  ...(query.birthday === 'known' ? { hasBirthday: 'true' } : {}),
  ...(query.birthday === 'soon' ? { birthdayWithinDays: SOON_DAYS } : {}),
  ...(Number(query.birthday) >= 1 && Number(query.birthday) <= 12 ? { birthdayMonth: Number(query.birthday) } : {}),
  ...(query.segment === undefined ? {} : { segmentId: query.segment }),
  sort: sortOf(query),
})

/** Returns the query of the page that the address names. */
export const toPageQuery = (workspaceId: string, channelId: string, query: AudienceQuery): ListAudienceQuery => ({
  ...toFilter(workspaceId, channelId, query),
  limit: PAGE_ROWS,
  ...(isByCursor(query)
    ? { ...(query.after === undefined ? {} : { after: query.after }) }
    : { offset: offsetOf(query) }),
})

/** Returns the offset of the previous page, for lists paged by offset; undefined on the first page. */
export const offsetBefore = (query: AudienceQuery): number | undefined => {
  const offset = offsetOf(query)
  return offset === 0 ? undefined : Math.max(0, offset - PAGE_ROWS)
}
