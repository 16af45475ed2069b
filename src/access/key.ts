import Joi from 'joi'
import type { Key } from '../interface/access.js'
import type { KeyListRow } from './keys.store.js'

/** A key as it goes out, never with its secret: `{id, createdAt, revokedAt?}`. */
export const keyBody = Joi.object<Key, true>({
  id: Joi.string().required(),
  createdAt: Joi.string().isoDate().required(),
  revokedAt: Joi.string().isoDate().description('Absent while the key is live.'),
})

export const toKeyBody = (row: KeyListRow): Key => ({
  id: row.key_id,
  createdAt: row.created_at.toISOString(),
  ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at.toISOString() }),
})
