import type { Database, Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { ChannelKey } from '../../http/snapshot.js'
import { newId } from '../../lib/ids.js'
import { endImport, isImportRunning, leaseImport } from './running-imports.store.js'

const LEASE_MS = 30_000
const RENEW_MS = 10_000
const RETRY_SECONDS = 10

const refused = (): ApiError => new ApiError('import_running', { retryAfterSeconds: RETRY_SECONDS })

/** Throws import_running when an import has the channel. */
export async function throwIfRunning(tx: Queryable, channel: ChannelKey): Promise<void> {
  if (await isImportRunning(tx, channel)) throw refused()
}

/**
 * Runs `work` as the one import of the channel. The lease runs out by itself when this process dies. Throws import_running
 * when another import has the channel; `assertHeld` throws it when one took it over, as after a pause of this process.
 */
export async function runImport<T>(
  database: Database,
  { organizationId, channelId }: ChannelKey,
  work: (assertHeld: () => void) => Promise<T>,
): Promise<T> {
  const self = { organizationId, channelId, leasedBy: newId('import') }
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
