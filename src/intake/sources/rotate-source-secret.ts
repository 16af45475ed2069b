import Joi from 'joi'
import { changeAudited } from '../../access/audited-change.js'
import { created, operation } from '../../http/operation.js'
import type { SecretRotation, SourceWithSecrets } from '../../interface/intake.js'
import { newSecret } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import {
  checkSecrets,
  NEEDS_SECRET,
  newWriteKey,
  secretSchema,
  sourceParams,
  sourceWithSecretsBody,
  toSourceBody,
} from './source.js'
import { hashWriteKey, lockSource, requireSource, sourceSecretContext, updateSourceRow } from './sources.store.js'

/** Replace the secret or write key of a source. The one before is accepted for another hour. */
export const rotateSourceSecret = operation({
  operationId: 'rotateSourceSecret',
  summary: 'Replace the secret or write key of a source; the one before is accepted for another hour.',
  description:
    'For a secret that leaked, or from time to time. META and SHOPIFY: give the new secret of the other side. Rotated twice, the first one ends at once. Not idempotent. Costs one small transaction.',
  method: 'POST',
  path: '/sources/{sourceId}/rotate-secret',
  surfaces: ['operator', 'console'],
  permission: 'sources:manage',
  answers: [201, 400, 404],
  params: sourceParams,
  body: Joi.object<SecretRotation, true>({ secret: secretSchema }),
  bodyIsOptional: true,
  success: sourceWithSecretsBody,
  async handle({ params: { sourceId }, body, principal }, context) {
    const { organizationId } = principal
    const at = new Date(context.clock.now())
    const answer = await changeAudited(context, principal, 'rotateSourceSecret', async (tx, record) => {
      const source = await lockSource(tx, organizationId, sourceId)
      checkSecrets(source.type, body, true)
      const isEvents = source.type === 'EVENTS'
      const isMade = NEEDS_SECRET[source.type] === 'made' && body.secret === undefined
      const secret = isEvents ? newWriteKey() : isMade ? newSecret() : body.secret!
      await updateSourceRow(tx, {
        ...source,
        previous_secret_sealed: source.secret_sealed,
        previous_key_hash: source.write_key_hash,
        previous_until: new Date(at.getTime() + limit('sourcePreviousSecretMs')),
        secret_sealed: isEvents ? null : context.sealer.seal(secret, sourceSecretContext(organizationId, sourceId)),
        write_key_hash: isEvents ? hashWriteKey(secret) : null,
        updated_at: at,
      })
      await record('source', sourceId)
      const row = await requireSource(tx, organizationId, sourceId)
      return {
        ...toSourceBody(context.config, row, at.getTime()),
        ...(isEvents && { writeKey: secret }),
        ...(isMade && { secret }),
      } satisfies SourceWithSecrets
    })
    return created(answer)
  },
})
