import type { QueryClient } from '@tanstack/preact-query'
import type { ListAudienceQuery } from '../../interface/generated/types.ts'
import { call, listChannels, listWorkspaces } from '../api.ts'
import { type AudienceQuery, chooseChannel, chooseWorkspace, toPageQuery } from './choice.ts'

export const workspacesQuery = (organizationId: string) => ({
  queryKey: ['workspaces', organizationId],
  queryFn: ({ signal }: { signal: AbortSignal }) => listWorkspaces(organizationId, { signal }),
})

export const channelsQuery = (organizationId: string, workspaceId: string | undefined) => ({
  queryKey: ['channels', organizationId, workspaceId],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    listChannels(organizationId, { workspaceId: workspaceId! }, { signal }),
})

export const pageQuery = (organizationId: string, query: ListAudienceQuery) => ({
  queryKey: ['people', organizationId, query] as readonly unknown[],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('listAudience', { organizationId, query }, { signal }),
})

/** Prefetches what the page will read, so that it is drawn only once. The page retries failed reads and reports them. */
export async function readEarly(client: QueryClient, organizationId: string, query: AudienceQuery): Promise<void> {
  const { workspaceId } = chooseWorkspace(await client.fetchQuery(workspacesQuery(organizationId)), query)
  if (workspaceId === undefined) return
  const channel = chooseChannel(await client.fetchQuery(channelsQuery(organizationId, workspaceId)), query)
  if (channel === undefined) return
  await client.fetchQuery(pageQuery(organizationId, toPageQuery(workspaceId, channel.id, query)))
}
