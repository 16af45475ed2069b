import { hash } from 'node:crypto'
import { ApiError } from '../../errors.js'
import type { Admission, RawAnswer, RawHead, RawRequest, RawRoute } from '../../http/raw-routes.js'
import { limit } from '../../lib/limits.js'
import { keyOfBody, kindOfTopic } from '../decoders/index.js'
import { isSameText, isSigned } from '../signatures.js'
import {
  charge,
  checkAddress,
  countFailure,
  type Hooks,
  refuse,
  store,
  textHeader,
  UNKNOWN_BYTES_MAX,
} from './admission.js'
import type { KnownSource } from './known-sources.js'
import { isGzip, unpackedBytesOf } from './unpack.js'

const BYTES_MAX = limit('deliveryBytes')
const INFLATED_MAX = limit('deliveryInflatedBytes')

/** A source whose deliveries are signed; undefined if there is none at the address. */
type Signed = KnownSource | undefined

/** Receives what shops and Meta send: raw bytes → signature → one committed row → 200. */
export const signedRoutes = (hooks: Hooks): RawRoute<Signed>[] => [
  {
    ...{ method: 'POST', path: '/hooks/:sourceId' },
    admit: (head) => admitSigned(hooks, head),
    handle: (request, source) => receiveSigned(hooks, request, source),
    toError: (error, head, source) => toSignedError(hooks, error, head, source),
  },
  { method: 'GET', path: '/hooks/:sourceId', handle: (request) => verifyAddress(hooks, request) },
]

/** Returns the name under which a sender of this source is remembered as accepted. */
const nameOf = ({ params }: RawHead): string => `source ${params.sourceId}`

/**
 * For an existing source the body is read to its end, because the signature covers all of it. For another address only a
 * part is read, which is enough for small bodies, so that those take as long. Only large ones reveal which ids exist, and an
 * id has 128 random bits.
 */
async function admitSigned(hooks: Hooks, head: RawHead): Promise<Admission<Signed>> {
  checkAddress(hooks, head.ip, nameOf(head))
  const source = await hooks.intake.sources.byId(head.params.sourceId!)
  return source === undefined || source.type === 'EVENTS'
    ? { admitted: undefined, bytesMax: UNKNOWN_BYTES_MAX }
    : { admitted: source, bytesMax: BYTES_MAX }
}

/** The headers of a shop's or Meta's delivery. The topic is not signed: the body decides (docs/intake.md). */
const SIGNED = {
  META: { signature: 'x-hub-signature-256', encoding: 'hex', topic: undefined },
  SHOPIFY: { signature: 'x-shopify-hmac-sha256', encoding: 'base64', topic: 'x-shopify-topic' },
  WOOCOMMERCE: { signature: 'x-wc-webhook-signature', encoding: 'base64', topic: 'x-wc-webhook-topic' },
} as const

/** The unsigned ping that WooCommerce sends when the webhook is created, and which must be answered with 200. */
const WOOCOMMERCE_PING = /^webhook_id=\d+$/
const PING_CHARS_MAX = 64

async function receiveSigned(hooks: Hooks, request: RawRequest, source: Signed): Promise<RawAnswer> {
  const { intake } = hooks
  const { bytes } = request
  if (source === undefined || source.type === 'EVENTS') {
    // Takes as long as for a real source, so timing does not reveal which ids exist.
    isSigned(bytes, '', [''], 'hex')
    throw unsigned(hooks, request)
  }
  const isPing = bytes.length <= PING_CHARS_MAX && WOOCOMMERCE_PING.test(bytes.toString('latin1'))
  if (source.type === 'WOOCOMMERCE' && isPing) return { status: 200 }
  const { signature, encoding, topic } = SIGNED[source.type]
  const given = textHeader(request, signature)
  const isBy = (known: KnownSource | undefined): boolean => isSigned(bytes, given, known?.secrets ?? [], encoding)
  // The secret may have just been replaced, and a refused shop does not always retry.
  if (!isBy(source) && !isBy(await intake.sources.byIdAfresh(source.sourceId))) {
    throw refuse(hooks, source, 'signature', unsigned(hooks, request))
  }
  hooks.accepted.set(nameOf(request), true)
  charge(hooks, source, 'deliveries', 1)
  const topicHeader = (topic && textHeader(request, topic)) ?? null
  await store(hooks, source, {
    key: keyOfSigned(source.type, topicHeader, bytes),
    topic: topicHeader,
    headers: {},
    body: await unpackSigned(hooks, source, bytes),
  })
  return { status: 200 }
}

/** Bytes that cannot be decompressed within their limit become a problem for a human. */
async function unpackSigned(hooks: Hooks, source: KnownSource, bytes: Buffer): Promise<Buffer> {
  const unpackedBytes = unpackedBytesOf(bytes)
  const isTooLarge = unpackedBytes > INFLATED_MAX
  charge(hooks, source, 'bytes', isTooLarge ? bytes.length : Math.max(bytes.length, unpackedBytes))
  // An uncompressed body is stored as it is.
  if (isTooLarge || !isGzip(bytes)) return bytes
  const unpacked = await hooks.intake.unpacker.unpack(source, bytes, undefined)
  return 'refused' in unpacked ? bytes : Buffer.from(unpacked.body)
}

/** Returns the 401; throws too_many_failures if the address must wait. */
function unsigned(hooks: Hooks, { ip }: RawHead): Error {
  countFailure(hooks, ip, undefined)
  return new ApiError('delivery_unsigned')
}

/** The key is derived from the bytes, because the id of a delivery is not signed and can be replaced. */
function keyOfSigned(type: keyof typeof SIGNED, topic: string | null, bytes: Buffer): string | null {
  const bodyHash = hash('sha256', bytes, 'base64url')
  if (type === 'META') return bodyHash
  const kind = topic === null ? undefined : kindOfTopic(type, topic)
  return kind === undefined ? null : keyOfBody(kind, bodyHash)
}

/** Counts a body over the limit, which is neither read nor checked, at the source that it names. */
async function toSignedError(hooks: Hooks, error: Error, head: RawHead, source: Signed): Promise<Error> {
  if (!(error instanceof ApiError) || error.code !== 'body_too_large') return error
  if (source !== undefined) return refuse(hooks, source, 'too_large', error)
  try {
    return unsigned(hooks, head)
  } catch (refusal) {
    return refusal as Error
  }
}

/** Meta asks once whether the address is ours, with the token that it was given. */
async function verifyAddress(hooks: Hooks, request: RawRequest): Promise<RawAnswer> {
  const source = await hooks.intake.sources.byId(request.params.sourceId!)
  const { query } = request
  const token = query.get('hub.verify_token') ?? ''
  const isSame = isSameText(token, source?.verifyToken ?? '')
  if (source?.verifyToken === undefined || query.get('hub.mode') !== 'subscribe' || !isSame) {
    countFailure(hooks, request.ip, undefined)
    throw new ApiError('verify_token_wrong')
  }
  return { status: 200, body: query.get('hub.challenge') ?? '' }
}
