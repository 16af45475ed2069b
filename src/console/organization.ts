import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Me, OwnOrganization } from '../interface/generated/types.ts'

const MeContext = createContext<Me | undefined>(undefined)
export const MeProvider = MeContext.Provider

/** The person who is signed in. */
export const useMe = (): Me => useContext(MeContext)!

/** `timeZone` is the one that times are shown in: the person's own, or else the organization's. */
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

interface Rights {
  /** Returns true if the person may do it in all of these channels; without channels, in the organization. */
  may: (permission: string, channelIds?: readonly string[]) => boolean
  /** Returns true if the person may do it in the organization, or in at least one channel. */
  mayAnywhere: (permission: string) => boolean
}

/** The open organization, and what the person may do there. */
export function useOrganization(): ShownOrganization & Rights {
  const organization = useContext(OrganizationContext)!
  const { permissions, channels = [] } = organization
  const may: Rights['may'] = (permission, channelIds = []) =>
    channelIds.length === 0
      ? permissions.includes(permission)
      : channelIds.every((id) =>
          (channels.find(({ channelId }) => channelId === id)?.permissions ?? permissions).includes(permission),
        )
  const mayAnywhere = (permission: string): boolean =>
    [{ permissions }, ...channels].some((held) => held.permissions.includes(permission))
  return { ...organization, may, mayAnywhere }
}

/** The id of the open organization; undefined outside of one. */
export const useOrganizationId = (): string | undefined => useContext(OrganizationContext)?.id
