import { hash } from 'node:crypto'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import type { RawAnswer, RawRequest, RawRoute } from '../../http/raw-routes.js'
import type { Refusal } from '../../interface/intake.js'
import { limit } from '../../lib/limits.js'
import { keyOfBody, kindOfTopic } from '../decoders/index.js'
import { hasTooManyValues } from '../delivery-json.js'
import { DELETION_CODE, findDataDeletion } from '../inbox/data-deletions.store.js'
import type { NewDelivery } from '../inbox/inbox.store.js'
import type { Intake } from '../intake.js'
import { isSameText, isSigned, readSignedRequest } from '../signatures.js'
import { hashWriteKey } from '../sources/sources.store.js'
import {
  corsHeaders,
  EVENT_PATHS,
  findKeyOfBody,
  findKeyOfHead,
  findKeysInText,
  isToldApart,
  typeOfPath,
} from './events.js'
import type { KnownSource } from './known-sources.js'
import { inflateBytes } from './read-bytes.js'

const BYTES_MAX = limit('deliveryBytes')
const EVENT_BYTES_MAX = limit('eventBytes')
/** 144 bits. */
const DELETION_CODE_CHARS = 24
const EVENTS_MAX = limit('eventsOfDelivery')
const VALUES_MAX = limit('deliveryValues')

type Head = Omit<RawRequest, 'bytes'>

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
  const toSignedError = (error: Error, request: Head) => tellTooLarge(hooks, error, request)
  const routes: RawRoute[] = [
    {
      ...{ method: 'POST', path: '/hooks/:sourceId', toError: toSignedError },
      handle: (request) => receiveSigned(hooks, request),
    },
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
      const toError = (error: Error, request: Head) => toEventError(hooks, error, request)
      return [
        { method: 'POST', path, handle: (request) => receiveEvents(hooks, request), toError },
        { method: 'OPTIONS', path, handle: async ({ headers }) => ({ status: 204, headers: corsHeaders(headers) }) },
      ]
    }),
  ]
  // People paste addresses, also with a slash at the end, and what a shop sends to no route is lost.
  return routes.flatMap((route) => [route, { ...route, path: `${route.path}/` }])
}

