import { waitJittered } from '../lib/wait.js'
import type { Database } from './database.js'
import { readValue } from './queries.js'

/** A node of the service queries its PostgreSQL at least every five seconds. */
const SILENT_S = 12
const LOOKS = 15
const LOOK_MS = 1_000

/**
 * Returns whether services use this PostgreSQL, as far as their connections show. Connections that a pooler keeps after a
 * service has ended fall silent, which this waits for. No other process can open the embedded engine's database.
 */
export async function isInUse(database: Database, wait = waitJittered): Promise<boolean> {
  if (database.engine === 'pglite') return false
  for (let look = 0; look < LOOKS; look++) {
    const isUsed = await readValue<boolean>(
      database,
      `select exists (
         select from pg_stat_activity
          where datname = current_database() and application_name = 'greenroom' and pid <> pg_backend_pid()
            and state_change > clock_timestamp() - make_interval(secs => $1)
       )`,
      [SILENT_S],
    )
    if (!isUsed) return false
    await wait(LOOK_MS)
  }
  return true
}
