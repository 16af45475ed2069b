import type { QueryClient } from '@tanstack/preact-query'
import type { Flag, VipUserQuery } from '../../interface/audience.ts'
import type { Channel, Workspace } from '../../interface/channels.ts'
import { listChannels, listVipUsers, listWorkspaces } from '../api.ts'

/** What the address says. */
export type AudienceQuery = Record<string, string | undefined>

export type PeopleFilter = VipUserQuery & { hasBirthday?: Flag }

export const PAGE_ROWS = 50

export const workspacesQuery = (organizationId: string) => ({
  queryKey: ['workspaces', organizationId],
  queryFn: ({ signal }: { signal: AbortSignal }) => listWorkspaces(organizationId, { signal }),
})

export const channelsQuery = (organizationId: string, workspaceId: string | undefined) => ({
  queryKey: ['channels', organizationId, workspaceId],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    listChannels(organizationId, { workspaceId: workspaceId! }, { signal }),
})

export const pageQuery = (organizationId: string, filter: PeopleFilter, offset: number) => ({
  queryKey: ['people', organizationId, filter, offset] as readonly unknown[],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    listVipUsers(organizationId, { ...filter, limit: PAGE_ROWS, offset }, { signal }),
})

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

/**
 * Reads what the page will ask for, one after the other, while the browser still loads and draws the rest. Whatever fails is
 * asked for again by the page, which says so.
 */
export async function readEarly(client: QueryClient, organizationId: string, query: AudienceQuery): Promise<void> {
  const { workspaceId } = chooseWorkspace(await client.fetchQuery(workspacesQuery(organizationId)), query)
  if (workspaceId === undefined) return
  const channel = chooseChannel(await client.fetchQuery(channelsQuery(organizationId, workspaceId)), query)
  if (channel === undefined || query.birthday === 'soon') return
  await client.fetchQuery(pageQuery(organizationId, toFilter(workspaceId, channel.id, query), offsetOf(query)))
}
