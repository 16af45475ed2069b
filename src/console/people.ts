import { useQuery } from '@tanstack/preact-query'
import { listMembers } from './api.ts'
import { useMe, useOrganization } from './session.tsx'

/** Names by id: one's own, and those of the members where the role shows them. */
export const knownPeople = new Map<string, string>()

/** Reads the names of the organization's members, where the person may see them. */
export function useKnownPeople(): void {
  const { person } = useMe()
  const { id: organizationId, may } = useOrganization()
  const members = useQuery({
    queryKey: ['members', organizationId],
    queryFn: ({ signal }) => listMembers(organizationId, { signal }),
    enabled: may('people:read'),
    staleTime: 60_000,
  })
  for (const { id, name } of [person, ...(members.data ?? [])]) knownPeople.set(id, name)
}
