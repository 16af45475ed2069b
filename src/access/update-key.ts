import Joi from 'joi'
import { ApiError } from '../errors.js'
import { named } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { nameSchema } from '../http/params.js'
import type { KeyPatch } from '../interface/generated/types.js'
import { recordAudit } from './audit.store.js'
import { endOf, parseExpiry } from './greatest-age.js'
import { holdRights } from './hold-rights.js'
import { keyBody, keyFields, requireToHold, toKeyBody } from './key.js'
import { type KeySettings, lockKey, updateKeyRow } from './keys.store.js'

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
        .description('What it may do; null for all that a key holds by default.'),
      allowedAddresses: keyFields.allowedAddresses,
      expiresAt: keyFields.expiresAt
        .allow(null)
        .description(
          'From then on it is refused: an ISO 8601 datetime in UTC (Z), in the future. null for no end of its own.',
        ),
      requestsPerSecond: keyFields.requestsPerSecond
        .allow(null)
        .description(
          'How many requests a second it may make, in bursts of twice as many; 0 for no limit. null for as many as the server allows.',
        ),
    }).min(1),
  ),
  success: keyBody,
  async handle({ params: { keyId }, body, principal }, { config, database, clock }) {
    if (body.permissions !== undefined) requireToHold(principal, body.permissions)
    const now = new Date(clock.now())
    const maxAgeMs = config.access.keyMaxAgeMs
    const { expiresAt: end, ...others } = body
    const expiresAt = end == null ? end : parseExpiry(end, { now, maxAgeMs })
    const row = await database.transaction(async (tx) => {
      await holdRights(tx, principal, 'settings:write')
      const key = await lockKey(tx, principal.organizationId, keyId)
      if (key === undefined) throw new ApiError('key_not_found')
      const endsAt = endOf(key, maxAgeMs).at
      if (key.revoked_at !== null || (endsAt !== null && endsAt <= now)) throw new ApiError('key_ended')
      const target = { type: 'key', id: keyId } as const
      await recordAudit(tx, { principal, at: now, operation: 'updateKey', target, changes: { ...body } })
      return await updateKeyRow(tx, principal.organizationId, keyId, toSettings({ ...others, expiresAt }))
    })
    return ok(toKeyBody(row, maxAgeMs))
  },
})

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
