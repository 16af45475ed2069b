import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { ApiError } from '../errors.js'
import { Blocks } from '../lib/blocks.js'
import { limit } from '../lib/limits.js'
import { cutOff } from './connections.js'
import type { HeldBodies, Holder } from './held-bodies.js'

const BODY_BYTES_MAX = limit('bodyBytes')
const BODY_PARTS_MAX = limit('bodyParts')
const STREAM_FREE_MS = limit('requestMs')
const STREAM_BYTES_PER_MS = limit('streamBytesPerSecond') / 1000

export interface BodyBounds {
  bytesMax?: number | undefined
  /** The memory that the body takes, and its owner. */
  held: HeldBodies
  holder: Holder
}

/**
 * Reads a body of at most `bytesMax` into memory; calls back with its bytes, or with body_too_large or bodies_busy. Memory
 * counts from when it is taken until the request is over; the length announced in the head takes none.
 */
export function readBody(
  request: IncomingMessage,
  callback: (error: Error | null, bytes?: Buffer) => void,
  { bytesMax = BODY_BYTES_MAX, held, holder }: BodyBounds,
): void {
  if (Number(request.headers['content-length']) > bytesMax) {
    callback(tooLarge(bytesMax))
    return
  }
  const body = new Blocks()
  let parts = 0
  const finish = (error: Error | null): void => {
    request.off('data', onData).off('end', onEnd).off('error', finish)
    if (error !== null) held.release(request)
    callback(error, error === null ? body.join() : undefined)
  }
  const holding = held.hold(request, holder, finish)
  const onEnd = (): void => {
    holding.complete()
    finish(null)
  }
  const onData = (part: Buffer): void => {
    parts += 1
    if (body.length + part.length > bytesMax) finish(tooLarge(bytesMax))
    else if (parts > BODY_PARTS_MAX) {
      cutOff(request)
      finish(
        new ApiError('body_too_large', {
          message: `The body arrived in more than ${BODY_PARTS_MAX} parts: send larger parts.`,
        }),
      )
    } else {
      const before = body.held
      body.append(part)
      holding.take(body.held - before)
    }
  }
  request.on('data', onData).on('end', onEnd).on('error', finish)
}

function tooLarge(bytesMax: number): ApiError {
  if (bytesMax === BODY_BYTES_MAX) return new ApiError('body_too_large')
  return new ApiError('body_too_large', { message: `The body is too large: send at most ${bytesMax / 1024} KiB here.` })
}

/** Returns whether every byte of the body has arrived. A body that was decompressed on its way never counts as complete. */
export const isAllHere = (body: Readable): boolean => (body as Partial<IncomingMessage>).complete === true

/**
 * Yields the chunks of a body as it arrives. Throws request_timeout if its sender is too slow: it may be silent for `freeMs`
 * milliseconds, and must send `bytesPerMs` on average. Our own work between the chunks does not count.
 */
export async function* readAtLeast(
  chunks: AsyncIterable<Uint8Array>,
  { freeMs = STREAM_FREE_MS, bytesPerMs = STREAM_BYTES_PER_MS } = {},
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  let leftMs = freeMs
  try {
    for (;;) {
      const startedAt = performance.now()
      const { done, value } = await within(leftMs, iterator.next())
      if (done) return
      leftMs = Math.min(freeMs, leftMs + value.length / bytesPerMs - (performance.now() - startedAt))
      yield value
    }
  } finally {
    // Not awaited: it waits for a chunk that has not arrived.
    iterator.return?.().catch(() => {})
  }
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new ApiError('request_timeout', { message: 'The body is arriving too slowly: send it again.' })),
      ms,
    )
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
