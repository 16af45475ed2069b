import { createHash } from 'node:crypto'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import type { RawAnswer, RawRequest, RawRoute } from '../../http/raw-routes.js'
import type { Refusal } from '../../interface/intake.js'
import { limit } from '../../lib/limits.js'
import { DELETION_CODE, findDataDeletion } from '../inbox/data-deletions.store.js'
import type { NewDelivery } from '../inbox/inbox.store.js'
import type { Intake } from '../intake.js'
import { isSameText, isSigned, readSignedRequest } from '../signatures.js'
import { hashWriteKey } from '../sources/sources.store.js'
import { corsHeaders, EVENT_PATHS, findKeyOfBody, findKeyOfHead, typeOfPath } from './events.js'
import type { KnownSource } from './known-sources.js'
import { inflateBytes } from './read-bytes.js'

const BYTES_MAX = limit('deliveryBytes')
const EVENT_BYTES_MAX = limit('eventBytes')
/** 144 bits. */
const DELETION_CODE_CHARS = 24
const EVENTS_MAX = limit('eventsOfDelivery')

interface Hooks {
  context: Pick<Context, 'clock' | 'config' | 'database'>
  intake: Intake
}

/**
 * The addresses that shops, apps and inboxes send to (docs/intake.md): raw bytes → signature or key → one committed row →
 * 200. Nothing that a signed body says changes the answer: the worker reads it.
 */
export function hookRoutes(context: Hooks['context'], intake: Intake): RawRoute[] {
  const hooks: Hooks = { context, intake }
  return [
    { method: 'POST', path: '/hooks/:sourceId', handle: (request) => receiveSigned(hooks, request) },
    { method: 'GET', path: '/hooks/:sourceId', handle: (request) => verifyAddress(hooks, request) },
    {
      method: 'POST',
      path: '/hooks/:sourceId/data-deletion',
      handle: (request) => receiveDataDeletion(hooks, request),
    },
    {
      method: 'GET',
      path: '/hooks/:sourceId/data-deletion/:code',
      handle: (request) => tellOfDataDeletion(hooks, request),
    },
    ...EVENT_PATHS.flatMap((name): RawRoute[] => {
      const path = `/ingest${name}`
      return [
        { method: 'POST', path, handle: (request) => receiveEvents(hooks, request), toError: toEventError },
        { method: 'OPTIONS', path, handle: async ({ headers }) => ({ status: 204, headers: corsHeaders(headers) }) },
      ]
    }),
  ]
}

