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
import { endFields, endOf, parseExpiry, toEndBody } from '../greatest-age.js'
import { holdRights } from '../hold-rights.js'
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

/** The bounds of a key in a body. */
const keyFields = {
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
    .description('Addresses and subnets (CIDR) from which it may be used; any by default.'),
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
function requireToHold({ permissions }: Principal, given: readonly KeyPermission[] | null = null): void {
  const missing = namedPermissions(given).filter((permission) => permission !== 'api' && !permissions.has(permission))
  if (missing.length === 0) return
  const message = `You can give a key only what you hold yourself, and you do not hold ${missing.join(', ')}.`
  throw new ApiError('permission_missing', { message })
}

/** A key as it goes out, never with its secret. */
const keyBody = namedObject('Key', {
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

/** Secret scanners find secrets by it (docs/security.md). */
export const KEY_SECRET_PREFIX = 'greenroom_secret_'

/**
 * Issue a key (interface 5). Its secret is in this answer and in no other. An organization may have several live
 * keys.
 */
export const issueKey = operation({
  operationId: 'issueKey',
  summary: 'Issue a key. Its secret is shown in this answer and never again.',
  description:
    'For a new integration, or to rotate a key without a gap: issue the new one, switch over, revoke the old one. Give it the permissions, addresses and time that it needs and no more: its signature does not cover what it asks for. Not idempotent: each call issues a key. Costs one small transaction.',
  route: 'POST /keys',
  permission: 'settings:write',
  answers: [201, 400, 403, 404],
  body: namedObject('NewKey', {
    name: nameSchema.allow('').description('For people: what the key is for.'),
    ...keyFields,
    replaces: Joi.string().description('The key in whose place it is issued, which goes on until it is revoked.'),
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

/** Changes what a live key may do. Its secret stays. */
export const updateKey = operation({
  operationId: 'updateKey',
  summary: 'Change the name of a live key, what it may do, from where, until when and how often.',
  description:
    'For a key that holds more than it needs, or a program that needs more: every node applies it from the next request on, and the program keeps its secret. A key that has ended stays so. Idempotent. Costs one small transaction.',
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
        .description('When it expires: an ISO 8601 datetime in UTC (Z), in the future. null for no expiry of its own.'),
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

/** The bounds of a key that is issued without its own. */
const UNBOUNDED = { allowed_addresses: [], expires_at: null, requests_per_second: null } satisfies Partial<KeySettings>

/** The columns of what is given. */
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

/** List an organization's keys, oldest first, revoked ones included, without their secrets. Idempotent. */
export const listKeys = operation({
  operationId: 'listKeys',
  summary: "List an organization's keys, oldest first, revoked ones included.",
  description: 'For reviewing who can call, and for finding the key to revoke. Secrets are not in it. Costs one read.',
  route: 'GET /keys',
  permission: 'settings:read',
  success: Joi.array().items(keyBody),
  async handle({ principal, meter }, { config, database }) {
    return okList(meter, await listKeyRows(database, principal.organizationId), (row) =>
      toKeyBody(row, config.access.keyMaxAgeMs),
    )
  },
})

/** Revoke a key: no node accepts it from now on. Idempotent: revoked again it keeps its first time. */
export const revokeKey = operation({
  operationId: 'revokeKey',
  summary: 'Revoke a key: it is refused from now on.',
  description:
    'For a key that leaked or is no longer needed: every node refuses it from its next request on, for good. Idempotent. Costs one small transaction.',
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
