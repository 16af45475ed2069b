import Joi from 'joi'
import type { AuditEntry, Key } from '../interface/access.js'
import { KEY_PERMISSION_NAMES } from '../interface/key-permissions.js'
import { actorBody, toActorBody } from './actor.js'
import { endFields, toEndBody } from './greatest-age.js'
import type { KeyListRow } from './keys.store.js'
import { namedPermissions } from './permissions.js'

export const keyPermission = Joi.string().valid(...KEY_PERMISSION_NAMES)

/** A key as it goes out, never with its secret. */
export const keyBody = Joi.object<Key, true>({
  id: Joi.string().required(),
  name: Joi.string().required().allow(''),
  permissions: Joi.array().items(keyPermission).required(),
  allowedAddresses: Joi.array().items(Joi.string()).required().description('Empty: it may be used from any address.'),
  requestsPerSecond: Joi.number().integer().description('0 for no limit; absent: as many as the server allows a key.'),
  createdAt: Joi.string().isoDate().required(),
  createdBy: actorBody.description('Absent for a key from before this was written down.'),
  ...endFields,
  lastUsedAt: Joi.string().isoDate().description('To the minute; absent while it was never used.'),
  revokedAt: Joi.string().isoDate().description('Absent while the key is live.'),
})

export function toKeyBody(row: KeyListRow, maxAgeMs: number | undefined): Key {
  const createdBy: AuditEntry['actor'] | undefined =
    row.created_by_type === null ? undefined : toActorBody(row.created_by_type, row.created_by_id)
  return {
    id: row.key_id,
    name: row.name,
    permissions: namedPermissions(row.permissions),
    allowedAddresses: row.allowed_addresses,
    ...(row.requests_per_second === null ? {} : { requestsPerSecond: row.requests_per_second }),
    createdAt: row.created_at.toISOString(),
    ...(createdBy === undefined ? {} : { createdBy }),
    ...toEndBody(row, maxAgeMs),
    ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at.toISOString() }),
    ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at.toISOString() }),
  }
}
