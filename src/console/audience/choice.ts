import type { AudienceSort } from '../../interface/audience.ts'
import type { Channel, ExportAudienceQuery, ListAudienceQuery, Workspace } from '../../interface/generated/types.ts'

// The people that the address names. The page uses this, and so does early.ts, which asks for them before the page is there.

/** The query of the address. */
export type AudienceQuery = Record<string, string | undefined>

const PAGE_ROWS = 50
/** Birthdays on these next days are “soon”. */
export const SOON_DAYS = 7
/** As in the service, which early.ts need not load for it. */
export const SORTS = ['value', 'name', 'lastPurchase', 'lastMessage', 'birthday'] as const satisfies AudienceSort[]

/** The VIP workspaces, and the one that is meant: the first where the address names none. */
export function chooseWorkspace(all: readonly Workspace[] | undefined, query: AudienceQuery) {
  const choices = (all ?? []).filter(({ type }) => type === 'VIP')
  return { choices, workspaceId: choices.find(({ id }) => id === query.workspace)?.id ?? choices[0]?.id }
}

export const chooseChannel = (all: readonly Channel[] | undefined, query: AudienceQuery): Channel | undefined =>
  all?.find(({ id }) => id === query.channel) ?? all?.[0]

const offsetOf = ({ offset }: AudienceQuery): number => Math.max(0, Math.trunc(Number(offset)) || 0)

/** The order that is meant: birthdays that come soon are in the order of their days unless another one is chosen. */
export const sortOf = ({ sort, birthday }: AudienceQuery): AudienceSort =>
  SORTS.find((name) => name === sort) ?? (birthday === 'soon' ? 'birthday' : 'value')

/** True where pages follow each other by cursors: in every list but those that the service has in memory. */
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

/** The page of the address. */
export const toPageQuery = (workspaceId: string, channelId: string, query: AudienceQuery): ListAudienceQuery => ({
  ...toFilter(workspaceId, channelId, query),
  limit: PAGE_ROWS,
  ...(isByCursor(query)
    ? { ...(query.after === undefined ? {} : { after: query.after }) }
    : { offset: offsetOf(query) }),
})

/** Where the page before begins, which is told by its own place alone; undefined on the first page. */
export const offsetBefore = (query: AudienceQuery): number | undefined => {
  const offset = offsetOf(query)
  return offset === 0 ? undefined : Math.max(0, offset - PAGE_ROWS)
}
