import Joi from 'joi'
import { ApiError } from '../errors.js'
import { named, namedObject } from '../http/named.js'
import { created, operation } from '../http/operation.js'
import { nameSchema } from '../http/params.js'
import type { IssuedKey } from '../interface/generated/types.js'
import { newId, newSecret } from '../lib/ids.js'
import { recordAudit } from './audit.store.js'
import { parseExpiry } from './greatest-age.js'
import { holdRights } from './hold-rights.js'
import { keyBody, keyFields, requireToHold, toKeyBody } from './key.js'
import { requireWithinOwn } from './key-bounds.js'
import { insertKey, keySecretContext, noteReplacement } from './keys.store.js'

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
  async handle({ body, principal }, { config, database, clock, sealer }) {
    const { organizationId, actor } = principal
    const now = new Date(clock.now())
    const expiresAt = parseExpiry(body.expiresAt, { now, maxAgeMs: config.access.keyMaxAgeMs })
    requireToHold(principal, body.permissions)
    const key = { keyId: newId('key'), organizationId, createdAt: now, createdBy: actor }
    const secret = `${KEY_SECRET_PREFIX}${newSecret()}`
    const settings = {
      name: body.name ?? '',
      permissions: body.permissions ?? null,
      allowed_addresses: body.allowedAddresses ?? [],
      expires_at: expiresAt,
      requests_per_second: body.requestsPerSecond ?? null,
    }
    const row = await database.transaction(async (tx) => {
      await holdRights(tx, principal, 'settings:write')
      await requireWithinOwn(tx, principal, settings)
      const secretSealed = sealer.seal(secret, keySecretContext(key.keyId))
      const inserted = await insertKey(tx, { ...key, secretSealed, ...settings })
      if (body.replaces !== undefined) {
        const isThere = await noteReplacement(tx, organizationId, body.replaces, key.keyId)
        if (!isThere) throw new ApiError('key_not_found')
      }
      await recordAudit(tx, {
        principal,
        at: key.createdAt,
        operation: 'issueKey',
        target: { type: 'key', id: key.keyId },
        ...(Object.keys(body).length === 0 ? {} : { changes: { ...body } }),
      })
      return inserted
    })
    const { id, ...shown } = toKeyBody(row, config.access.keyMaxAgeMs)
    return created({ id, secret, ...shown } satisfies IssuedKey)
  },
})
