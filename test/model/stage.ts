import type { ChannelType } from '../../src/interface/generated/types.js'

/** These organizations have different rules. The last one is deactivated and activated again. */
export const ORGANIZATIONS = [
  { name: 'eyes', fourEyes: true },
  { name: 'plain', fourEyes: false },
  { name: 'switched', fourEyes: true },
] as const
export type OrganizationName = (typeof ORGANIZATIONS)[number]['name']

/** The number of people. They are members of every organization, and may approve. */
export const PEOPLE = 4

export interface ChannelPlan {
  organization: OrganizationName
  lane: number
  channelId: string
  type: ChannelType
  token: string
}

/** The organizations and people that the first node has created. */
export interface Stage {
  organizations: { name: OrganizationName; id: string; fourEyes: boolean; key: { id: string; secret: string } }[]
  people: { id: string; cookie: string }[]
}

/** Plans three channels for each organization and lane. */
export function planChannels(lanes: number): ChannelPlan[] {
  const types = ['FB_PAGE', 'INSTAGRAM_ACCOUNT', 'FB_PAGE'] as const
  return ORGANIZATIONS.flatMap(({ name }, organization) =>
    Array.from({ length: lanes }, (_, lane) => lane).flatMap((lane) =>
      types.map((type, index): ChannelPlan => {
        const digits = `${4 + organization}${String(lane).padStart(4, '0')}${String(index).padStart(10, '0')}`
        return { organization: name, lane, channelId: `${type}_${digits}`, type, token: `EAAmodel${digits}` }
      }),
    ),
  )
}
