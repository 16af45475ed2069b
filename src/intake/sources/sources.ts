import Joi from 'joi'
import { insertLiveAudience } from '../../audience/live/live-audiences.store.js'
import { changeAudited } from '../../audit/audited-change.js'
import { ApiError } from '../../errors.js'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { named, namedObject } from '../../http/named.js'
import { created, ok, operation } from '../../http/operation.js'
import { limitSchema, nameSchema } from '../../http/params.js'
import type {
  SecretRotation,
  Source,
  SourceDeletion,
  SourceType,
  SourceWithSecrets,
} from '../../interface/generated/types.js'
import { newId, newSecret } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import {
  checkSecrets,
  checkStatuses,
  checkTrust,
  countedStatusesSchema,
  NEEDS_SECRET,
  newWriteKey,
  rateSchema,
  secretSchema,
  sourceBody,
  sourceTypeSchema,
  sourceWithSecretsBody,
  toSourceBody,
  trustSchema,
  uncountedStatusesSchema,
  valueFromSchema,
} from './source.js'
import {
  countSources,
  deleteSourceRow,
  hashWriteKey,
  insertSource,
  instagramSecretContext,
  listSourceRows,
  lockOrganizationForSources,
  lockSource,
  requireSource,
  sourceSecretContext,
  updateSourceRow,
  verifyTokenContext,
} from './sources.store.js'

const PAGE = { fallback: 50, max: 200 }

/** List the organization's sources, with what each did last. */
export const listSources = operation({
  operationId: 'listSources',
  summary: 'List the sources of the organization, each with its last activity.',
  description:
    'Use it to see what arrives, what is waiting, and what is refused and why. Figures are a few seconds old. Costs one index scan.',
  route: 'GET /sources',
  permission: 'sources:read',
  answers: [200],
  query: Joi.object({
    limit: limitSchema.default(PAGE.fallback).description('Sources per page: 50 by default, 200 at most.'),
    after: afterSchema,
  }),
  success: pageBody<Source>(sourceBody),
  async handle({ query, principal: { organizationId }, meter }, { config, clock, database, cursorKey }) {
    const rows = Math.min(query.limit, PAGE.max)
    const scope = ['sources', organizationId]
    const [after] = readCursor<[string]>(cursorKey, scope, query.after, 'the nextCursor of the previous page') ?? []
    const found = await listSourceRows(database, organizationId, { after, rows: rows + 1 })
    const page = found.slice(0, rows)
    meter.rows = page.length
    const next = found.length > rows ? [page.at(-1)!.source_id] : undefined
    return ok(
      toPage(
        cursorKey,
        scope,
        page.map((row) => toSourceBody(config, row, clock.now())),
        next,
      ),
    )
  },
})

export const getSource = operation({
  operationId: 'getSource',
  summary: 'Read one source, with its last activity.',
  description: 'Use it after setting up the other side, to see whether deliveries arrive. Costs one look-up.',
  route: 'GET /sources/{sourceId}',
  permission: 'sources:read',
  answers: [200, 404],
  success: sourceBody,
  async handle({ params: { sourceId }, principal: { organizationId } }, { config, clock, database }) {
    return ok(toSourceBody(config, await requireSource(database, organizationId, sourceId), clock.now()))
  },
})

