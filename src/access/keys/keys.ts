import Joi from 'joi'
import { actorBody, toActorBody } from '../../audit/actor.js'
import { changeAudited } from '../../audit/audited-change.js'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { created, ok, okList, operation } from '../../http/operation.js'
import { nameSchema, utcInstant } from '../../http/params.js'
import type { Principal } from '../../http/principal.js'
import type { AuditEntry, IssuedKey, Key, KeyPatch, KeyPermission } from '../../interface/generated/types.js'
import { KEY_SCOPE_NAMES } from '../../interface/key-permissions.js'
import { isSubnet } from '../../lib/addresses.js'
import { newId, newSecret } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { holdRights } from '../hold-rights.js'
import { endFields, endOf, parseExpiry, toEndBody } from '../maximum-age.js'
import { namedPermissions } from '../permissions.js'
import { requireWithinOwn } from './key-bounds.js'
import {
  insertKey,
  type KeyListRow,
  type KeyRefusals,
  type KeySettings,
  keySecretContext,
  listKeyRows,
  lockKey,
  noteReplacement,
  revokeKeyRow,
  updateKeyRow,
} from './keys.store.js'

const keyPermission = named('KeyPermission', Joi.string().valid(...KEY_SCOPE_NAMES))

const REQUESTS_PER_SECOND_MAX = 1_000_000

/** The bounds of a key in a request. */
const keyFields = {
  permissions: Joi.array()
    .items(keyPermission)
    .min(1)
    .unique()
    .description(
      'What the key may do; by default everything that a key can hold on /v1. With `api` it may also call /api. No key can approve posts: approval is for humans.',
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
    .description('Addresses and subnets (CIDR) from which the key works; any by default.'),
  expiresAt: utcInstant.description(
    'When the key expires: an ISO 8601 datetime in UTC (Z), in the future, and within the maximum age of a key if the server sets one.',
  ),
  requestsPerSecond: Joi.number()
    .integer()
    .min(0)
    .max(REQUESTS_PER_SECOND_MAX)
    .description('Requests per second, in bursts of up to twice as many; 0 for no limit.'),
}

/**
 * Throws permission_missing if the caller gives a key permissions that they do not hold; null means the default
 * permissions of a key. Otherwise a program could gain permissions by issuing a key.
 */
function requireToHold({ permissions }: Principal, given: readonly KeyPermission[] | null = null): void {
  const missing = namedPermissions(given).filter((permission) => permission !== 'api' && !permissions.has(permission))
  if (missing.length === 0) return
  const message = `You can give a key only what you hold yourself, and you do not hold ${missing.join(', ')}.`
  throw new ApiError('permission_missing', { message })
}

/** A key in a response, without its secret. */
const keyBody = namedObject('Key', {
  id: Joi.string().required(),
  name: Joi.string().required().allow(''),
  permissions: Joi.array().items(keyPermission).required(),
  allowedAddresses: Joi.array().items(Joi.string()).required().description('Empty if the key works from any address.'),
  requestsPerSecond: Joi.number().integer().description('0 for no limit. Absent if the limit of the server applies.'),
  createdAt: Joi.string().isoDate().required(),
  createdBy: actorBody.description('Absent for a key that was issued before this was recorded.'),
  ...endFields,
  lastUsedAt: Joi.string().isoDate().description('To the minute. Absent if the key was never used.'),
  revokedAt: Joi.string().isoDate().description('Absent while the key is live.'),
  replacedBy: Joi.string().description('The latest key that replaces this one. It may have been deleted since.'),
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
  ).description('Refused requests with this key. Absent if there were none. Updated once a minute.'),
})

