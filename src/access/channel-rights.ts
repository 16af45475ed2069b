import { ApiError } from '../errors.js'
import {
  type ActingToken,
  type ChannelRights,
  holdsAny,
  type Needed,
  type Permission,
  permissionsOf,
  type ServerPrincipal,
} from '../http/principal.js'

// A member can have another role in some channels (docs/decisions/accounts.md). Whatever belongs to no channel follows the
// role in the organization.

/** A channel as a text names it to people. */
interface NamedChannel {
  channel_id: string
  name?: string
}

/** Throws permission_missing unless the caller holds what is needed in every one of these channels. */
export type CheckChannels = (channels: readonly NamedChannel[]) => void

/** The permissions of a caller in the organization, and in the channels that are named for them. */
export interface Held {
  permissions: ReadonlySet<Permission>
  byChannel: ReadonlyMap<string, ReadonlySet<Permission>> | undefined
}

/** Narrows what a person holds to what a program with a token of theirs may do. */
export function narrowTo(token: ActingToken | undefined, { permissions, byChannel }: Held): Held {
  if (token === undefined) return { permissions, byChannel }
  // Not Set.intersection: Node 20 has none.
  const narrow = (held: ReadonlySet<Permission>): ReadonlySet<Permission> =>
    new Set([...held].filter((permission) => permission === 'self' || token.scopes.has(permission)))
  return {
    permissions: narrow(permissions),
    byChannel: byChannel && new Map([...byChannel].map(([channelId, held]) => [channelId, narrow(held)])),
  }
}

/** True where what is needed is held in every one of the channels; of none of them: in the organization. */
const holdsInAll = ({ permissions, byChannel }: Held, needed: Needed, channelIds: readonly string[]): boolean =>
  channelIds.length === 0
    ? holdsAny(permissions, needed)
    : channelIds.every((id) => holdsAny(byChannel?.get(id) ?? permissions, needed))

/** The check of what is held now; it is noted in the `channels` of the caller. */
export const checkerOf =
  (held: Held, needed: Needed, rights: ChannelRights | undefined): CheckChannels =>
  (channels) => {
    if (rights !== undefined) rights.isChecked = true
    const ids = channels.map(({ channel_id }) => channel_id)
    if (holdsInAll(held, needed, ids)) return
    const names = permissionsOf(needed).join(' or ')
    const missing = channels.find(({ channel_id }) => !holdsInAll(held, needed, [channel_id]))
    throw new ApiError('permission_missing', {
      message:
        missing === undefined
          ? `This requires the permission ${names} in the organization, which you hold only in some channels: name one of these.`
          : `This requires the permission ${names} in the channel ${textOf(missing)}, where you do not hold it: leave the channel out, or ask an administrator for another role there.`,
    })
  }

const textOf = ({ channel_id: id, name }: NamedChannel): string => (name === undefined ? id : `${name} (${id})`)

/** The caller of a request, with the rights that were read when it came. */
type RightsOfRequest = Pick<ServerPrincipal, 'permissions' | 'channels'>

export const heldBy = ({ permissions, channels }: RightsOfRequest): Held => ({
  permissions,
  byChannel: channels?.byChannel,
})

/** Tells a list what the caller may do with its rows. A change is checked in its transaction (hold-rights.ts). */
export function mayInAll(caller: RightsOfRequest, needed: Needed, channelIds: readonly string[]): boolean {
  if (caller.channels !== undefined) caller.channels.isChecked = true
  return holdsInAll(heldBy(caller), needed, channelIds)
}
