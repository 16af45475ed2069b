import { expect, test } from 'vitest'
import { likeKey, PERMISSIONS } from '../../src/console/settings/like-key.js'
import type { Key } from '../../src/interface/generated/types.js'

const key: Key = {
  id: 'key_1',
  name: 'warehouse',
  permissions: PERMISSIONS.filter((permission) => permission !== 'api'),
  allowedAddresses: [],
  createdAt: '2026-11-20T09:00:00.000Z',
}

test('a rotated key keeps its own expiry, but not one that follows from its age', () => {
  const expiresAt = '2027-02-18T09:00:00.000Z'
  expect(likeKey(key)).toEqual({ name: 'warehouse' })
  expect(likeKey({ ...key, expiresAt })).toEqual({ name: 'warehouse', expiresAt })
  expect(likeKey({ ...key, expiresAt, expiresByAge: true })).toEqual({ name: 'warehouse' })
})
