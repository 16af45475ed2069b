import { ApiError } from '../../errors.js'
import { limit } from '../../lib/limits.js'
import { programAt } from '../../lib/program.js'
import { createThread, ThreadError } from '../../work/thread.js'
import type { KnownSource } from './known-sources.js'
import { type NotUnpacked, type Unpacked, type UnpackJob, unpack, unpackedBytesOf } from './unpack.js'

/** Decompressing and parsing 16 KiB takes 0.5 ms on the answering thread, 1 MiB takes 50 ms, and 16 MiB a second. */
const ASIDE_BYTES = limit('unpackedAsideBytes')
const OF_SOURCE_MAX = limit('unpackJobsOfSource')
const RETRY_SECONDS = 5

export interface Unpacker {
  /**
   * Decompresses and parses a delivery; a large one in a separate thread with limits on time and memory. Throws busy if too
   * many are waiting, from this source or in total.
   */
  unpack(source: KnownSource, bytes: Buffer, type: string | undefined): Promise<Unpacked | NotUnpacked>
  stop(): Promise<void>
}

export function createUnpacker(): Unpacker {
  const thread = createThread<UnpackJob, Unpacked | NotUnpacked>(
    programAt(new URL('./unpack-thread.js', import.meta.url)),
    { timeoutMs: limit('unpackMs'), memoryMb: limit('unpackMemoryMib'), jobsMax: limit('unpackJobs') },
  )
  return {
    async unpack({ budget }, bytes, type) {
      if (Math.max(bytes.length, unpackedBytesOf(bytes)) <= ASIDE_BYTES) return unpack({ bytes, type })
      if (budget.unpacking >= OF_SOURCE_MAX) throw new ApiError('busy', { retryAfterSeconds: RETRY_SECONDS })
      budget.unpacking += 1
      try {
        // Bytes of events are not needed afterwards; signed ones are stored as they are if they cannot be decompressed.
        const transfer = type === undefined ? [] : [bytes.buffer as ArrayBuffer]
        return await thread.run({ bytes, type }, { transfer })
      } catch (error) {
        if (!(error instanceof ThreadError)) throw error
        if (error.failure === 'timeout' || error.failure === 'memory') return { refused: 'too_large' }
        throw new ApiError('busy', { retryAfterSeconds: RETRY_SECONDS, cause: error })
      } finally {
        budget.unpacking -= 1
      }
    },
    stop: () => thread.stop(),
  }
}
