import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { readBody } from '../../http/read-body.js'
import type { Refusal } from '../../interface/intake.js'
import { limit } from '../../lib/limits.js'
import type { NewDelivery } from '../inbox/inbox.store.js'
import type { Intake } from '../intake.js'
import { isSameText, isSigned, readSignedRequest } from '../signatures.js'
import { hashWriteKey } from '../sources/sources.store.js'
import { corsHeaders, EVENT_PATHS, findWriteKey, typeOfPath } from './events.js'
import type { KnownSource } from './known-sources.js'
import { inflateBytes } from './read-bytes.js'

const BYTES_MAX = limit('deliveryBytes')
const EVENT_BYTES_MAX = limit('eventBytes')

/** What a sender is told beside its status. */
interface Told {
  status: number
  body?: unknown
  type?: string
  headers?: Record<string, string>
}

interface Hooks {
  context: Context
  intake: Intake
}

/**
 * The addresses that shops, apps and inboxes send to (docs/intake.md): raw bytes → signature or key → one committed row →
 * 200. Nothing that a signed body says changes the answer: the worker reads it.
 */
export async function mountHooks(app: FastifyInstance, context: Context, intake: Intake): Promise<void> {
  const hooks: Hooks = { context, intake }
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // Whatever they call it: SDKs label JSON as text, and gzip as a form.
    scope.addContentTypeParser('*', (_request, payload, done) => {
      readBody(payload as IncomingMessage, (error, bytes) => done(error, bytes), BYTES_MAX)
    })
    scope.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'no-store')
      done()
    })
    const answer =
      (handle: (hooks: Hooks, request: FastifyRequest) => Promise<Told>) =>
      async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
        const {
          status,
          body = '',
          type = 'application/json; charset=utf-8',
          headers = {},
        } = await handle(hooks, request)
        reply.code(status).headers(headers).type(type)
        await reply.send(type.startsWith('application/json') && body !== '' ? JSON.stringify(body) : body)
      }
    scope.post('/hooks/:sourceId', answer(receiveSigned))
    scope.get('/hooks/:sourceId', answer(verifyAddress))
    scope.post('/hooks/:sourceId/data-deletion', answer(receiveDataDeletion))
    scope.get('/hooks/:sourceId/data-deletion/:code', answer(tellOfDataDeletion))
    for (const path of EVENT_PATHS) {
      scope.post(`/ingest${path}`, { errorHandler: answerEventError }, answer(receiveEvents))
      scope.options(
        `/ingest${path}`,
        answer(async (_hooks, request) => ({ status: 204, headers: corsHeaders(request.headers) })),
      )
    }
  })
}

const sourceIdOf = (request: FastifyRequest): string => (request.params as { sourceId: string }).sourceId
const bytesOf = (request: FastifyRequest): Buffer => (request.body as Buffer | undefined) ?? Buffer.alloc(0)
const textHeader = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
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

async function receiveSigned({ context, intake }: Hooks, request: FastifyRequest): Promise<Told> {
  const source = await intake.sources.byId(sourceIdOf(request))
  const bytes = bytesOf(request)
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
    // What cannot be inflated is a problem for a human, with its bytes.
    body: body ?? bytes,
  })
  return { status: 200 }
}

/** WooCommerce gives a delivery nothing that its repeats have in common. */
function keyOfSigned({ type }: KnownSource, request: FastifyRequest, bytes: Buffer): string | null {
  if (type === 'SHOPIFY') return textHeader(request, 'x-shopify-webhook-id') ?? null
  return type === 'META' ? digest(bytes) : null
}

/** Meta asks once whether the address is ours: with the token that it was given. */
async function verifyAddress({ intake }: Hooks, request: FastifyRequest): Promise<Told> {
  const source = await intake.sources.byId(sourceIdOf(request))
  const query = queryOf(request)
  const token = query.get('hub.verify_token') ?? ''
  const isSame = isSameText(token, source?.verifyToken ?? '')
  if (source?.verifyToken === undefined || query.get('hub.mode') !== 'subscribe' || !isSame) {
    throw new ApiError('verify_token_wrong')
  }
  return { status: 200, body: query.get('hub.challenge') ?? '', type: 'text/plain; charset=utf-8' }
}

