import Joi, { type ObjectSchema } from 'joi'
import type { Config } from '../../config/index.js'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { unrepeated } from '../../http/params.js'
import type { NewSource, Source, SourceType, SourceWithSecrets } from '../../interface/generated/types.js'
import { newSecret } from '../../lib/ids.js'
import { endsOrder, slugOf } from '../decoders/order-states.js'
import type { ActiveSourceRow, SourceRow } from './sources.store.js'

const SECRET_CHARS = { min: 8, max: 512 }

export const secretSchema = unrepeated(Joi.string().min(SECRET_CHARS.min).max(SECRET_CHARS.max))
export const sourceTypeSchema = named('SourceType', Joi.string().valid('META', 'SHOPIFY', 'WOOCOMMERCE', 'EVENTS'))
export const valueFromSchema = named('ValueFrom', Joi.string().valid('total', 'revenue')).description(
  'The amount of an order that counts: `total` with shipping and tax, `revenue` without them.',
)
const SLUG = /^[\p{L}\p{N}_-]{1,40}$/u
/** Slugs of statuses, however they are written: `wc-shipped`, `Ready to ship`. */
const statusesSchema = (isAllowed: (slug: string) => boolean) =>
  Joi.array()
    .items(
      Joi.string()
        .max(60)
        .custom((text: string, { error }) => {
          const slug = slugOf(text)
          return SLUG.test(slug) && isAllowed(slug) ? slug : error('string.status')
        })
        .messages({
          'string.status': '{{#label}} must be the slug of a status that does not end an order, such as ready-to-ship',
        }),
    )
    .max(50)
const COUNTED = '`processing` and `completed`'
const ENDS = '`cancelled`, `failed`, `refunded` and `trash`'
export const countedStatusesSchema = statusesSchema((slug) => !endsOrder(slug)).description(
  `WOOCOMMERCE: the slugs of other statuses in which an order counts without a payment date, in addition to ${COUNTED}. With a payment date, an order counts in every status except ${ENDS}.`,
)
export const uncountedStatusesSchema = statusesSchema(() => true).description(
  `WOOCOMMERCE: the slugs of other statuses in which an order does not count, paid or not, in addition to ${ENDS}.`,
)
export const trustSchema = named('SourceTrust', Joi.string().valid('full', 'new_people', 'times_only')).description(
  'EVENTS: how far its events are trusted: `full`, or one of two values for a write key that anyone can read, as in a web page: `new_people` (app opens, and profiles of people whom no other source describes) or `times_only` (app opens of known ids).',
)
export const rateSchema = Joi.number()
  .integer()
  .min(1)
  .max(100_000)
  .description(
    'The maximum number of deliveries per second; above it the response is 429. Default: the limit of the server.',
  )

const refusalBody = namedObject('Refusal', {
  at: Joi.string().isoDate().required(),
  reason: Joi.string().valid('signature', 'key', 'unreadable', 'too_large', 'limit').required(),
})

/** A source in answers. */
export const sourceBody = namedObject('Source', {
  id: Joi.string().required(),
  type: sourceTypeSchema.required(),
  name: Joi.string().required(),
  url: Joi.string().required().description('The address to enter at the other side.'),
  valueFrom: valueFromSchema.required(),
  countedStatuses: countedStatusesSchema.required(),
  uncountedStatuses: uncountedStatusesSchema.required(),
  trust: trustSchema.required(),
  deliveriesPerSecond: rateSchema.required().allow(null),
  createdAt: Joi.string().isoDate().required(),
  updatedAt: Joi.string().isoDate().required(),
  lastDeliveryAt: Joi.string().isoDate().required().allow(null),
  waiting: Joi.number()
    .integer()
    .required()
    .description('Deliveries that are stored but not applied yet, counted up to 100,000.'),
  problems: Joi.number().integer().required(),
  lastRefusal: refusalBody.required().allow(null),
  refused: Joi.number().integer().required().description('The total number of refused deliveries.'),
  leftOut: Joi.number()
    .integer()
    .required()
    .description(
      'The total number of facts and unreadable items that were left out because the source is not fully trusted.',
    ),
  previousSecretUntil: Joi.string()
    .isoDate()
    .required()
    .allow(null)
    .description('The previous secret or key is accepted until this time.'),
})

