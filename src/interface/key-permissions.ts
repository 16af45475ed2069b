/** A key may hold these (docs/access.md). Those that end with `:read` change nothing. */
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

/** With the scope that must be named: with it a key calls `/api` too. */
export const KEY_SCOPE_NAMES = [...KEY_PERMISSION_NAMES, 'api'] as const
