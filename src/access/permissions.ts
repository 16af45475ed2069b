import { PERMISSIONS, type Permission } from '../http/principal.js'

/**
 * Who holds what (docs/access.md). A key acts for its organization in everything but approval, which is for a human
 * (interface-wide: the 403 approval_is_human), and has no part in the server as a whole.
 */
export const KEY_PERMISSIONS: ReadonlySet<Permission> = new Set(
  PERMISSIONS.filter((permission) => permission !== 'posts:approve' && permission !== 'operator'),
)

export const OPERATOR_PERMISSIONS: ReadonlySet<Permission> = new Set(PERMISSIONS)