const textHeader = ({ headers }: Head, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
const digest = (bytes: Buffer): string => hash('sha256', bytes, 'base64url')

/** The headers of a shop's or Meta's delivery. The topic is not signed: what a body says decides (docs/intake.md). */
const SIGNED = {
  META: { signature: 'x-hub-signature-256', encoding: 'hex', topic: undefined },
  SHOPIFY: {
    signature: 'x-shopify-hmac-sha256',
    encoding: 'base64',
    topic: 'x-shopify-topic',
  },
  WOOCOMMERCE: { signature: 'x-wc-webhook-signature', encoding: 'base64', topic: 'x-wc-webhook-topic' },
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
  const { signature, encoding, topic } = SIGNED[source.type]
  const given = textHeader(request, signature)
  const isBy = (known: KnownSource | undefined): boolean => isSigned(bytes, given, known?.secrets ?? [], encoding)
  // The secret may have been replaced a moment ago, and a shop that is refused does not always repeat.
  if (!isBy(source) && !isBy(await intake.sources.byIdAfresh(source.sourceId))) {
    throw refuse({ context, intake }, source, 'signature', new ApiError('delivery_unsigned'))
  }
  takeOne({ context, intake }, source)
  const body = await inflateBytes(bytes)
  const told = (topic && textHeader(request, topic)) ?? null
  await store({ context, intake }, source, {
    key: keyOfSigned(source.type, told, bytes),
    topic: told,
    headers: {},
    // Bytes that cannot be inflated become a problem for a human.
    body: body ?? bytes,
  })
  return { status: 200 }
}

/** The key is made of the bytes, because the id of a delivery is not signed and can be replaced. */
function keyOfSigned(type: keyof typeof SIGNED, topic: string | null, bytes: Buffer): string | null {
  if (type === 'META') return digest(bytes)
  const kind = topic === null ? undefined : kindOfTopic(type, topic)
  return kind === undefined ? null : keyOfBody(kind, bytes)
}

/** Meta asks once whether the address is ours: with the token that it was given. */
async function verifyAddress({ intake }: Hooks, request: RawRequest): Promise<RawAnswer> {
  const source = await intake.sources.byId(request.params.sourceId!)
  const { query } = request
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

async function receiveEvents(hooks: Hooks, request: RawRequest): Promise<RawAnswer> {
  const type = typeOfPath(request.path.slice('/ingest'.length))!
  const { source, body, parsed } = await admitEvents(hooks, request)
  if (body !== undefined && hasTooManyValues(body)) {
    throw refuse(hooks, source, 'too_large', tooMany(`${VALUES_MAX} values`))
  }
  if (body === undefined || parsed === undefined || parsed === null || typeof parsed !== 'object') {
    throw refuse(hooks, source, 'unreadable', new ApiError('delivery_unreadable'))
  }
  if (type !== 'batch' && body.length > EVENT_BYTES_MAX) {
    throw refuse(hooks, source, 'too_large', new ApiError('event_too_large'))
  }
  // Gzip packs millions of empty events into a few kilobytes, and each of them would take the worker its time.
  const { batch } = parsed as { batch?: unknown }
  if (Array.isArray(batch) && batch.length > EVENTS_MAX) {
    throw refuse(hooks, source, 'too_large', tooMany(`${EVENTS_MAX} events`))
  }
  // The key of a repeat is its bytes; what is in it twice is known by the ids of the events.
  const key = isToldApart(parsed as Record<string, unknown>) ? digest(body) : null
  await store(hooks, source, { key, topic: type, headers: {}, body })
  return { status: 200, body: { success: true }, headers: corsHeaders(request.headers) }
}

const tooMany = (many: string): ApiError =>
  new ApiError('event_too_large', { message: `The batch has more than ${many}: send it in parts.` })

interface AdmittedEvents {
  source: KnownSource
  /** Undefined where it cannot be inflated within its bound. */
  body: Buffer | undefined
  /** Undefined where the body is no JSON, or has too many values to be parsed. */
  parsed: unknown
}

/**
 * Finds the source of a delivery, and counts the delivery against its rate. A sender who is refused by the head alone
 * costs no inflating and no parsing; one who gives the key in the body unpacks no more than others may send, and is
 * parsed only if the text names the key of a source.
 */
async function admitEvents(hooks: Hooks, { headers, query, bytes }: RawRequest): Promise<AdmittedEvents> {
  const key = findKeyOfHead(headers, query)
  const known = key === undefined ? undefined : await admitKey(hooks, key)
  const body = await inflateBytes(bytes, known === undefined ? BYTES_MAX : undefined)
  const isParsed =
    body !== undefined && !hasTooManyValues(body) && (known !== undefined || (await namesSource(hooks, body)))
  const parsed = isParsed ? parse(body) : undefined
  return { source: known ?? (await admitKey(hooks, findKeyOfBody(parsed))), body, parsed }
}

async function namesSource({ intake }: Hooks, body: Buffer): Promise<boolean> {
  for (const key of findKeysInText(body)) {
    if ((await intake.sources.byKeyHash(hashWriteKey(key))) !== undefined) return true
  }
  return false
}

/** Throws write_key_wrong or too_many_deliveries. A key that was replaced is counted at its source. */
async function admitKey(hooks: Hooks, key: string | undefined): Promise<KnownSource> {
  const { intake } = hooks
  const found = key === undefined ? undefined : await intake.sources.byKeyHash(hashWriteKey(key))
  if (found === undefined) {
    intake.countUnknownKey()
    throw new ApiError('write_key_wrong')
  }
  if (found.isReplaced) throw refuse(hooks, found.source, 'key', new ApiError('write_key_wrong'))
  takeOne(hooks, found.source)
  return found.source
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Counts a body over the bound, which is not read and so not checked, at the source that it names. */
async function tellTooLarge(hooks: Hooks, error: Error, { params }: Head): Promise<Error> {
  if (!isTooLarge(error)) return error
  const source = await hooks.intake.sources.byId(params.sourceId!)
  return source === undefined ? error : refuse(hooks, source, 'too_large', error)
}

const isTooLarge = (error: Error): boolean => error instanceof ApiError && error.code === 'body_too_large'

/** A batch over the bound is a 400 here: an SDK drops it, where it would repeat another refusal. */
async function toEventError(hooks: Hooks, error: Error, { headers, query }: Head): Promise<Error> {
  if (!(error instanceof ApiError)) return error
  const isBig = isTooLarge(error)
  const key = isBig ? findKeyOfHead(headers, query) : undefined
  const found = key === undefined ? undefined : await hooks.intake.sources.byKeyHash(hashWriteKey(key))
  if (found !== undefined) refuse(hooks, found.source, 'too_large', error)
  const { retryAfterSeconds, message, cause } = error
  return new ApiError(isBig ? 'event_too_large' : error.code, {
    ...(!isBig && { message, cause }),
    headers: { ...error.headers, ...corsHeaders(headers) },
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

function refuse({ intake }: Hooks, source: KnownSource, reason: Refusal['reason'], error: Error): Error {
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
