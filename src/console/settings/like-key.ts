import type { Key, KeyPermission, NewKey } from '../../interface/generated/types.ts'
import { settings as words } from '../words.ts'

export const PERMISSIONS = Object.keys(words.permissions) as KeyPermission[]

/** Returns whether a key has all the permissions of a key issued without a list. */
export const isUnlimited = (permissions: readonly KeyPermission[]): boolean =>
  !permissions.includes('api') && permissions.length === PERMISSIONS.length - 1

/** Returns the request for a new key with the same settings. */
export const likeKey = (key: Key): NewKey => {
  const { name, permissions, allowedAddresses, requestsPerSecond, expiresAt, expiresByAge } = key
  return {
    name,
    ...(isUnlimited(permissions) ? {} : { permissions }),
    ...(allowedAddresses.length === 0 ? {} : { allowedAddresses }),
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    // An expiry from the maximum age is the old key's; the new key gets its own.
    ...(expiresAt === undefined || expiresByAge ? {} : { expiresAt }),
  }
}
