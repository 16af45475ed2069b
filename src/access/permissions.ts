import { PERMISSIONS, type Permission } from '../http/principal.js'
import type { KeyPermission } from '../interface/access.js'

/**
 * What a key may hold (docs/access.md): never approval, which is for a human (interface-wide: the 403 approval_is_human), and
 * no part in the server as a whole. A permission that is not named here is held by no key.
 */
export const KEY_PERMISSION_NAMES = [
  'channels:read',
  'audience:read',
  'audience:write',
  'insights:read',
  'posts:read',
  'posts:write',
  'superpowers:read',
  'superpowers:write',
  'settings:read',
  'settings:write',
  'audit:read',
] as const satisfies readonly (Permission & KeyPermission)[]

export const KEY_PERMISSIONS: ReadonlySet<Permission> = new Set(KEY_PERMISSION_NAMES)

/** What a key holds that was issued with these; null: all that a key may hold. */
export function keyPermissions(stored: readonly string[] | null): ReadonlySet<Permission> {
  if (stored === null) return KEY_PERMISSIONS
  return new Set(KEY_PERMISSION_NAMES.filter((permission) => stored.includes(permission)))
}

export const OPERATOR_PERMISSIONS: ReadonlySet<Permission> = new Set(PERMISSIONS)
