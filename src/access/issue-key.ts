import Joi from 'joi'
import { created, operation } from '../http/operation.js'
import { nameSchema, utcInstant } from '../http/params.js'
import type { IssuedKey, NewKey } from '../interface/access.js'
import { isSubnet } from '../lib/addresses.js'
import { newId, newSecret } from '../lib/ids.js'
import { limit } from '../lib/limits.js'
import { recordAudit } from './audit.store.js'
import { parseExpiry } from './greatest-age.js'
import { holdRights } from './hold-rights.js'
import { keyBody, keyPermission, toKeyBody } from './key.js'
import { insertKey, keySecretContext } from './keys.store.js'

/** Secret scanners find secrets by it (docs/security.md). */
export const KEY_SECRET_PREFIX = 'greenroom_secret_'

const REQUESTS_PER_SECOND_MAX = 1_000_000

/**
 * Issue a key (interface 5). Its secret is in this answer and in no other. An organization may have several live
 * keys.
 */
export const issueKey = operation({
  operationId: 'issueKey',
  summary: 'Issue a key. Its secret is shown in this answer and never again.',
  description:
    'For a new integration, or to rotate a key without a gap: issue the new one, switch over, revoke the old one. Give it the permissions, addresses and time that it needs and no more: its signature does not cover what it asks for. Not idempotent: each call issues a key. Costs one small transaction.',
  method: 'POST',
  path: '/keys',
  surfaces: ['operator', 'console'],
  permission: 'settings:write',
  answers: [201, 400],
  body: Joi.object<NewKey, true>({
    name: nameSchema.allow('').description('For people: what the key is for.'),
    permissions: Joi.array()
      .items(keyPermission)
      .min(1)
      .unique()
      .description('All that a key may hold unless said. Approval is for humans: no key holds it.'),
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
      .description('Addresses and subnets (CIDR) that it may be used from; any unless said.'),
    expiresAt: utcInstant.description(
      'From then on it is refused: an ISO 8601 datetime in UTC (Z), in the future, and within the greatest age of a key where the server sets one.',
    ),
    requestsPerSecond: Joi.number()
      .integer()
      .min(0)
      .max(REQUESTS_PER_SECOND_MAX)
      .description('How many requests a second it may make, in bursts of twice as many; 0 for no limit.'),
  }),
  bodyIsOptional: true,
  success: (keyBody as Joi.ObjectSchema).keys({ secret: Joi.string().required() }),
  async handle({ body, principal }, { config, database, clock, sealer }) {
    const { organizationId, actor } = principal
    const now = new Date(clock.now())
    const expiresAt = parseExpiry(body.expiresAt, { now, maxAgeMs: config.access.keyMaxAgeMs })
    const key = { keyId: newId('key'), organizationId, createdAt: now, createdBy: actor }
    const secret = `${KEY_SECRET_PREFIX}${newSecret()}`
    const row = await database.transaction(async (tx) => {
      await holdRights(tx, principal, 'settings:write')
      const inserted = await insertKey(tx, {
        ...key,
        secretSealed: sealer.seal(secret, keySecretContext(key.keyId)),
        name: body.name ?? '',
        permissions: body.permissions ?? null,
        allowed_addresses: body.allowedAddresses ?? [],
        expires_at: expiresAt,
        requests_per_second: body.requestsPerSecond ?? null,
      })
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
