import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { limit } from '../../lib/limits.js'
import { pickDelivery, toStored } from '../decoders/event-fields.js'
import { parseJson } from '../decoders/values.js'
import { hasTooManyValues } from '../delivery-json.js'
import { isToldApart } from './events.js'

const VALUES_MAX = limit('deliveryValues')
const EVENTS_MAX = limit('eventsOfDelivery')
const EVENT_BYTES_MAX = limit('eventBytes')

/** Some SDKs compress a body and label it as a form: the bytes show it. */
export const isGzip = (bytes: Uint8Array): boolean => bytes.length > 2 && bytes[0] === 0x1f && bytes[1] === 0x8b

/**
 * Returns the size of a body when decompressed, as its end states it, modulo 2^32. No more than that is decompressed, so
 * that a sender can be charged beforehand.
 */
export const unpackedBytesOf = (bytes: Buffer): number =>
  isGzip(bytes) && bytes.length >= 4 ? bytes.readUInt32LE(bytes.length - 4) : bytes.length

export interface UnpackJob {
  bytes: Uint8Array
  /** For EVENTS, the type that the address names. Others are only decompressed. */
  type: string | undefined
}

/** Why events are refused: they are unreadable, or too large. */
export type NotUnpacked = { refused: 'unreadable' } | { refused: 'too_large'; many?: string }

/** The parts of a delivery that are stored. */
export interface Unpacked {
  body: Uint8Array
  /** Repeats of a delivery have the same key. */
  key: string | null
  events: number
}

/** Decompresses a delivery within the size that its end states. Linear in the decompressed size. */
export function unpack({ bytes, type }: UnpackJob): Unpacked | NotUnpacked {
  const body = inflate(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (body === undefined) return { refused: 'unreadable' }
  return type === undefined ? { body, key: null, events: 0 } : unpackEvents(body, type)
}

function inflate(bytes: Buffer): Buffer | undefined {
  if (!isGzip(bytes)) return bytes
  const bytesMax = unpackedBytesOf(bytes)
  try {
    return bytesMax === 0 ? Buffer.alloc(0) : gunzipSync(bytes, { maxOutputLength: bytesMax })
  } catch {
    return undefined
  }
}

function unpackEvents(body: Buffer, type: string): Unpacked | NotUnpacked {
  if (type !== 'batch' && body.length > EVENT_BYTES_MAX) return { refused: 'too_large' }
  if (hasTooManyValues(body)) return { refused: 'too_large', many: `${VALUES_MAX} values` }
  let whole: unknown
  try {
    whole = parseJson(body)
  } catch {
    // The check below refuses it, like any other body that is not an object.
  }
  if (whole === null || typeof whole !== 'object') return { refused: 'unreadable' }
  // Gzip packs millions of empty events into a few kilobytes, each of which would cost the worker time.
  const { batch } = whole as { batch?: unknown }
  const events = Array.isArray(batch) ? batch.length : 1
  if (events > EVENTS_MAX) return { refused: 'too_large', many: `${EVENTS_MAX} events` }
  // The bytes identify a repeated delivery; events that repeat within a delivery are recognized by their ids.
  const key = isToldApart(whole as Record<string, unknown>) ? hash('sha256', body, 'base64url') : null
  try {
    return { body: toStored(pickDelivery(whole, body.length)), key, events }
  } catch {
    return { refused: 'too_large', many: 'events for a context of this size' }
  }
}
