import { ApiError } from '../errors.js'

/** The permissions that an operation may require. access/permissions.ts says who holds them. */
export const PERMISSIONS = [
  'channels:read',
  'audience:read',
  'audience:write',
  /** Only VIP marks. */
  'audience:mark',
  'insights:read',
  'posts:read',
  'posts:write',
  'posts:approve',
  'superpowers:read',
  'superpowers:write',
  /** Workspaces, channels, ad accounts, keys and the organization itself. */
  'settings:read',
  'settings:write',
  /** Sources of data from shops, apps and inboxes. */
  'sources:read',
  'sources:manage',
  /** Switching superpowers on and off, stopping one, and the list of people to whom none may write. */
  'automation:manage',
  'audit:read',
  /** Members of the organization and invitations to it. */
  'people:read',
  'people:write',
  /** The server as a whole, with all organizations. */
  'operator',
  /** Asking who the caller is. Every caller holds it. */
  'self',
  /** A person's own account and sessions, only in a session. */
  'account',
  /** A member's own things in an organization: inbox, notifications, calendar feed. */
  'personal',
  /** A key may also call `/api`, with the other permissions it was issued with. */
  'api',
  /** The calls before there is a session. */
  'sign-in',
  /** A program asks a person for a personal token: it has none yet, and sends no cookie. */
  'device',
  /** The calls of a session between the first factor and the second. */
  'second-factor',
  /** The posts of a link, for its holder. */
  'review',
] as const
export type Permission = (typeof PERMISSIONS)[number]

/**
 * The permissions for things that belong to one or more channels. In some channels, a member may hold different ones than in
 * the rest of the organization (docs/access.md).
 */
export const CHANNEL_PERMISSIONS: readonly Permission[] = ['posts:write', 'posts:approve', 'audience:mark']

/** An operation requires one permission, or any of several. */
export type Needed = Permission | readonly Permission[]

/** Returns them as a list of which any one is enough. */
export const permissionsOf = (needed: Needed): readonly Permission[] =>
  typeof needed === 'string' ? [needed] : (needed as readonly Permission[])

export const holdsAny = (held: ReadonlySet<Permission>, needed: Needed): boolean =>
  typeof needed === 'string' ? held.has(needed) : needed.some((permission) => held.has(permission))

/** Returns whether a member holds one of these in at least one of the channels that are named for them. */
export const holdsAnywhere = (channels: ChannelRights | undefined, needed: Needed): boolean =>
  channels !== undefined && [...channels.byChannel.values()].some((held) => holdsAny(held, needed))

/** The personal token with which a program calls on behalf of a person. */
export interface ActingToken {
  id: string
  /** The most it may do, whatever its person may. */
  scopes: ReadonlySet<Permission>
  /** The only organization in which it may be used; undefined for all of its person's. */
  boundTo: string | undefined
}

/** The author of a change. */
export type Actor =
  | { type: 'key'; id: string }
  | { type: 'user'; id: string; token?: ActingToken }
  /** `id` is the name of the operator token; the environment's has none. */
  | { type: 'operator'; id?: string }
  | { type: 'publisher' }
  /** A person without an account; `id` is the link's. */
  | { type: 'outsider'; id: string }
  /** Not signed in, and changes nothing before that. */
  | { type: 'visitor' }

/** Returns the id of the personal token with which the person acts; null if they act themselves. */
export const tokenOfActor = (actor: Actor): string | null =>
  actor.type === 'user' && actor.token !== undefined ? actor.token.id : null

/** Returns the id stored next to the actor's type. */
export const idOfActor = (actor: Actor): string | null => ('id' in actor ? (actor.id ?? null) : null)

/** Writes an actor as one word: `user:<id>`, `operator:<name>`, `operator`. */
export function textOfActor(actor: Actor): string {
  const id = idOfActor(actor)
  return id === null ? actor.type : `${actor.type}:${id}`
}

/**
 * Throws permission_missing unless the caller holds the permission. `action` begins the message, such as "Changing what
 * superpowers do": it names the part of an operation that requires a separate permission.
 */
export function requirePermission(
  { permissions }: Pick<ServerPrincipal, 'permissions'>,
  permission: Permission,
  action: string,
): void {
  if (permissions.has(permission)) return
  throw new ApiError('permission_missing', {
    message: `${action} requires the permission ${permission}, which you do not hold.`,
  })
}

/** The caller and what they may do, outside any organization. */
export interface ServerPrincipal {
  /** Set within an organization. */
  organizationId?: string
  actor: Actor
  permissions: ReadonlySet<Permission>
  /** True for an owner of the server, who enters every organization without being a member. */
  isOwner?: boolean
  /** For a member who has separate roles in some channels. */
  channels?: ChannelRights
  /** The id of the session in which a person calls. */
  sessionId?: string
  /** The IP address of the caller of a change, for the audit trail. */
  address?: string
  /** True if that session has passed a second factor. */
  secondFactor?: boolean
  /** For a visitor: the browser has signed in here before. */
  device?: KnownDevice
}

/** The rights of a member in the channels that are named for them, for one request. */
export interface ChannelRights {
  /** Everything the person holds on a channel, by its id, instead of the principal's `permissions`. */
  readonly byChannel: ReadonlyMap<string, ReadonlySet<Permission>>
  /** True once the operation has checked them against the channels it concerns (access/channel-rights.ts). */
  isChecked: boolean
}

/**
 * A browser that has signed in to an account here before. It is not a credential: it only has a separate place among those
 * who wait.
 */
export interface KnownDevice {
  id: string
  /** The one account that it signed in to (access/sessions/device.ts). */
  account: string
}

/** The caller and what they may do in one organization, the same on every surface. */
export interface Principal extends ServerPrincipal {
  organizationId: string
  /** The link that lets an outsider in. */
  link?: ReviewLinkGrant
}

/** A link with which a person without an account decides about its posts, and no others. */
export interface ReviewLinkGrant {
  id: string
  /** True for a mailed link, which the person who made it has never seen. */
  isSent: boolean
  /** The name of the person it is for. */
  name: string
  /** The id of the person who made it. */
  madeBy: string
  makerName: string
  organizationName: string
  timeZone: string
  expiresAt: Date
}
