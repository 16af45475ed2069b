/** The permissions that a key can hold (docs/access.md). Those that end with `:read` are read-only. */
export const KEY_PERMISSION_NAMES = [
  'channels:read',
  'audience:read',
  'audience:mark',
  'audience:write',
  'insights:read',
  'posts:read',
  'posts:write',
  'superpowers:read',
  'superpowers:write',
  'settings:read',
  'settings:write',
  'audit:read',
] as const

/** Includes `api`, which must be named explicitly and lets a key call `/api`. */
export const KEY_SCOPE_NAMES = [...KEY_PERMISSION_NAMES, 'api'] as const
