import Joi from 'joi'
import { created, operatorOperation } from '../http/operation.js'
import { organizationParams } from '../http/params.js'
import type { IssuedKey } from '../interface/access.js'
import { newId, newSecret } from '../lib/ids.js'
import { insertKey, keySecretContext } from './keys.store.js'
import { requireOrganization } from './organizations.store.js'

/** Issue a key (interface 5). Its secret is in this answer and in no other. An organization may have several live keys. */
export const issueKey = operatorOperation({
  operationId: 'issueKey',
  summary: 'Issue a key. Its secret is shown in this answer and never again.',
  method: 'POST',
  path: '/organizations/{organizationId}/keys',
  answers: [201, 401, 404, 422],
  params: organizationParams,
  success: Joi.object<IssuedKey, true>({
    id: Joi.string().required(),
    secret: Joi.string().required(),
    createdAt: Joi.string().isoDate().required(),
  }),
  async handle({ params: { organizationId } }, { database, clock, sealer }) {
    await requireOrganization(database, organizationId)
    const key = { keyId: newId('key'), organizationId, createdAt: new Date(clock.now()) }
    const secret = newSecret()
    await insertKey(database, { ...key, secretSealed: sealer.seal(secret, keySecretContext(key.keyId)) })
    return created({ id: key.keyId, secret, createdAt: key.createdAt.toISOString() })
  },
})
