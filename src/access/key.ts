import Joi from 'joi'
import { ApiError } from '../errors.js'
import { named, namedObject } from '../http/named.js'
import { utcInstant } from '../http/params.js'
import type { Principal } from '../http/principal.js'
import type { AuditEntry, Key, KeyPermission } from '../interface/generated/types.js'
import { KEY_SCOPE_NAMES } from '../interface/key-permissions.js'
import { isSubnet } from '../lib/addresses.js'
import { limit } from '../lib/limits.js'
import { actorBody, toActorBody } from './actor.js'
import { endFields, toEndBody } from './greatest-age.js'
import type { KeyListRow, KeyRefusals } from './keys.store.js'
import { namedPermissions } from './permissions.js'

const keyPermission = named('KeyPermission', Joi.string().valid(...KEY_SCOPE_NAMES))

const REQUESTS_PER_SECOND_MAX = 1_000_000

/** The bounds of a key in a body. */
export const keyFields = {
  permissions: Joi.array()
    .items(keyPermission)
    .min(1)
    .unique()
    .description(
      'All that a key may hold on /v1 by default; with `api` it may call /api too. Approval is for humans: no key holds it.',
    ),
  allowedAddresses: Joi.array()
    .items(
      Joi.string()
        .max(64)
        .custom((value: string, helpers) => (isSubnet(value) ? value : helpers.error('address.subnet')))
        .messages({
          'address.subnet': '{{#label}} must be an IP address or a subnet, such as 192.0.2.7 or 2001:db8::/32',
        }),
    )
    .max(limit('keyAddresses'))
    .description('Addresses and subnets (CIDR) that it may be used from; by default any.'),
  expiresAt: utcInstant.description(
    'From then on it is refused: an ISO 8601 datetime in UTC (Z), in the future, and within the greatest age of a key where the server sets one.',
  ),
  requestsPerSecond: Joi.number()
    .integer()
    .min(0)
    .max(REQUESTS_PER_SECOND_MAX)
    .description('How many requests a second it may make, in bursts of twice as many; 0 for no limit.'),
}

/**
 * Throws permission_missing for permissions of a key that the caller does not hold; null or none: all that a key gets by
 * default. A program could otherwise give itself more by a key that it issues.
 */
export function requireToHold({ permissions }: Principal, given: readonly KeyPermission[] | null = null): void {
  const missing = namedPermissions(given).filter((permission) => permission !== 'api' && !permissions.has(permission))
  if (missing.length === 0) return
  const message = `You can give a key only what you hold yourself, and you do not hold ${missing.join(', ')}.`
  throw new ApiError('permission_missing', { message })
}

/** A key as it goes out, never with its secret. */
export const keyBody = namedObject('Key', {
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
  replacedBy: Joi.string().description('The key that was last issued in its place, which may be removed by now.'),
  refused: named(
    'RefusedRequests',
    Joi.object({
      count: Joi.number().integer().required(),
      lastAt: Joi.string().isoDate().required(),
      lastReason: named(
        'KeyRefusal',
        Joi.string().valid('signature', 'ended', 'address', 'permission', 'rate'),
      ).required(),
    }),
  ).description('Requests that named it and were refused; absent while there was none. Written once a minute.'),
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
    ...(row.replaced_by === null ? {} : { replacedBy: row.replaced_by }),
    ...(row.refused === null ? {} : { refused: toRefusedBody(row.refused) }),
  }
}

const toRefusedBody = ({ count, last_at: lastAt, last_reason: lastReason }: KeyRefusals): Key['refused'] => ({
  count,
  lastAt: new Date(lastAt).toISOString(),
  lastReason,
})
