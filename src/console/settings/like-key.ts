import type { Key, KeyPermission, NewKey } from '../../interface/access.ts'
import { words } from './words.ts'

export const PERMISSIONS = Object.keys(words.permissions) as KeyPermission[]

/** Another secret for what the key is. */
export const likeKey = (key: Key): NewKey => {
  const { name, permissions, allowedAddresses, requestsPerSecond, expiresAt, expiresByAge } = key
  return {
    name,
    ...(permissions.length === PERMISSIONS.length ? {} : { permissions }),
    ...(allowedAddresses.length === 0 ? {} : { allowedAddresses }),
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    // An end by age is the old key's: the new one gets its own.
    ...(expiresAt === undefined || expiresByAge ? {} : { expiresAt }),
  }
}
