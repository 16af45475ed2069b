import { parameters } from '../database/columns.js'
import type { Queryable } from '../database/database.js'
import { findRow, readValue } from '../database/queries.js'

/** The last automatic backup. */
export interface LastBackup {
  made_at: Date
  /** The name in BACKUP_DIR. */
  file: string
  bytes: number
  master_key: boolean
  /** The number of media files that it lacks. */
  missing_media: number
}

export const findLastBackup = (database: Queryable): Promise<LastBackup | undefined> =>
  findRow(database, 'select made_at, file, bytes, master_key, missing_media from last_backup')

const COLUMNS = ['made_at', 'file', 'bytes', 'master_key', 'missing_media'] as const satisfies (keyof LastBackup)[]

export async function recordBackup(database: Queryable, backup: LastBackup): Promise<void> {
  await database.query(
    `insert into last_backup (${COLUMNS.join(', ')}) values (${parameters(COLUMNS, 1)})
     on conflict (only_row) do update set ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    COLUMNS.map((column) => backup[column]),
  )
}

/** The last backup that a program fetched: this server does not know where it is kept. */
export type FetchedBackup = Omit<LastBackup, 'file'>

export const findFetchedBackup = (database: Queryable): Promise<FetchedBackup | undefined> =>
  findRow(database, 'select made_at, bytes, master_key, missing_media from last_fetched_backup')

export async function recordFetchedBackup(database: Queryable, backup: FetchedBackup): Promise<void> {
  await database.query(
    `insert into last_fetched_backup (made_at, bytes, master_key, missing_media) values ($1, $2, $3, $4)
     on conflict (only_row) do update
        set made_at = excluded.made_at, bytes = excluded.bytes, master_key = excluded.master_key,
            missing_media = excluded.missing_media`,
    [backup.made_at, backup.bytes, backup.master_key, backup.missing_media],
  )
}

// Any number, the same in every version of the program.
const BACKUP_LOCK = 7_105_337

/** Takes the lock until the transaction ends; returns false if another node has it. */
export const tryBackupLock = (tx: Queryable): Promise<boolean> =>
  readValue(tx, 'select pg_try_advisory_xact_lock($1)', [BACKUP_LOCK])
