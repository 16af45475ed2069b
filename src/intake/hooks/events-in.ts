import { gunzipSync } from 'node:zlib'
import { ApiError } from '../../errors.js'
import type { Admission, RawAnswer, RawHead, RawRequest, RawRoute } from '../../http/raw-routes.js'
import { limit } from '../../lib/limits.js'
import { hashWriteKey } from '../sources/sources.store.js'
import { charge, checkAddress, countFailure, type Hooks, refuse, store, UNKNOWN_BYTES_MAX } from './admission.js'
import { corsHeaders, EVENT_PATHS, findKeyOfBody, findKeyOfHead, typeOfPath } from './events.js'
import type { KnownSource } from './known-sources.js'
import { isGzip, type NotUnpacked, unpackedBytesOf } from './unpack.js'

const BYTES_MAX = limit('deliveryBytes')
const INFLATED_MAX = limit('deliveryInflatedBytes')

/** The source of the key in the head; undefined if the head has none. */
type OfHead = KnownSource | undefined

/** Receives what the SDKs send: key → decompressed → one committed row with the fields that are read → 200. */
export const eventRoutes = (hooks: Hooks): RawRoute<OfHead>[] =>
  EVENT_PATHS.flatMap((name): RawRoute<OfHead>[] => {
    const path = `/ingest${name}`
    return [
      {
        ...{ method: 'POST', path },
        admit: (head) => admitEvents(hooks, head),
        handle: (request, source) => receiveEvents(hooks, request, source),
        toError: (error, head, source) => toEventError(hooks, error, head, source),
      },
      { method: 'OPTIONS', path, handle: async ({ headers }) => ({ status: 204, headers: corsHeaders(headers) }) },
    ]
  })

/** Runs before the body is read: with a wrong key, or beyond the rate, none of it is read. */
async function admitEvents(hooks: Hooks, head: RawHead): Promise<Admission<OfHead>> {
  const key = findKeyOfHead(head.headers, head.query)
  if (key === undefined) {
    checkAddress(hooks, head.ip, undefined)
    return { admitted: undefined, bytesMax: UNKNOWN_BYTES_MAX }
  }
  const source = await admitKey(hooks, head, key)
  return { admitted: source, bytesMax: BYTES_MAX, holder: { group: 'senders', id: source.sourceId } }
}

/** Throws write_key_wrong, too_many_failures or too_many_deliveries. A replaced key is counted at its source. */
async function admitKey(hooks: Hooks, { ip }: RawHead, key: string | undefined): Promise<KnownSource> {
  const { intake, accepted } = hooks
  const keyHash = key === undefined ? undefined : hashWriteKey(key)
  checkAddress(hooks, ip, keyHash)
  const found = keyHash === undefined ? undefined : await intake.sources.byKeyHash(keyHash)
  if (keyHash === undefined || found === undefined || found.isReplaced) {
    countFailure(hooks, ip, keyHash)
    if (found !== undefined) throw refuse(hooks, found.source, 'key', new ApiError('write_key_wrong'))
    intake.countUnknownKey()
    throw new ApiError('write_key_wrong')
  }
  accepted.set(keyHash, true)
  charge(hooks, found.source, 'deliveries', 1)
  return found.source
}

async function receiveEvents(hooks: Hooks, request: RawRequest, ofHead: OfHead): Promise<RawAnswer> {
  const { bytes } = request
  const type = typeOfPath(request.path.slice('/ingest'.length))!
  const source = ofHead ?? (await admitKey(hooks, request, findKeyIn(bytes)))
  const unpackedBytes = unpackedBytesOf(bytes)
  const isTooLarge = unpackedBytes > INFLATED_MAX
  charge(hooks, source, 'bytes', isTooLarge ? bytes.length : Math.max(bytes.length, unpackedBytes))
  if (isTooLarge) throw refuse(hooks, source, 'too_large', new ApiError('event_too_large'))
  const unpacked = await hooks.intake.unpacker.unpack(source, bytes, type)
  if ('refused' in unpacked) throw refuse(hooks, source, unpacked.refused, toRefusal(unpacked))
  const { key, body, events } = unpacked
  charge(hooks, source, 'events', events)
  await store(hooks, source, { key, topic: type, headers: {}, body: Buffer.from(body) })
  return { status: 200, body: { success: true }, headers: corsHeaders(request.headers) }
}

function toRefusal(refusal: NotUnpacked): ApiError {
  if (refusal.refused === 'unreadable') return new ApiError('delivery_unreadable')
  if (refusal.many === undefined) return new ApiError('event_too_large')
  return new ApiError('event_too_large', { message: `The batch has more than ${refusal.many}: send it in parts.` })
}

/** Finds the key in a body of at most 64 KiB, compressed and decompressed. */
function findKeyIn(bytes: Buffer): string | undefined {
  const unpackedBytes = unpackedBytesOf(bytes)
  if (unpackedBytes > UNKNOWN_BYTES_MAX) return undefined
  try {
    const body = isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: Math.max(1, unpackedBytes) }) : bytes
    return findKeyOfBody(JSON.parse(body.toString('utf8')))
  } catch {
    return undefined
  }
}

/** A batch over the limit gets a 400 here: an SDK drops it, whereas it would repeat another refusal. */
async function toEventError(hooks: Hooks, error: Error, head: RawHead, source: OfHead): Promise<Error> {
  if (!(error instanceof ApiError)) return error
  const answered = error.code === 'body_too_large' ? await toTooLarge(hooks, error, head, source) : error
  const { code, retryAfterSeconds, message, cause } = answered
  return new ApiError(code, {
    ...{ message, cause },
    headers: { ...answered.headers, ...corsHeaders(head.headers) },
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

const KEY_IN_HEAD = `The write key is searched for only in the first ${UNKNOWN_BYTES_MAX / 1024} KiB of the body. For a larger body, send it by Basic or in the query.`

async function toTooLarge(hooks: Hooks, error: ApiError, head: RawHead, source: OfHead): Promise<ApiError> {
  if (source !== undefined) {
    refuse(hooks, source, 'too_large', error)
    return new ApiError('event_too_large', { cause: error.cause })
  }
  try {
    await admitKey(hooks, head, undefined)
  } catch (refusal) {
    if (refusal instanceof ApiError && refusal.code !== 'write_key_wrong') return refusal
  }
  return new ApiError('write_key_wrong', { message: KEY_IN_HEAD })
}
