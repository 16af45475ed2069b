import { join } from 'node:path'
import type { Context } from '../http/context.js'
import { SCHEDULED_NAME, scheduledName } from './backup-name.js'
import { findLastBackup, recordBackup, tryBackupLock } from './last-backup.store.js'
import { type BackupReport, backupOf, makeBackup } from './make-backup.js'
import { keepNewest, writeFileWhole } from './write-file.js'

const LOOK_EVERY_MS = 60_000
/** After a failure, such as of a full disk. */
const AGAIN_AFTER_MS = 15 * 60_000

/** What it needs of the process's context. */
type Needs = Pick<Context, 'backups' | 'clock' | 'config' | 'database' | 'log' | 'metrics' | 'sealMasterKeys'>

export interface BackupSchedule {
  stop(): void
}

/** Makes a backup in BACKUP_DIR whenever the last one is older than BACKUP_EVERY. Undefined without a BACKUP_DIR. */
export function startBackupSchedule(context: Needs): BackupSchedule | undefined {
  const { config, clock, log, metrics } = context
  if (config.backupDir === undefined) return undefined
  if (config.backupPassphrase === undefined) {
    log.warn(
      'the backups are neither encrypted nor authenticated, and hold no master key, without which no secret opens: set BACKUP_PASSPHRASE',
    )
  }
  let notBefore = 0
  const look = (): void => {
    if (clock.now() < notBefore) return
    backUpWhenDue(context).catch((error) => {
      notBefore = clock.now() + AGAIN_AFTER_MS
      metrics.countBackup('failed')
      log.error({ err: error, directory: config.backupDir }, 'the backup could not be made')
    })
  }
  const looking = setInterval(look, LOOK_EVERY_MS).unref()
  look()
  return { stop: () => clearInterval(looking) }
}

/** Gives the name of the file that it made, if it was due and no other node makes it. */
export async function backUpWhenDue(context: Needs): Promise<string | undefined> {
  const { backups, database } = context
  if (backups.isRunning || !(await isDue(context))) return undefined
  backups.isRunning = true
  try {
    if (database.engine === 'pglite') return await backUp(context)
    return await database.readAside(async (tx) => {
      // Another node may have made it between the look and the lock.
      return (await tryBackupLock(tx)) && (await isDue(context)) ? await backUp(context) : undefined
    })
  } finally {
    backups.isRunning = false
  }
}

async function isDue({ clock, config, database }: Needs): Promise<boolean> {
  const last = await findLastBackup(database)
  // A clock that was set back must not put the next one off for ever.
  return last === undefined || Math.abs(clock.now() - last.made_at.getTime()) >= config.backupEveryMs
}

async function backUp(context: Needs): Promise<string> {
  const { clock, config, database, log, metrics } = context
  const { backupDir, backupKeep, backupPassphrase } = config
  const madeAt = new Date(clock.now())
  const file = scheduledName(madeAt)
  const { bytes, result } = await writeFileWhole<BackupReport>(join(backupDir!, file), (write) =>
    makeBackup(backupOf(context, { passphrase: backupPassphrase, at: madeAt }), write),
  )
  await recordBackup(database, { made_at: madeAt, file, bytes, master_key: result.masterKey })
  const removed = await keepNewest(backupDir!, SCHEDULED_NAME, backupKeep)
  log.info({ file, bytes, ...result, removed }, 'a backup was made')
  metrics.countBackup('made')
  return file
}
