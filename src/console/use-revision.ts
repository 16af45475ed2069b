import { type QueryClient, useQueryClient } from '@tanstack/preact-query'
import { useEffect, useRef } from 'preact/hooks'
import type { Revision } from '../interface/generated/types.ts'
import { call } from './api.ts'
import { POLL_MS } from './clock.ts'
import { useOrganization } from './organization.ts'
import { type Followed, followedOf, useRead } from './use-read.ts'

const PARTS = ['posts', 'audience', 'inbox', 'other'] as const satisfies readonly (keyof Revision)[]

export const revisionQuery = (organizationId: string) => ({
  queryKey: ['revision', organizationId],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('getRevision', { organizationId }, { signal }),
  staleTime: POLL_MS,
})

export function useRevision() {
  const { id: organizationId, permissions } = useOrganization()
  // The service refuses this to people without any permission here, such as those without the required second factor.
  return useRead({ ...revisionQuery(organizationId), refetchInterval: POLL_MS, enabled: permissions.length > 0 })
}

/** Polls the organization's revision and refetches whatever has changed. */
export function useFollowRevision(): void {
  const { data, dataUpdatedAt } = useRevision()
  const client = useQueryClient()
  const before = useRef<Revision>()
  useEffect(() => {
    if (data === undefined) return
    // Data read before the first answer may be older than it.
    const since = before.current === undefined ? dataUpdatedAt : Number.POSITIVE_INFINITY
    const changed = PARTS.filter((part) => before.current?.[part] !== data[part])
    before.current = data
    if (changed.length > 0) void readAgain(client, changed, since)
  }, [data])
}

const readAgain = (client: QueryClient, changed: readonly Followed[], before: number): Promise<void> =>
  client.invalidateQueries({
    predicate: ({ queryKey, state }) => {
      const part = followedOf(queryKey)
      return part !== undefined && changed.includes(part) && state.dataUpdatedAt > 0 && state.dataUpdatedAt < before
    },
  })
