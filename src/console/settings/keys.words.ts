import type { KeyPermission, KeyRefusal } from '../../interface/generated/types.ts'
import { common } from '../words.ts'

const { count } = common

const REFUSALS: Record<KeyRefusal, string> = {
  signature: 'its signature does not match',
  ended: 'it is revoked or expired',
  address: 'it came from an address that is not allowed',
  permission: 'it may not do what was asked',
  rate: 'there were too many requests at once',
}

/** The permissions that a program of this kind needs. */
const PRESETS = {
  audience: { name: 'Read the audience', permissions: ['channels:read', 'audience:read'] },
  vips: { name: 'Mark VIPs', permissions: ['channels:read', 'audience:read', 'audience:mark'] },
  insights: { name: 'Read insights', permissions: ['insights:read'] },
  posts: {
    name: 'Plan posts',
    permissions: ['channels:read', 'posts:read', 'posts:write', 'superpowers:read'],
  },
  intake: { name: 'Import people', permissions: ['channels:read', 'audience:write'] },
  activity: { name: 'Watch the activity', permissions: ['audit:read', 'settings:read'] },
} satisfies Record<string, { name: string; permissions: KeyPermission[] }>

export const words = {
  purpose: 'Purpose',
  purposeHint: 'Ticks what such a program needs. Change it below as you like.',
  ownChoice: 'Your own choice',
  presets: PRESETS,
  editTitle: (name: string): string => `Edit ${name}`,
  editHint: 'It applies from the next request of the program, which keeps its secret.',
  perSecond: 'Requests per second',
  perSecondHint: 'In bursts of twice as many. 0: no limit. Empty: as many as the server allows a key.',
  limitedTo: (perSecond: number): string =>
    perSecond === 0 ? 'No limit of requests' : `At most ${count(perSecond, 'request')} per second`,
  replacedBy: (name: string): string => `Replaced by ${name}`,
  refused: (many: number, time: string, reason: KeyRefusal): string =>
    `Refused ${count(many, 'time')}, last ${time}: ${REFUSALS[reason]}.`,
}
