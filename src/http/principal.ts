import { ApiError } from '../errors.js'

/** The permissions that an operation may ask for. access/permissions.ts says who holds them. */
export const PERMISSIONS = [
  'channels:read',
  'audience:read',
  'audience:write',
  /** VIP marks alone. */
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
  /** Sources: what comes in from shops, apps and inboxes. */
  'sources:read',
  'sources:manage',
  /** Switching on and off what superpowers do, stopping one, and the list of people whom none may write to. */
  'automation:manage',
  'audit:read',
  /** Members of the organization and invitations to it. */
  'people:read',
  'people:write',
  /** The server as a whole: all organizations. */
  'operator',
  /** Asking who one is. Every caller holds it. */
  'self',
  /** A person's own account and sessions: by a session only. */
  'account',
  /** A member's own things in an organization: inbox, notifications, calendar feed. */
  'personal',
  /** A key calls `/api` too, with the other permissions that it was issued with. */
  'api',
  /** Covers the calls before there is a session. */
  'sign-in',
  /** A program asks a person for a personal token: it has none yet, and sends no cookie. */
  'device',
  /** A session between the first factor and the second makes these calls. */
  'second-factor',
  /** The one post of a link, for who holds that. */
  'review',
] as const
export type Permission = (typeof PERMISSIONS)[number]

/**
 * The permissions of what belongs to one channel or several: in some channels a member may hold other ones of these than in
 * the rest of the organization (docs/access.md).
 */
export const CHANNEL_PERMISSIONS: readonly Permission[] = ['posts:write', 'posts:approve', 'audience:mark']

/** An operation asks for one permission, or for any of several. */
export type Needed = Permission | readonly Permission[]

/** As a list of those any of which is enough. */
export const permissionsOf = (needed: Needed): readonly Permission[] =>
  typeof needed === 'string' ? [needed] : (needed as readonly Permission[])

export const holdsAny = (held: ReadonlySet<Permission>, needed: Needed): boolean =>
  typeof needed === 'string' ? held.has(needed) : needed.some((permission) => held.has(permission))

/** True where a member holds one of these in at least one of the channels that are named for them. */
export const holdsAnywhere = (channels: ChannelRights | undefined, needed: Needed): boolean =>
  channels !== undefined && [...channels.byChannel.values()].some((held) => holdsAny(held, needed))

/** The personal token with which a program calls for a person. */
export interface ActingToken {
  id: string
  /** The most that it may do, whatever its person may. */
  scopes: ReadonlySet<Permission>
  /** The only organization in which it may be used; undefined for all of its person's. */
  boundTo: string | undefined
}

/** The author of a change. */
export type Actor =
  | { type: 'key'; id: string }
  | { type: 'user'; id: string; token?: ActingToken }
  /** `id`: the name of the operator token; that of the environment has none. */
  | { type: 'operator'; id?: string }
  | { type: 'publisher' }
  /** Has no account; `id`: of the link. */
  | { type: 'outsider'; id: string }
  /** Has not signed in, and changes nothing before that. */
  | { type: 'visitor' }

/** The id of the personal token with which the person acts, if they do not act themselves. */
export const tokenOfActor = (actor: Actor): string | null =>
  actor.type === 'user' && actor.token !== undefined ? actor.token.id : null

/** As it is stored beside the actor's type. */
export const idOfActor = (actor: Actor): string | null => ('id' in actor ? (actor.id ?? null) : null)

/** Writes an actor in one word: `user:<id>`, `operator:<name>`, `operator`. */
export function textOfActor(actor: Actor): string {
  const id = idOfActor(actor)
  return id === null ? actor.type : `${actor.type}:${id}`
}

/**
 * Throws permission_missing unless the caller holds the permission. `action` completes "To … takes the permission": it names
 * the part of an operation that takes a permission of its own.
 */
export function requirePermission(
  { permissions }: Pick<ServerPrincipal, 'permissions'>,
  permission: Permission,
  action: string,
): void {
  if (permissions.has(permission)) return
  throw new ApiError('permission_missing', {
    message: `To ${action} takes the permission ${permission}, which you do not hold.`,
  })
}

/** The caller and what they may do, in no particular organization. */
export interface ServerPrincipal {
  /** Set in an organization. */
  organizationId?: string
  actor: Actor
  permissions: ReadonlySet<Permission>
  /** True for an owner of the server, who enters every organization without being a member. */
  isOwner?: boolean
  /** For a member who has a role of their own in some channels. */
  channels?: ChannelRights
  /** Id of the session in which a person calls. */
  sessionId?: string
  /** The IP address of one who asks for a change, for the audit trail. */
  address?: string
  /** True if that session has passed a second factor. */
  secondFactor?: boolean
  /** For a visitor: the browser signed in here before. */
  device?: KnownDevice
}

/** The rights of a member in the channels that are named for them, for one request. */
export interface ChannelRights {
  /** By channel id: all that the person holds there, in place of the `permissions` of the principal. */
  readonly byChannel: ReadonlyMap<string, ReadonlySet<Permission>>
  /** True once the operation has compared them with the channels that it is about (access/channel-rights.ts). */
  isChecked: boolean
}

/**
 * A browser that signed in to an account here before. It is no credential: it only has a place of its own among
 * those who wait.
 */
export interface KnownDevice {
  id: string
  /** The one account with which it did (access/sessions/device.ts). */
  account: string
}

/** The caller and what they may do in one organization, on every surface alike. */
export interface Principal extends ServerPrincipal {
  organizationId: string
  /** The link that lets an outsider in. */
  link?: ReviewLinkGrant
}

/** A link by which a person without an account decides about its posts, and no others. */
export interface ReviewLinkGrant {
  id: string
  /** True for a link that was mailed, so that the person who made it has never seen it. */
  isSent: boolean
  /** Whom it is for. */
  name: string
  /** Id of the person who made it. */
  madeBy: string
  makerName: string
  organizationName: string
  timeZone: string
  expiresAt: Date
}