/** Meta's data deletion callback: a form with `signed_request`. The answer leads to where its state is told. */
async function receiveDataDeletion({ context, intake }: Hooks, request: FastifyRequest): Promise<Told> {
  const source = await intake.sources.byId(sourceIdOf(request))
  const bytes = bytesOf(request)
  const signed = new URLSearchParams(bytes.toString('utf8')).get('signed_request') ?? ''
  const payload = source?.type === 'META' ? readSignedRequest(signed, source.secrets) : undefined
  if (source === undefined || payload === undefined) {
    const error = new ApiError('delivery_unsigned')
    throw source === undefined ? error : refuse({ context, intake }, source, 'signature', error)
  }
  const code = digest(payload).slice(0, 24)
  await store({ context, intake }, source, {
    key: `deletion ${code}`,
    topic: 'data-deletion',
    headers: {},
    body: payload,
  })
  const { publicUrl, port } = context.config.http
  const root = publicUrl ?? `http://localhost:${port}`
  const url = `${root}/hooks/${source.sourceId}/data-deletion/${code}`
  return { status: 200, body: { url, confirmation_code: code } }
}

/** The code is told to its person alone, and says nothing of them. */
async function tellOfDataDeletion(_hooks: Hooks, request: FastifyRequest): Promise<Told> {
  const { code } = request.params as { code: string }
  return {
    status: 200,
    body: { confirmation_code: code, message: 'The data was deleted within minutes of the request.' },
  }
}

async function receiveEvents({ context, intake }: Hooks, request: FastifyRequest): Promise<Told> {
  const cors = corsHeaders(request.headers)
  const url = new URL(request.url, 'http://localhost')
  const type = typeOfPath(url.pathname.slice('/ingest'.length))!
  const body = await inflateBytes(bytesOf(request))
  const parsed = body === undefined ? undefined : parse(body)
  const key = findWriteKey(request.headers, url.searchParams, parsed)
  const source = key === undefined ? undefined : await intake.sources.byKeyHash(hashWriteKey(key))
  if (source === undefined) {
    intake.countUnknownKey()
    throw new ApiError('write_key_wrong', { headers: cors })
  }
  if (body === undefined || parsed === undefined || parsed === null || typeof parsed !== 'object') {
    throw refuse({ context, intake }, source, 'unreadable', new ApiError('delivery_unreadable', { headers: cors }))
  }
  if (type !== 'batch' && body.length > EVENT_BYTES_MAX) {
    throw refuse({ context, intake }, source, 'too_large', new ApiError('event_too_large', { headers: cors }))
  }
  takeOne({ context, intake }, source, cors)
  // The key of a repeat is its bytes; what is in it twice is known by the ids of the events.
  await store({ context, intake }, source, { key: digest(body), topic: type, headers: {}, body })
  return { status: 200, body: { success: true }, headers: cors }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** A batch over the bound is a 400 here: an SDK drops it, where it would repeat another refusal. */
function answerEventError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const isTooLarge = error instanceof ApiError && error.code === 'body_too_large'
  void reply.headers(corsHeaders(request.headers))
  throw isTooLarge ? new ApiError('event_too_large') : error
}

const queryOf = (request: FastifyRequest): URLSearchParams => new URL(request.url, 'http://localhost').searchParams

function refuse({ intake }: Hooks, source: KnownSource, reason: Refusal['reason'], error: ApiError): ApiError {
  intake.activity.noteRefusal(source, reason)
  intake.countRefusal(reason)
  return error
}

function takeOne(hooks: Hooks, source: KnownSource, headers: Record<string, string> = {}): void {
  const waitMs = source.bucket.take(hooks.context.clock.now())
  if (waitMs === 0) return
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  throw refuse(hooks, source, 'limit', new ApiError('too_many_deliveries', { retryAfterSeconds, headers }))
}

async function store(
  { context, intake }: Hooks,
  source: KnownSource,
  delivery: Pick<NewDelivery, 'key' | 'topic' | 'headers' | 'body'>,
): Promise<void> {
  const { organizationId, sourceId } = source
  await intake.inbox.store({ ...delivery, organizationId, sourceId, receivedAt: new Date(context.clock.now()) })
  intake.activity.noteDelivery(source)
}