export const sourceWithSecretsBody: ObjectSchema<SourceWithSecrets> = named(
  'SourceWithSecrets',
  (sourceBody as ObjectSchema).keys({
    writeKey: Joi.string().description('EVENTS: shown only in this response.'),
    verifyToken: Joi.string().description('META: to enter at the other side, with the address.'),
    secret: Joi.string().description('WOOCOMMERCE, if the service made it: shown only in this response.'),
  }),
)

/** For each type, the origin of the secret with which the other side signs. */
export const NEEDS_SECRET: Readonly<Record<SourceType, 'given' | 'made' | 'none'>> = {
  META: 'given',
  SHOPIFY: 'given',
  WOOCOMMERCE: 'made',
  EVENTS: 'none',
}

/** Throws source_secret_missing or source_secret_unexpected. */
export function checkSecrets(
  type: SourceType,
  { secret, instagramSecret }: { secret?: string | undefined; instagramSecret?: string | null | undefined },
  isNew: boolean,
): void {
  if (isNew && NEEDS_SECRET[type] === 'given' && secret === undefined) throw new ApiError('source_secret_missing')
  const isUnexpected =
    (NEEDS_SECRET[type] === 'none' && secret !== undefined) || (type !== 'META' && instagramSecret !== undefined)
  if (isUnexpected) throw new ApiError('source_secret_unexpected')
}

/** Throws source_trust_unexpected. Signed data are trusted. */
export function checkTrust(type: SourceType, { trust, keyIn }: Pick<NewSource, 'trust' | 'keyIn'>): void {
  if (type !== 'EVENTS' && (trust !== undefined || keyIn !== undefined)) throw new ApiError('source_trust_unexpected')
}

/** Throws source_statuses_unexpected. */
export function checkStatuses(
  type: SourceType,
  { countedStatuses, uncountedStatuses }: Pick<NewSource, 'countedStatuses' | 'uncountedStatuses'>,
): void {
  if (type !== 'WOOCOMMERCE' && (countedStatuses ?? uncountedStatuses) !== undefined) {
    throw new ApiError('source_statuses_unexpected')
  }
}

/** Returns a new write key. Its prefix lets secret scanners find it in code. */
export const newWriteKey = (): string => `greenroom_write_${newSecret()}`

/** Returns the address of a source: the SDKs' address for EVENTS, its own for the others. */
function urlOfSource({ http }: Pick<Config, 'http'>, row: Pick<SourceRow, 'type' | 'source_id'>): string {
  const root = http.publicUrl ?? `http://localhost:${http.port}`
  return row.type === 'EVENTS' ? `${root}/ingest` : `${root}/hooks/${row.source_id}`
}

export function toSourceBody(config: Pick<Config, 'http'>, row: ActiveSourceRow, now: number): Source {
  const previousUntil = row.previous_until !== null && row.previous_until.getTime() > now ? row.previous_until : null
  return {
    id: row.source_id,
    type: row.type,
    name: row.name,
    url: urlOfSource(config, row),
    valueFrom: row.value_from,
    countedStatuses: row.counted_statuses,
    uncountedStatuses: row.uncounted_statuses,
    trust: row.trust,
    deliveriesPerSecond: row.deliveries_per_second,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    lastDeliveryAt: row.last_delivery_at?.toISOString() ?? null,
    waiting: row.waiting,
    problems: row.problems,
    lastRefusal:
      row.last_refusal_at === null ? null : { at: row.last_refusal_at.toISOString(), reason: row.last_refusal_reason! },
    refused: row.refused,
    leftOut: row.left_out,
    previousSecretUntil: previousUntil?.toISOString() ?? null,
  } satisfies Source as SourceWithSecrets
}
