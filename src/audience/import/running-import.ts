import type { Database } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { endImport, leaseImport } from './running-imports.store.js'

const LEASE_MS = 30_000
const RENEW_MS = 10_000
const RETRY_SECONDS = 10
const BYTES_PER_SECOND_MIN = limit('importBytesPerSecond')
const SLACK_MS = limit('importSlackMs')

/**
 * Runs `work` as the one import of the channel. The lease runs out by itself when this process dies. Throws import_running
 * when another import has the channel; `assertHeld` throws it when one took it over, as after a pause of this process.
 */
export async function runImport<T>(
  database: Database,
  channel: { organizationId: string; channelId: string },
  work: (assertHeld: () => void) => Promise<T>,
): Promise<T> {
  const self = { ...channel, importId: newId('import') }
  const refused = (): ApiError => new ApiError('import_running', { retryAfterSeconds: RETRY_SECONDS })
  if (!(await leaseImport(database, self, LEASE_MS))) throw refused()
  let held = true
  const renew = async (): Promise<void> => {
    held = await leaseImport(database, self, LEASE_MS)
  }
  // A database that is out of reach now is asked again; the batches tell the caller.
  const renewing = setInterval(() => void renew().catch(() => {}), RENEW_MS).unref()
  try {
    return await work(() => {
      if (!held) throw refused()
    })
  } finally {
    clearInterval(renewing)
    await endImport(database, self).catch(() => {})
  }
}

/**
 * The chunks of a body as long as they come fast enough: only the time counts in which we wait for the sender. Each byte
 * earns it time, some are given in advance. Throws request_timeout.
 */
export async function* refuseTrickle(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  let leftMs = SLACK_MS
  try {
    for (;;) {
      const startedAt = performance.now()
      const next = await withTimeout(iterator.next(), leftMs)
      if (next.done) return
      const earnedMs = (next.value.length / BYTES_PER_SECOND_MIN) * 1000
      leftMs = Math.min(SLACK_MS, leftMs - (performance.now() - startedAt) + earnedMs)
      yield next.value
    }
  } finally {
    // Not awaited: a source that is silent would not answer it.
    void iterator.return?.()
  }
}

function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => {
      reject(
        new ApiError('request_timeout', {
          message: `The import came too slowly: send at least ${BYTES_PER_SECOND_MIN} bytes a second, or several smaller files.`,
        }),
      )
    }, timeoutMs)
    promise.then(resolve, reject).finally(() => clearTimeout(timeout))
  })
}
