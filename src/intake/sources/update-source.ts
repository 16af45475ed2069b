import Joi from 'joi'
import { changeAudited } from '../../access/audited-change.js'
import { named } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { nameSchema } from '../../http/params.js'
import {
  checkSecrets,
  checkStatuses,
  checkTrust,
  countedStatusesSchema,
  rateSchema,
  secretSchema,
  sourceBody,
  toSourceBody,
  trustSchema,
  uncountedStatusesSchema,
  valueFromSchema,
} from './source.js'
import {
  instagramSecretContext,
  lockSource,
  requireSource,
  sourceSecretContext,
  updateSourceRow,
} from './sources.store.js'

/** Change a source. A secret that is given replaces the other at once; rotate-secret lets both hold for an hour. */
export const updateSource = operation({
  operationId: 'updateSource',
  summary: 'Change the name, the amount and statuses that count, the trust, the rate or the secrets of a source.',
  description:
    'A secret that is given here replaces the present one at once, and one that was replaced before: to let both hold for an hour, use rotate-secret. Another `valueFrom` or `trust`, and other statuses, concern what is applied from then on. Idempotent. Costs one small transaction.',
  route: 'PATCH /sources/{sourceId}',
  permission: 'sources:manage',
  answers: [200, 400, 404],
  body: named(
    'SourcePatch',
    Joi.object({
      name: nameSchema,
      secret: secretSchema.description('The secret with which the other side signs, in place of the present one.'),
      instagramSecret: secretSchema
        .allow(null)
        .description('META: the secret of the app of Instagram login; null removes it.'),
      valueFrom: valueFromSchema,
      countedStatuses: countedStatusesSchema,
      uncountedStatuses: uncountedStatusesSchema,
      trust: trustSchema,
      deliveriesPerSecond: rateSchema
        .allow(null)
        .description('Deliveries a second, beyond which 429 is answered; null for as many as the server allows.'),
    }).min(1),
  ),
  success: sourceBody,
  async handle({ params: { sourceId }, body, principal }, context) {
    const { organizationId } = principal
    const at = new Date(context.clock.now())
    /** A secret that is not given stays as it was; null removes it. */
    const seal = (text: string | null | undefined, before: string | null, contextOf: typeof sourceSecretContext) =>
      text === undefined ? before : text && context.sealer.seal(text, contextOf(organizationId, sourceId))
    const row = await changeAudited(context, principal, 'updateSource', async (tx, record) => {
      const source = await lockSource(tx, organizationId, sourceId)
      checkSecrets(source.type, body, false)
      checkTrust(source.type, body)
      checkStatuses(source.type, body)
      const { name, secret, instagramSecret, valueFrom, trust, deliveriesPerSecond } = body
      const { countedStatuses, uncountedStatuses } = body
      await updateSourceRow(tx, {
        ...source,
        name: name ?? source.name,
        secret_sealed: seal(secret, source.secret_sealed, sourceSecretContext),
        second_secret_sealed: seal(instagramSecret, source.second_secret_sealed, instagramSecretContext),
        value_from: valueFrom ?? source.value_from,
        counted_statuses: countedStatuses ?? source.counted_statuses,
        uncounted_statuses: uncountedStatuses ?? source.uncounted_statuses,
        trust: trust ?? source.trust,
        deliveries_per_second: deliveriesPerSecond === undefined ? source.deliveries_per_second : deliveriesPerSecond,
        updated_at: at,
        ...(secret !== undefined && { previous_secret_sealed: null, previous_until: null }),
      })
      await record('source', sourceId, {
        ...(name !== undefined && { name }),
        ...(valueFrom !== undefined && { valueFrom }),
        ...(countedStatuses !== undefined && { countedStatuses }),
        ...(uncountedStatuses !== undefined && { uncountedStatuses }),
        ...(trust !== undefined && { trust }),
        ...(deliveriesPerSecond !== undefined && { deliveriesPerSecond }),
        ...(secret !== undefined && { secretChanged: true }),
        ...(instagramSecret !== undefined && { instagramSecretChanged: true }),
      })
      return await requireSource(tx, organizationId, sourceId)
    })
    return ok(toSourceBody(context.config, row, at.getTime()))
  },
})
