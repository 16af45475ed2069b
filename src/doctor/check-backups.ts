import { findLastBackup } from '../backup/last-backup.store.js'
import { StorageError } from '../backup/storage/backup-storage.js'
import { openStorage } from '../backup/storage/open-storage.js'
import { findSharedDisk } from '../backup/weaknesses.js'
import { BACKUP_WEAKNESSES } from '../interface/server.js'
import { hasMedia } from '../media/media.store.js'
import { createDiskReader } from '../observability/disks.js'
import { type Examined, type ExaminedDatabase, type Findings, findingsOf } from './finding.js'

const { ok, problem, warning } = findingsOf('backups')

/** Checks whether BACKUP_DIR is on a different disk from the data, or asks the storage that it names. */
export async function* checkStorage(examined: Examined): Findings {
  const { config } = examined
  if (config.backup?.dir !== undefined) return yield* checkOtherDisk(examined)
  try {
    const storage = await openStorage(config)
    await storage?.check()
    if (storage !== undefined) yield ok(`${storage.title} can be listed and written.`)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    yield problem(error.message, 'The finding says what to do.')
  }
}

async function* checkOtherDisk({ config, statfs }: Examined): Findings {
  const shared = findSharedDisk(await createDiskReader(config, statfs)())
  if (shared !== undefined) {
    const { finding, remedy } = BACKUP_WEAKNESSES.same_disk
    return yield warning(`${finding.replace(/\.$/, '')} (${shared.setting} ${shared.path}).`, remedy)
  }
  yield ok(
    config.database.url === undefined
      ? 'BACKUP_DIR is on a different disk than the data, as far as the system can distinguish disks.'
      : 'It cannot be checked from here whether PostgreSQL keeps its data on the disk of BACKUP_DIR.',
  )
}

/** Checks that the last backup is not overdue, and lacks no media. */
export async function* checkBackups({ database, config, clock }: ExaminedDatabase): Findings {
  const { backup, media } = config
  if (backup === null) return
  if (media === null && (await hasMedia(database))) {
    yield problem(
      'There are uploaded media but no MEDIA_DIR, so the backups lack them.',
      'Set MEDIA_DIR to the directory of the other nodes, or unset BACKUP_DIR here.',
    )
  }
  const last = await findLastBackup(database)
  if (last === undefined) return yield warning('No backup has been made yet.', 'See the log of the service.')
  const found = `The last backup is ${last.file}.`
  // Without a passphrase, the check of the configuration already reports this.
  if (backup.passphrase !== undefined && !last.master_key) {
    const { finding, remedy } = BACKUP_WEAKNESSES.no_master_key
    yield warning(finding, remedy)
  }
  if (clock.now() - last.made_at.getTime() > 2 * backup.everyMs) {
    yield problem(`${found} It is older than twice BACKUP_EVERY.`, 'See the log of the service.')
  } else if (last.missing_media > 0) {
    yield problem(
      `${found} It lacks ${last.missing_media} uploaded files.`,
      'Correct MEDIA_DIR on the node that makes the backups, or restore the files into it.',
    )
  } else yield ok(found)
}
