import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Me, OwnOrganization } from '../interface/people.ts'

const MeContext = createContext<Me | undefined>(undefined)
export const MeProvider = MeContext.Provider

/** The person who is signed in. */
export const useMe = (): Me => useContext(MeContext)!

/** `timeZone` is the one in which this person reads times: their own, or that of the organization. */
export interface ShownOrganization extends OwnOrganization {
  organizationTimeZone: string
}

export const showTo = ({ person }: Me, organization: OwnOrganization): ShownOrganization => ({
  ...organization,
  timeZone: person.timeZone ?? organization.timeZone,
  organizationTimeZone: organization.timeZone,
})

const OrganizationContext = createContext<ShownOrganization | undefined>(undefined)
export const OrganizationProvider = OrganizationContext.Provider

/** The organization whose page is open, and what the person may do there. */
export function useOrganization(): ShownOrganization & { may: (permission: string) => boolean } {
  const organization = useContext(OrganizationContext)!
  return { ...organization, may: (permission) => organization.permissions.includes(permission) }
}

/** The id of the organization whose page is open; undefined outside of one. */
export const useOrganizationId = (): string | undefined => useContext(OrganizationContext)?.id
