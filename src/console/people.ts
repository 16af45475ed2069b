import { listMembers } from './api.ts'
import { useMe, useOrganization } from './organization.ts'
import { useRead } from './use-read.ts'

/**
 * Names by id: the person's own, and those of the members. Recorded actions carry the name themselves, so former members
 * need no entry.
 */
export const knownPeople = new Map<string, string>()

/** Reads the organization's members. */
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
  // Drop former members and deleted accounts from a page that stays open.
  if (members.data !== undefined) knownPeople.clear()
  for (const { id, name } of [person, ...(members.data ?? [])]) knownPeople.set(id, name)
}
