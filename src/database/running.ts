import { waitJittered } from '../lib/wait.js'
import type { Database } from './database.js'
import { readValue } from './queries.js'

/** A connection that is silent for longer is not in use: every node queries its PostgreSQL at least every five seconds. */
const SILENT_S = 12
const LOOKS = 15
const LOOK_MS = 1_000

/**
 * Returns whether services use this PostgreSQL database, judging by their connections. A pooler may keep connections after a
 * service has ended, so this waits for them to fall silent. The embedded engine's database is never in use, because no other
 * process can open it.
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
