import type { QueryClient } from '@tanstack/preact-query'
import { listChannels, listVipUsers, listWorkspaces } from '../api.ts'
import {
  type AudienceQuery,
  chooseChannel,
  chooseWorkspace,
  offsetOf,
  PAGE_ROWS,
  type PeopleFilter,
  toFilter,
} from './choice.ts'

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

/** Reads what the page will ask for, so that it is drawn once. The page asks again for a read that fails, and says so. */
export async function readEarly(client: QueryClient, organizationId: string, query: AudienceQuery): Promise<void> {
  const { workspaceId } = chooseWorkspace(await client.fetchQuery(workspacesQuery(organizationId)), query)
  if (workspaceId === undefined) return
  const channel = chooseChannel(await client.fetchQuery(channelsQuery(organizationId, workspaceId)), query)
  if (channel === undefined || query.birthday === 'soon') return
  await client.fetchQuery(pageQuery(organizationId, toFilter(workspaceId, channel.id, query), offsetOf(query)))
}
