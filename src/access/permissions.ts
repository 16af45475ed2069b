import { CHANNEL_PERMISSIONS, PERMISSIONS, type Permission } from '../http/principal.js'
import type { ChannelRole, KeyPermission, Role } from '../interface/generated/types.js'
import { KEY_PERMISSION_NAMES, KEY_SCOPE_NAMES } from '../interface/key-permissions.js'

// docs/access.md has the same list; a test compares the two.

/**
 * The permissions that a key can hold (docs/access.md). They never include approval, which only a human may give (403
 * approval_is_human), nor managing people or the whole server.
 */
export const KEY_PERMISSIONS: ReadonlySet<Permission> = new Set<Permission>([...KEY_PERMISSION_NAMES, 'self'])

/** Returns the permissions that a key was issued with; null means all that a key may hold on `/v1`. */
export const namedPermissions = (stored: readonly string[] | null): KeyPermission[] =>
  stored === null ? [...KEY_PERMISSION_NAMES] : KEY_SCOPE_NAMES.filter((permission) => stored.includes(permission))

/** Returns the effective permissions of a key that was issued with these. */
export const keyPermissions = (stored: readonly string[] | null): ReadonlySet<Permission> =>
  stored === null ? KEY_PERMISSIONS : new Set([...namedPermissions(stored), 'self'])

const VIEWER = [
  'personal',
  'channels:read',
  'audience:read',
  'insights:read',
  'posts:read',
  'superpowers:read',
  'people:read',
] as const
const EDITOR = [...VIEWER, 'posts:write', 'superpowers:write', 'audience:mark'] as const
const ADMIN = [
  ...EDITOR,
  'audience:write',
  'settings:read',
  'settings:write',
  'sources:read',
  'sources:manage',
  'automation:manage',
  'audit:read',
  'people:write',
] as const

/** The permissions of a person in an organization, by role. Approving is a separate right. */
const permissionsByRole = (...more: Permission[]): Readonly<Record<Role, ReadonlySet<Permission>>> => ({
  VIEWER: new Set([...VIEWER, ...more]),
  EDITOR: new Set([...EDITOR, ...more]),
  ADMIN: new Set([...ADMIN, ...more]),
})
const ROLE_PERMISSIONS = permissionsByRole()
const APPROVER_PERMISSIONS = permissionsByRole('posts:approve')

export const memberPermissions = (role: Role, mayApprove: boolean): ReadonlySet<Permission> =>
  (mayApprove ? APPROVER_PERMISSIONS : ROLE_PERMISSIONS)[role]

/**
 * Returns the permissions of a member in each channel where they have a different role: channel permissions by the role
 * there, the rest by the role in the organization.
 */
export function channelPermissions(
  held: ReadonlySet<Permission>,
  channels: readonly ChannelRole[],
): ReadonlyMap<string, ReadonlySet<Permission>> {
  const others = [...held].filter((permission) => !CHANNEL_PERMISSIONS.includes(permission))
  return new Map(
    channels.map(({ channelId, role, mayApprove }) => {
      const there = memberPermissions(role, mayApprove)
      return [channelId, new Set([...others, ...CHANNEL_PERMISSIONS.filter((permission) => there.has(permission))])]
    }),
  )
}

const NOT_FOR_OPERATORS: readonly Permission[] = [
  'account',
  'personal',
  'api',
  'sign-in',
  'device',
  'second-factor',
  'review',
]

export const OPERATOR_PERMISSIONS: ReadonlySet<Permission> = new Set(
  PERMISSIONS.filter((permission) => !NOT_FOR_OPERATORS.includes(permission)),
)

/** The permissions of a visitor who has not signed in. */
export const VISITOR_PERMISSIONS: ReadonlySet<Permission> = new Set(['sign-in', 'device'])

/** The permissions of a person who has passed the first factor but not the second. */
export const HALF_SESSION_PERMISSIONS: ReadonlySet<Permission> = new Set(['second-factor'])

/** The permissions of the holder of a review link. */
export const OUTSIDER_PERMISSIONS: ReadonlySet<Permission> = new Set(['review'])

/** The permissions of a person outside of any organization. */
export const PERSON_PERMISSIONS: ReadonlySet<Permission> = new Set(['self', 'account'])

/** The permissions of a program with a personal token outside of any organization. */
export const TOKEN_PERMISSIONS: ReadonlySet<Permission> = new Set(['self'])

/** The permissions of a server owner: those of a person and of the operator token, also inside every organization. */
export const OWNER_PERMISSIONS: ReadonlySet<Permission> = new Set([
  ...OPERATOR_PERMISSIONS,
  ...PERSON_PERMISSIONS,
  'personal',
])