/** Create a source: an address for a shop, an app or an inbox. Only this response shows the secrets that it creates. */
export const createSource = operation({
  operationId: 'createSource',
  summary: 'Create a source: an address that a shop, an app or an inbox sends to.',
  description:
    'Use it to keep the audience up to date between imports (docs/intake.md). Only this response shows a key or secret that the service makes. Once there is a source, the existing values of conversations are opening values, and later purchases are added to them. Costs one small transaction.',
  route: 'POST /sources',
  permission: 'sources:manage',
  answers: [201, 400, 409],
  body: namedObject('NewSource', {
    type: sourceTypeSchema.required(),
    name: nameSchema.required(),
    secret: secretSchema.description(
      'The secret with which the other side signs. META (the app secret) and SHOPIFY need it; for WOOCOMMERCE the service makes one if it is absent.',
    ),
    instagramSecret: secretSchema.description('META: the secret of the app for Instagram login, if there is one.'),
    valueFrom: valueFromSchema,
    countedStatuses: countedStatusesSchema,
    uncountedStatuses: uncountedStatusesSchema,
    keyIn: Joi.string()
      .valid('server', 'browser')
      .description(
        'EVENTS: where the write key is used, `server` by default. `browser` includes apps that people install.',
      ),
    trust: trustSchema.description(
      'EVENTS: how far its events are trusted. `full` by default, and `times_only` if the key is used in a browser, where anyone can read it.',
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

/** Change a source. A given secret replaces the other at once; with rotate-secret both are valid for an hour. */
export const updateSource = operation({
  operationId: 'updateSource',
  summary: 'Change a source: its name, the amount and statuses that count, its trust, rate or secrets.',
  description:
    'A secret given here replaces the current one at once, and also the previous one if it is still accepted. To keep the old one valid for an hour, use rotate-secret. A new `valueFrom` or `trust`, and new statuses, apply to deliveries from then on. Idempotent. Costs one small transaction.',
  route: 'PATCH /sources/{sourceId}',
  permission: 'sources:manage',
  answers: [200, 400, 404],
  body: named(
    'SourcePatch',
    Joi.object({
      name: nameSchema,
      secret: secretSchema.description('The secret with which the other side signs. It replaces the current one.'),
      instagramSecret: secretSchema
        .allow(null)
        .description('META: the secret of the app for Instagram login; null removes it.'),
      valueFrom: valueFromSchema,
      countedStatuses: countedStatusesSchema,
      uncountedStatuses: uncountedStatusesSchema,
      trust: trustSchema,
      deliveriesPerSecond: rateSchema
        .allow(null)
        .description(
          'The maximum number of deliveries per second; above it the response is 429. null for the limit of the server.',
        ),
    }).min(1),
  ),
  success: sourceBody,
  async handle({ params: { sourceId }, body, principal }, context) {
    const { organizationId } = principal
    const at = new Date(context.clock.now())
    /** A secret that is not given stays; null removes it. */
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

/**
 * Replace the secret or write key of a source. The previous one is accepted for another hour. Meta asks for its verify token
 * only while its dashboard saves the address, so the previous token expires at once.
 */
export const rotateSourceSecret = operation({
  operationId: 'rotateSourceSecret',
  summary: 'Replace the secret or write key of a source. The previous one is accepted for another hour.',
  description:
    'Use it if a secret leaked, or from time to time. META and SHOPIFY: give the new secret of the other side. META: `renewVerifyToken` makes another verify token, even without a new secret. After a second rotation the first secret is refused at once. Not idempotent. Costs one small transaction.',
  route: 'POST /sources/{sourceId}/rotate-secret',
  permission: 'sources:manage',
  answers: [201, 400, 404],
  body: namedObject('SecretRotation', {
    secret: secretSchema.description('META and SHOPIFY: the new secret of the other side.'),
    renewVerifyToken: Joi.boolean().description(
      'META: makes another verify token; the previous one is refused at once.',
    ),
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

/** Returns the secrets created here. Throws source_secret_missing or source_secret_unexpected. */
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

/** Remove a source, with its waiting deliveries and its problems. Purchases and links from it stay. */
export const deleteSource = operation({
  operationId: 'deleteSource',
  summary: 'Remove a source with its waiting deliveries and problems. The purchases and links that it brought stay.',
  description:
    'Use it when a shop or an app is no longer connected. Its address then answers 401, on every node within 5 seconds. Costs one transaction that deletes its deliveries.',
  route: 'DELETE /sources/{sourceId}',
  permission: 'sources:manage',
  answers: [200, 404],
  success: namedObject('SourceDeletion', { id: Joi.string().required() }),
  async handle({ params: { sourceId }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'deleteSource', async (tx, record) => {
      const { type, name } = await lockSource(tx, organizationId, sourceId)
      await deleteSourceRow(tx, organizationId, sourceId)
      await record('source', sourceId, { type, name })
    })
    return ok({ id: sourceId } satisfies SourceDeletion)
  },
})
