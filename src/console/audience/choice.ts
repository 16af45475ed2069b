import type { Flag, VipUserQuery } from '../../interface/audience.ts'
import type { Channel, Workspace } from '../../interface/channels.ts'

// The people that the address names. The page uses this, and so does early.ts, which asks for them before the page is there.

/** The query of the address. */
export type AudienceQuery = Record<string, string | undefined>

export type PeopleFilter = VipUserQuery & { hasBirthday?: Flag }

export const PAGE_ROWS = 50
/** Birthdays on these next days are “soon”. */
export const SOON_DAYS = 7

/** The VIP workspaces, and the one that is meant: the first where the address names none. */
export function chooseWorkspace(all: readonly Workspace[] | undefined, query: AudienceQuery) {
  const choices = (all ?? []).filter(({ type }) => type === 'VIP')
  return { choices, workspaceId: choices.find(({ id }) => id === query.workspace)?.id ?? choices[0]?.id }
}

export const chooseChannel = (all: readonly Channel[] | undefined, query: AudienceQuery): Channel | undefined =>
  all?.find(({ id }) => id === query.channel) ?? all?.[0]

export const offsetOf = ({ offset }: AudienceQuery): number => Math.max(0, Math.trunc(Number(offset)) || 0)

export const toFilter = (workspaceId: string, channelId: string, { scope, birthday }: AudienceQuery): PeopleFilter => ({
  workspaceId,
  mediumId: channelId,
  scope: scope === 'all' ? 'all' : 'vip',
  ...(birthday === 'known' ? { hasBirthday: 'true' } : {}),
  ...(Number(birthday) >= 1 && Number(birthday) <= 12 ? { birthdayMonth: Number(birthday) } : {}),
})
