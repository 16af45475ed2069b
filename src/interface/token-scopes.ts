/**
 * The scopes of a personal token, which work as far as its person holds them (docs/access.md). Approving is reserved
 * for people, as are their own accounts and the rights of others.
 */
export const TOKEN_SCOPE_NAMES = [
  'channels:read',
  'audience:read',
  'audience:mark',
  'audience:write',
  'insights:read',
  'posts:read',
  'posts:write',
  'superpowers:read',
  'superpowers:write',
  'automation:manage',
  'sources:read',
  'sources:manage',
  'settings:read',
  'settings:write',
  'audit:read',
  'personal',
] as const
