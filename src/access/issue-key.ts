import Joi from 'joi'
import { created, operation } from '../http/operation.js'
import type { IssuedKey } from '../interface/access.js'
import { newId, newSecret } from '../lib/ids.js'
import { recordAudit } from './audit.store.js'
import { insertKey, keySecretContext } from './keys.store.js'

/** Issue a key (interface 5). Its secret is in this answer and in no other. An organization may have several live keys. */
export const issueKey = operation({
  operationId: 'issueKey',
  summary: 'Issue a key. Its secret is shown in this answer and never again.',
  description:
    'For a new integration, or to rotate a key without a gap: issue the new one, switch over, revoke the old one. Not idempotent: each call issues a key. Costs one small transaction.',
  method: 'POST',
  path: '/keys',
  surfaces: ['operator', 'console'],
  permission: 'settings:write',
  answers: [201],
  success: Joi.object<IssuedKey, true>({
    id: Joi.string().required(),
    secret: Joi.string().required(),
    createdAt: Joi.string().isoDate().required(),
  }),
  async handle({ principal }, { database, clock, sealer }) {
    const { organizationId } = principal
    const key = { keyId: newId('key'), organizationId, createdAt: new Date(clock.now()) }
    const secret = newSecret()
    const secretSealed = sealer.seal(secret, keySecretContext(key.keyId))
    await database.transaction(async (tx) => {
      await insertKey(tx, { ...key, secretSealed })
      await recordAudit(tx, {
        principal,
        at: key.createdAt,
        operation: 'issueKey',
        target: { type: 'key', id: key.keyId },
      })
    })
    return created({ id: key.keyId, secret, createdAt: key.createdAt.toISOString() })
  },
})
