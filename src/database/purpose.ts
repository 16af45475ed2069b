import { StartError } from '../lib/start-error.js'
import type { Database } from './database.js'
import { findRow, hasTable } from './queries.js'

/** The owner of the data in a database: a service, or the demo. */
export type Purpose = 'service' | 'demo'

/**
 * Throws StartError if the database holds data for the other purpose. Called before migrations, because a database that is
 * not ours must be left alone.
 */
export async function refuseOtherPurpose(database: Database, purpose: Purpose, place: string): Promise<void> {
  const found = (await hasTable(database, 'installation')) ? await findPurpose(database) : undefined
  if (found !== undefined) requireSame(found, purpose, place)
}

/** Marks the database permanently. Throws StartError if another process has marked it differently. */
export async function markPurpose(database: Database, purpose: Purpose, place: string): Promise<void> {
  await database.query('insert into installation (purpose) values ($1) on conflict do nothing', [purpose])
  requireSame((await findPurpose(database))!, purpose, place)
}

async function findPurpose(database: Database): Promise<Purpose | undefined> {
  return (await findRow<{ purpose: Purpose }>(database, 'select purpose from installation'))?.purpose
}

function requireSame(found: Purpose, purpose: Purpose, place: string): void {
  if (found === purpose) return
  throw new StartError(
    found === 'demo'
      ? `The database at ${place} contains the made-up data of the demo: set another ${place.split(' ')[0]}.`
      : `The database at ${place} contains the data of a service, which a demo would mix with made-up data: set another DATA_DIR.`,
  )
}
