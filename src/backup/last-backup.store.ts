import type { Queryable } from '../database/database.js'

/** The last backup that the service made by itself. */
export interface LastBackup {
  made_at: Date
  /** Its name in BACKUP_DIR. */
  file: string
  bytes: number
  master_key: boolean
}

export async function findLastBackup(database: Queryable): Promise<LastBackup | undefined> {
  const { rows } = await database.query<LastBackup>('select made_at, file, bytes, master_key from last_backup')
  return rows[0]
}

export async function recordBackup(
  database: Queryable,
  { made_at, file, bytes, master_key }: LastBackup,
): Promise<void> {
  await database.query(
    `insert into last_backup (made_at, file, bytes, master_key) values ($1, $2, $3, $4)
     on conflict (only_row) do update
       set made_at = excluded.made_at, file = excluded.file, bytes = excluded.bytes, master_key = excluded.master_key`,
    [made_at, file, bytes, master_key],
  )
}

// Any number, the same in every version of the program.
const BACKUP_LOCK = 7_105_337

/** Until the end of the transaction; false when another node has it. */
export async function tryBackupLock(tx: Queryable): Promise<boolean> {
  const { rows } = await tx.query<{ held: boolean }>('select pg_try_advisory_xact_lock($1) as held', [BACKUP_LOCK])
  return rows[0]!.held
}
