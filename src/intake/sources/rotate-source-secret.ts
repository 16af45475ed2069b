import Joi from 'joi'
import { changeAudited } from '../../access/audited-change.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { created, operation } from '../../http/operation.js'
import type { SecretRotation, SourceType, SourceWithSecrets } from '../../interface/generated/types.js'
import { newSecret } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { checkSecrets, NEEDS_SECRET, newWriteKey, secretSchema, sourceWithSecretsBody, toSourceBody } from './source.js'
import {
  hashWriteKey,
  lockSource,
  requireSource,
  sourceSecretContext,
  updateSourceRow,
  verifyTokenContext,
} from './sources.store.js'

/**
 * Replace the secret or write key of a source; the one before is accepted for another hour. Meta asks for its verify token
 * only while its dashboard saves the address, so that the token before ends at once.
 */
export const rotateSourceSecret = operation({
  operationId: 'rotateSourceSecret',
  summary: 'Replace the secret or write key of a source; the one before is accepted for another hour.',
  description:
    'For a secret that leaked, or from time to time. META and SHOPIFY: give the new secret of the other side. META: `renewVerifyToken` makes another verify token, also without a new secret. Rotated twice, the first secret ends at once. Not idempotent. Costs one small transaction.',
  route: 'POST /sources/{sourceId}/rotate-secret',
  permission: 'sources:manage',
  answers: [201, 400, 404],
  body: namedObject('SecretRotation', {
    secret: secretSchema.description('META and SHOPIFY: the new secret of the other side.'),
    renewVerifyToken: Joi.boolean().description('META: makes another verify token; the one before ends at once.'),
  }),
  bodyIsOptional: true,
  success: sourceWithSecretsBody,
  async handle({ params: { sourceId }, body, principal }, context) {
    const { organizationId } = principal
    const at = new Date(context.clock.now())
    const seal = (text: string, contextOf: typeof sourceSecretContext): string =>
      context.sealer.seal(text, contextOf(organizationId, sourceId))
    const answer = await changeAudited(context, principal, 'rotateSourceSecret', async (tx, record) => {
      const source = await lockSource(tx, organizationId, sourceId)
      const made = makeSecrets(source.type, body)
      const secret = made.secret ?? body.secret
      await updateSourceRow(tx, {
        ...source,
        ...((secret ?? made.writeKey) !== undefined && {
          previous_secret_sealed: source.secret_sealed,
          previous_key_hash: source.write_key_hash,
          previous_until: new Date(at.getTime() + limit('sourcePreviousSecretMs')),
        }),
        ...(secret !== undefined && { secret_sealed: seal(secret, sourceSecretContext) }),
        ...(made.writeKey !== undefined && { write_key_hash: hashWriteKey(made.writeKey) }),
        ...(made.verifyToken !== undefined && { verify_token_sealed: seal(made.verifyToken, verifyTokenContext) }),
        updated_at: at,
      })
      await record('source', sourceId, made.verifyToken === undefined ? undefined : { verifyTokenRenewed: true })
      const row = await requireSource(tx, organizationId, sourceId)
      return { ...toSourceBody(context.config, row, at.getTime()), ...made } satisfies SourceWithSecrets
    })
    return created(answer)
  },
})

/** The secrets that are made here. Throws source_secret_missing or source_secret_unexpected. */
function makeSecrets(
  type: SourceType,
  body: SecretRotation,
): Pick<SourceWithSecrets, 'secret' | 'verifyToken' | 'writeKey'> {
  const { renewVerifyToken = false } = body
  checkSecrets(type, body, !renewVerifyToken)
  if (type !== 'META' && renewVerifyToken) throw new ApiError('source_secret_unexpected')
  return {
    ...(type === 'EVENTS' && { writeKey: newWriteKey() }),
    ...(NEEDS_SECRET[type] === 'made' && body.secret === undefined && { secret: newSecret() }),
    ...(renewVerifyToken && { verifyToken: newSecret() }),
  }
}
