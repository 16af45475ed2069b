import type { Key, KeyPermission, NewKey } from '../../interface/generated/types.ts'
import { settings as words } from '../words.ts'

export const PERMISSIONS = Object.keys(words.permissions) as KeyPermission[]

/** Tells if a key holds everything that it gets when it is issued without a list. */
export const isUnlimited = (permissions: readonly KeyPermission[]): boolean =>
  !permissions.includes('api') && permissions.length === PERMISSIONS.length - 1

/** Another secret for what the key is. */
export const likeKey = (key: Key): NewKey => {
  const { name, permissions, allowedAddresses, requestsPerSecond, expiresAt, expiresByAge } = key
  return {
    name,
    ...(isUnlimited(permissions) ? {} : { permissions }),
    ...(allowedAddresses.length === 0 ? {} : { allowedAddresses }),
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    // An end by age is the old key's: the new one gets its own.
    ...(expiresAt === undefined || expiresByAge ? {} : { expiresAt }),
  }
}