const textHeader = ({ headers }: RawRequest, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64url')

/** The headers of a shop's or Meta's delivery. */
const SIGNED = {
  META: { signature: 'x-hub-signature-256', encoding: 'hex', topic: undefined, kept: [] },
  SHOPIFY: {
    signature: 'x-shopify-hmac-sha256',
    encoding: 'base64',
    topic: 'x-shopify-topic',
    kept: ['x-shopify-test', 'x-shopify-triggered-at', 'x-shopify-shop-domain'],
  },
  WOOCOMMERCE: { signature: 'x-wc-webhook-signature', encoding: 'base64', topic: 'x-wc-webhook-topic', kept: [] },
} as const

/** An unsigned ping: what WooCommerce sends when the webhook is made, and must be answered 200. */
const WOOCOMMERCE_PING = /^webhook_id=\d+$/

async function receiveSigned({ context, intake }: Hooks, request: RawRequest): Promise<RawAnswer> {
  const source = await intake.sources.byId(request.params.sourceId!)
  const { bytes } = request
  if (source === undefined || source.type === 'EVENTS') {
    // As long as for a source that is there: an id tells nothing by its time.
    isSigned(bytes, '', [''], 'hex')
    throw new ApiError('delivery_unsigned')
  }
  if (source.type === 'WOOCOMMERCE' && WOOCOMMERCE_PING.test(bytes.toString('latin1'))) return { status: 200 }
  const { signature, encoding, topic, kept } = SIGNED[source.type]
  if (!isSigned(bytes, textHeader(request, signature), source.secrets, encoding)) {
    throw refuse({ context, intake }, source, 'signature', new ApiError('delivery_unsigned'))
  }
  takeOne({ context, intake }, source)
  const body = await inflateBytes(bytes)
  const headers = Object.fromEntries(
    kept.flatMap((name) => {
      const value = textHeader(request, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
  await store({ context, intake }, source, {
    key: keyOfSigned(source, request, bytes),
    topic: (topic && textHeader(request, topic)) ?? null,
    headers,
    // Bytes that cannot be inflated become a problem for a human.
    body: body ?? bytes,
  })
  return { status: 200 }
}

/** WooCommerce gives a delivery nothing that its repeats have in common. */
function keyOfSigned({ type }: KnownSource, request: RawRequest, bytes: Buffer): string | null {
  if (type === 'SHOPIFY') return textHeader(request, 'x-shopify-webhook-id') ?? null
  return type === 'META' ? digest(bytes) : null
}

/** Meta asks once whether the address is ours: with the token that it was given. */
async function verifyAddress({ intake }: Hooks, request: RawRequest): Promise<RawAnswer> {
  const source = await intake.sources.byId(request.params.sourceId!)
  const query = request.url.searchParams
  const token = query.get('hub.verify_token') ?? ''
  const isSame = isSameText(token, source?.verifyToken ?? '')
  if (source?.verifyToken === undefined || query.get('hub.mode') !== 'subscribe' || !isSame) {
    throw new ApiError('verify_token_wrong')
  }
  return { status: 200, body: query.get('hub.challenge') ?? '' }
}

/** Meta's data deletion callback: a form, or JSON, with `signed_request`. The answer leads to where its state is told. */
async function receiveDataDeletion({ context, intake }: Hooks, request: RawRequest): Promise<RawAnswer> {
  const source = await intake.sources.byId(request.params.sourceId!)
  const { bytes } = request
  const signed = findSignedRequest(bytes)
  const isMeta = source?.type === 'META'
  // As long as for a source that is there: an id tells nothing by its time.
  const payload = readSignedRequest(signed, isMeta ? source.secrets : [''])
  if (!isMeta) throw new ApiError('delivery_unsigned')
  if (payload === undefined) throw refuse({ context, intake }, source, 'signature', new ApiError('delivery_unsigned'))
  // The signature is part of what the code is made of: without the app secret nobody finds the user by it.
  const code = digest(Buffer.from(signed)).slice(0, DELETION_CODE_CHARS)
  await intake.inbox.storeDataDeletion(
    {
      ...toDelivery(context, source),
      key: `deletion ${code}`,
      topic: 'data-deletion',
      headers: { [DELETION_CODE]: code },
      body: payload,
    },
    code,
  )
  intake.activity.noteDelivery(source)
  const { publicUrl, port } = context.config.http
  const root = publicUrl ?? `http://localhost:${port}`
  const url = `${root}/hooks/${source.sourceId}/data-deletion/${code}`
  return { status: 200, body: { url, confirmation_code: code } }
}

function findSignedRequest(bytes: Buffer): string {
  const fields = parse(bytes) as { signed_request?: unknown } | null | undefined
  const named = fields?.signed_request ?? new URLSearchParams(bytes.toString('utf8')).get('signed_request')
  return typeof named === 'string' ? named : ''
}

/** The code is told to its person alone, and says nothing of them. */
async function tellOfDataDeletion({ context, intake }: Hooks, { params }: RawRequest): Promise<RawAnswer> {
  const code = params.code!
  const source = code.length === DELETION_CODE_CHARS ? await intake.sources.byId(params.sourceId!) : undefined
  const row = source && (await findDataDeletion(context.database, source.organizationId, source.sourceId, code))
  if (row === undefined) throw new ApiError('data_deletion_not_found')
  const requested_at = row.requested_at.toISOString()
  const done_at = row.done_at?.toISOString() ?? null
  const message =
    done_at === null
      ? `The request of ${requested_at} waits: the data is not deleted yet.`
      : `The data was deleted at ${done_at}.`
  const state = done_at === null ? 'WAITING' : 'DONE'
  return { status: 200, body: { confirmation_code: code, state, requested_at, done_at, message } }
}

async function receiveEvents({ context, intake }: Hooks, request: RawRequest): Promise<RawAnswer> {
  const { url } = request
  const type = typeOfPath(url.pathname.slice('/ingest'.length))!
  const { source, body, parsed } = await admitEvents({ context, intake }, request)
  if (body === undefined || parsed === undefined || parsed === null || typeof parsed !== 'object') {
    throw refuse({ context, intake }, source, 'unreadable', new ApiError('delivery_unreadable'))
  }
  if (type !== 'batch' && body.length > EVENT_BYTES_MAX) {
    throw refuse({ context, intake }, source, 'too_large', new ApiError('event_too_large'))
  }
  // Gzip packs millions of empty events into a few kilobytes, and each of them would take the worker its time.
  const { batch } = parsed as { batch?: unknown }
  if (Array.isArray(batch) && batch.length > EVENTS_MAX) {
    const message = `The batch has more than ${EVENTS_MAX} events: send it in parts.`
    throw refuse({ context, intake }, source, 'too_large', new ApiError('event_too_large', { message }))
  }
  // The key of a repeat is its bytes; what is in it twice is known by the ids of the events.
  await store({ context, intake }, source, { key: digest(body), topic: type, headers: {}, body })
  return { status: 200, body: { success: true }, headers: corsHeaders(request.headers) }
}

interface AdmittedEvents {
  source: KnownSource
  /** Undefined where it cannot be inflated within its bound, and where it is no JSON. */
  body: Buffer | undefined
  parsed: unknown
}

/**
 * Finds the source of a delivery, and counts the delivery against its rate. A sender who is refused by the head alone costs
 * no inflating and no parsing; one who gives the key in the body unpacks no more than others may send.
 */
async function admitEvents(hooks: Hooks, { headers, url, bytes }: RawRequest): Promise<AdmittedEvents> {
  const key = findKeyOfHead(headers, url.searchParams)
  const known = key === undefined ? undefined : await admitKey(hooks, key)
  const body = await inflateBytes(bytes, known === undefined ? BYTES_MAX : undefined)
  const parsed = body === undefined ? undefined : parse(body)
  return { source: known ?? (await admitKey(hooks, findKeyOfBody(parsed))), body, parsed }
}

/** Throws write_key_wrong or too_many_deliveries. */
async function admitKey(hooks: Hooks, key: string | undefined): Promise<KnownSource> {
  const { intake } = hooks
  const source = key === undefined ? undefined : await intake.sources.byKeyHash(hashWriteKey(key))
  if (source === undefined) {
    intake.countUnknownKey()
    throw new ApiError('write_key_wrong')
  }
  takeOne(hooks, source)
  return source
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** A batch over the bound is a 400 here: an SDK drops it, where it would repeat another refusal. */
function toEventError(error: Error, { headers }: Pick<RawRequest, 'headers'>): Error {
  if (!(error instanceof ApiError)) return error
  const code = error.code === 'body_too_large' ? 'event_too_large' : error.code
  const { retryAfterSeconds } = error
  return new ApiError(code, {
    ...(code === error.code && { message: error.message, cause: error.cause }),
    headers: { ...error.headers, ...corsHeaders(headers) },
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

function refuse({ intake }: Hooks, source: KnownSource, reason: Refusal['reason'], error: ApiError): ApiError {
  intake.activity.noteRefusal(source, reason)
  intake.countRefusal(reason)
  return error
}

function takeOne(hooks: Hooks, source: KnownSource): void {
  const waitMs = source.bucket.take(hooks.context.clock.now())
  if (waitMs === 0) return
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  throw refuse(hooks, source, 'limit', new ApiError('too_many_deliveries', { retryAfterSeconds }))
}

async function store(
  { context, intake }: Hooks,
  source: KnownSource,
  delivery: Pick<NewDelivery, 'key' | 'topic' | 'headers' | 'body'>,
): Promise<void> {
  await intake.inbox.store({ ...delivery, ...toDelivery(context, source) })
  intake.activity.noteDelivery(source)
}

const toDelivery = ({ clock }: Pick<Context, 'clock'>, { organizationId, sourceId }: KnownSource) => ({
  organizationId,
  sourceId,
  receivedAt: new Date(clock.now()),
})