function toKeyBody(row: KeyListRow, maxAgeMs: number | undefined): Key {
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

/** Secret scanners recognize this prefix (docs/security.md). */
export const KEY_SECRET_PREFIX = 'greenroom_secret_'

export const issueKey = operation({
  operationId: 'issueKey',
  summary: 'Issue a key. Only this response contains its secret.',
  description:
    'For a new integration, or to rotate a key without downtime: issue the new one, switch over, revoke the old one. Give it only the permissions, addresses and lifetime that it needs, because a signature does not cover the request. Not idempotent: each call issues a key. Costs one small transaction.',
  route: 'POST /keys',
  permission: 'settings:write',
  answers: [201, 400, 403, 404],
  body: namedObject('NewKey', {
    name: nameSchema.allow('').description('A name for people, such as what the key is for.'),
    ...keyFields,
    replaces: Joi.string().description(
      'The key that this one replaces. The old key keeps working until it is revoked.',
    ),
  }),
  bodyIsOptional: true,
  success: named('IssuedKey', (keyBody as Joi.ObjectSchema).keys({ secret: Joi.string().required() })),
  async handle({ body, principal }, context) {
    const { clock, config, sealer } = context
    const { organizationId, actor: createdBy } = principal
    const maxAgeMs = config.access.keyMaxAgeMs
    const expiresAt = parseExpiry(body.expiresAt, { now: new Date(clock.now()), maxAgeMs })
    requireToHold(principal, body.permissions)
    const keyId = newId('key')
    const secret = `${KEY_SECRET_PREFIX}${newSecret()}`
    const secretSealed = sealer.seal(secret, keySecretContext(keyId))
    const row = await changeAudited(context, principal, 'issueKey', async (tx, record, createdAt) => {
      await holdRights(tx, principal, 'settings:write')
      const settings = { ...UNBOUNDED, ...toSettings({ ...body, expiresAt }) }
      await requireWithinOwn(tx, principal, settings)
      const inserted = await insertKey(tx, { keyId, organizationId, createdAt, createdBy, secretSealed, ...settings })
      if (body.replaces !== undefined && !(await noteReplacement(tx, organizationId, body.replaces, keyId))) {
        throw new ApiError('key_not_found')
      }
      await record('key', keyId, Object.keys(body).length === 0 ? undefined : { ...body })
      return inserted
    })
    const { id, ...shown } = toKeyBody(row, maxAgeMs)
    return created({ id, secret, ...shown } satisfies IssuedKey)
  },
})

export const updateKey = operation({
  operationId: 'updateKey',
  summary: 'Change the name, permissions, addresses, expiry or rate limit of a live key.',
  description:
    'For a key that may do more than it needs, or less. Every node applies the change from the next request on, and the secret stays the same. A key that was revoked or has expired cannot be changed. Idempotent. Costs one small transaction.',
  route: 'PATCH /keys/{keyId}',
  permission: 'settings:write',
  answers: [200, 400, 403, 404, 409],
  body: named(
    'KeyPatch',
    Joi.object({
      name: nameSchema.allow(''),
      permissions: keyFields.permissions
        .allow(null)
        .description('What it may do; null for the default permissions of a key.'),
      allowedAddresses: keyFields.allowedAddresses,
      expiresAt: keyFields.expiresAt
        .allow(null)
        .description('When it expires: an ISO 8601 datetime in UTC (Z), in the future. null for no expiry.'),
      requestsPerSecond: keyFields.requestsPerSecond
        .allow(null)
        .description(
          'Requests per second, in bursts of up to twice as many; 0 for no limit. null for the limit of the server.',
        ),
    }).min(1),
  ),
  success: keyBody,
  async handle({ params: { keyId }, body, principal }, context) {
    if (body.permissions !== undefined) requireToHold(principal, body.permissions)
    const now = new Date(context.clock.now())
    const maxAgeMs = context.config.access.keyMaxAgeMs
    const { expiresAt: end } = body
    const settings = toSettings({ ...body, expiresAt: end == null ? end : parseExpiry(end, { now, maxAgeMs }) })
    const row = await changeAudited(context, principal, 'updateKey', async (tx, record) => {
      await holdRights(tx, principal, 'settings:write')
      await requireWithinOwn(tx, principal, settings)
      const key = await lockKey(tx, principal.organizationId, keyId)
      if (key === undefined) throw new ApiError('key_not_found')
      const endsAt = endOf(key, maxAgeMs).at
      if (key.revoked_at !== null || (endsAt !== null && endsAt <= now)) throw new ApiError('key_ended')
      await record('key', keyId, { ...body })
      return await updateKeyRow(tx, principal.organizationId, keyId, settings)
    })
    return ok(toKeyBody(row, maxAgeMs))
  },
})

/** The bounds of a key that is issued without any. */
const UNBOUNDED = { allowed_addresses: [], expires_at: null, requests_per_second: null } satisfies Partial<KeySettings>

/** Converts the given fields to columns. */
function toSettings({
  expiresAt,
  ...body
}: Omit<KeyPatch, 'expiresAt'> & { expiresAt: Date | null | undefined }): Partial<KeySettings> {
  const { name, permissions, allowedAddresses, requestsPerSecond } = body
  return {
    ...(name === undefined ? {} : { name }),
    ...(permissions === undefined ? {} : { permissions }),
    ...(allowedAddresses === undefined ? {} : { allowed_addresses: allowedAddresses }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    ...(requestsPerSecond === undefined ? {} : { requests_per_second: requestsPerSecond }),
  }
}

export const listKeys = operation({
  operationId: 'listKeys',
  summary: "List an organization's keys, oldest first, including revoked ones.",
  description:
    'For reviewing who can call, and for finding the key to revoke. Secrets are not included. Idempotent. Costs one read.',
  route: 'GET /keys',
  permission: 'settings:read',
  success: Joi.array().items(keyBody),
  async handle({ principal, meter }, { config, database }) {
    return okList(meter, await listKeyRows(database, principal.organizationId), (row) =>
      toKeyBody(row, config.access.keyMaxAgeMs),
    )
  },
})

export const revokeKey = operation({
  operationId: 'revokeKey',
  summary: 'Revoke a key.',
  description:
    'For a key that leaked or is no longer needed. Every node refuses it from its next request on; this cannot be undone. Idempotent: a second revocation keeps the first time. Costs one small transaction.',
  route: 'DELETE /keys/{keyId}',
  permission: 'settings:write',
  answers: [200, 404],
  success: keyBody,
  async handle({ params: { keyId }, principal }, context) {
    const row = await changeAudited(context, principal, 'revokeKey', async (tx, record, at) => {
      const revoked = await revokeKeyRow(tx, principal.organizationId, keyId, at)
      if (revoked === undefined) throw new ApiError('key_not_found')
      if (revoked.revoked_at?.getTime() === at.getTime()) await record('key', keyId)
      return revoked
    })
    return ok(toKeyBody(row, context.config.access.keyMaxAgeMs))
  },
})
