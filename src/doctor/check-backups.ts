import { findLastBackup } from '../backup/last-backup.store.js'
import { StorageError } from '../backup/storage/backup-storage.js'
import { openStorage } from '../backup/storage/open-storage.js'
import type { Config } from '../config/index.js'
import type { Database } from '../database/database.js'
import type { Clock } from '../lib/clock.js'
import { hasMedia } from '../media/media.store.js'
import { type Finding, findingsOf } from './finding.js'

const { ok, problem, warning } = findingsOf('backups')

/** Asks the storage that BACKUP_DIR names, where that is no directory. */
export async function checkStorage(config: Config): Promise<Finding[]> {
  if (config.backup?.dir !== undefined) return []
  try {
    const storage = await openStorage(config)
    if (storage === undefined) return []
    await storage.check()
    return [ok(`${storage.title} can be listed and written.`)]
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return [problem(error.message, 'As it says.')]
  }
}

/** Checks that the last backup is not late, and lacks no media. */
export async function checkBackups(database: Database, config: Config, clock: Clock): Promise<Finding[]> {
  const { backup, media } = config
  if (backup === null) return []
  if (media === null && (await hasMedia(database))) {
    return [
      problem(
        'There are uploaded media and no MEDIA_DIR, so that the backups lack them.',
        'Set MEDIA_DIR to the directory of the other nodes, or unset BACKUP_DIR here.',
      ),
      ...(await checkLastBackup(database, backup.everyMs, clock)),
    ]
  }
  return await checkLastBackup(database, backup.everyMs, clock)
}

async function checkLastBackup(database: Database, backupEveryMs: number, clock: Clock): Promise<Finding[]> {
  const last = await findLastBackup(database)
  if (last === undefined) return [warning('None was made yet.', 'See the log of the service.')]
  const found = `The last one is ${last.file}.`
  const isLate = clock.now() - last.made_at.getTime() > 2 * backupEveryMs
  if (!isLate && last.missing_media > 0) {
    return [
      problem(
        `${found} It lacks ${last.missing_media} uploaded files.`,
        'Set MEDIA_DIR right on the node that makes the backups, or restore the files into it.',
      ),
    ]
  }
  return [isLate ? problem(`${found} It is older than twice BACKUP_EVERY.`, 'See the log of the service.') : ok(found)]
}
