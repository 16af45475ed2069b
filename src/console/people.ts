import { listMembers } from './api.ts'
import { useMe, useOrganization } from './organization.ts'
import { useRead } from './use-read.ts'

/** Names by id: one's own, and those of the members. What people did says their name itself, also of those who have left. */
export const knownPeople = new Map<string, string>()

/** The organization's members. */
export function useMembers() {
  const { id: organizationId, may } = useOrganization()
  return useRead({
    queryKey: ['members', organizationId],
    queryFn: ({ signal }) => listMembers(organizationId, { signal }),
    enabled: may('people:read'),
    staleTime: 60_000,
  })
}

/** Reads the names of the organization's members. */
export function useKnownPeople(): void {
  const { person } = useMe()
  const members = useMembers()
  // A member who has left, or whose account was deleted, is no member in a page that stays open either.
  if (members.data !== undefined) knownPeople.clear()
  for (const { id, name } of [person, ...(members.data ?? [])]) knownPeople.set(id, name)
}
