import Joi from 'joi'
import { changeAudited } from '../../access/audited-change.js'
import { insertLiveAudience } from '../../audience/live/live-audiences.store.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { created, operation } from '../../http/operation.js'
import { nameSchema } from '../../http/params.js'
import type { SourceWithSecrets } from '../../interface/generated/types.js'
import { newId, newSecret } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { lockOrganizationForSources } from './organization.store.js'
import {
  checkSecrets,
  checkStatuses,
  checkTrust,
  countedStatusesSchema,
  NEEDS_SECRET,
  newWriteKey,
  rateSchema,
  secretSchema,
  sourceTypeSchema,
  sourceWithSecretsBody,
  toSourceBody,
  trustSchema,
  uncountedStatusesSchema,
  valueFromSchema,
} from './source.js'
import {
  countSources,
  hashWriteKey,
  insertSource,
  instagramSecretContext,
  requireSource,
  sourceSecretContext,
  verifyTokenContext,
} from './sources.store.js'

/** Create a source: an address for a shop, an app or an inbox to send to. Its own secrets are shown in this answer alone. */
export const createSource = operation({
  operationId: 'createSource',
  summary: 'Create a source: an address that a shop, an app or an inbox sends to.',
  description:
    'For an audience that follows what happens, beside imports (docs/intake.md). A key or secret that is made here is in this answer and in no other. From the first source on, values that conversations have are opening values, and purchases after them are added. Costs one small transaction.',
  route: 'POST /sources',
  permission: 'sources:manage',
  answers: [201, 400, 409],
  body: namedObject('NewSource', {
    type: sourceTypeSchema.required(),
    name: nameSchema.required(),
    secret: secretSchema.description(
      'The secret with which the other side signs: META (of the app) and SHOPIFY need it; WOOCOMMERCE makes one where none is given.',
    ),
    instagramSecret: secretSchema.description('META: the secret of the app of Instagram login, where there is one.'),
    valueFrom: valueFromSchema,
    countedStatuses: countedStatusesSchema,
    uncountedStatuses: uncountedStatusesSchema,
    keyIn: Joi.string()
      .valid('server', 'browser')
      .description(
        'EVENTS: where the write key will be: `server` by default. `browser` also means an app that people install.',
      ),
    trust: trustSchema.description(
      'EVENTS: how far its events are believed: `full` by default, and `times_only` if the key is in a browser, where anyone can read it.',
    ),
    deliveriesPerSecond: rateSchema,
  }),
  success: sourceWithSecretsBody,
  async handle({ body, principal }, context) {
    const { organizationId } = principal
    const { type, name, instagramSecret, valueFrom = 'total', deliveriesPerSecond = null } = body
    const { countedStatuses = [], uncountedStatuses = [] } = body
    checkSecrets(type, body, true)
    checkTrust(type, body)
    checkStatuses(type, body)
    const trust = body.trust ?? (body.keyIn === 'browser' ? 'times_only' : 'full')
    const at = new Date(context.clock.now())
    const sourceId = newId('src')
    const isMade = body.secret === undefined && NEEDS_SECRET[type] === 'made'
    const secret = isMade ? newSecret() : body.secret
    const verifyToken = type === 'META' ? newSecret() : undefined
    const writeKey = type === 'EVENTS' ? newWriteKey() : undefined
    const seal = (text: string | undefined, contextOf: typeof sourceSecretContext): string | null =>
      text === undefined ? null : context.sealer.seal(text, contextOf(organizationId, sourceId))
    const row = await changeAudited(context, principal, 'createSource', async (tx, record) => {
      await lockOrganizationForSources(tx, organizationId)
      if ((await countSources(tx, organizationId)) >= limit('sources')) throw new ApiError('sources_full')
      await insertLiveAudience(tx, organizationId, at)
      await insertSource(tx, {
        organization_id: organizationId,
        source_id: sourceId,
        type,
        name,
        secret_sealed: seal(secret, sourceSecretContext),
        second_secret_sealed: seal(instagramSecret, instagramSecretContext),
        verify_token_sealed: seal(verifyToken, verifyTokenContext),
        write_key_hash: writeKey === undefined ? null : hashWriteKey(writeKey),
        value_from: valueFrom,
        counted_statuses: countedStatuses,
        uncounted_statuses: uncountedStatuses,
        trust,
        deliveries_per_second: deliveriesPerSecond,
        created_at: at,
        updated_at: at,
      })
      await record('source', sourceId, {
        ...{ type, name, valueFrom },
        ...(type === 'EVENTS' && { trust }),
        ...(type === 'WOOCOMMERCE' && { countedStatuses, uncountedStatuses }),
      })
      return await requireSource(tx, organizationId, sourceId)
    })
    return created({
      ...toSourceBody(context.config, row, at.getTime()),
      ...(writeKey !== undefined && { writeKey }),
      ...(verifyToken !== undefined && { verifyToken }),
      ...(isMade && { secret }),
    } as SourceWithSecrets)
  },
})
