import type { Context } from '../http/context.js'
import { BACKUP_WEAKNESSES } from '../interface/server.js'
import type { Wait } from '../lib/wait.js'
import { hasMedia } from '../media/media.store.js'
import { createDiskReader } from '../observability/disks.js'
import { startLoop } from '../work/loop.js'
import { SCHEDULED_NAME, scheduledName } from './backup-name.js'
import { findLastBackup, recordBackup, tryBackupLock } from './last-backup.store.js'
import { type BackupReport, backupOf, makeBackup, warnOfMissingMedia } from './make-backup.js'
import { type BackupStorage, keepNewest, StorageError } from './storage/backup-storage.js'
import { openStorage } from './storage/open-storage.js'
import { findSharedDisk } from './weaknesses.js'

const LOOK_EVERY_MS = 60_000
/** The delay after a failure, such as a full disk. */
const AGAIN_AFTER_MS = 15 * 60_000

/** The parts of the process's context that the schedule uses. */
type Needs = Pick<
  Context,
  'backups' | 'clock' | 'config' | 'database' | 'log' | 'metrics' | 'passphraseCost' | 'sealMasterKeys'
>

/** Makes a backup in BACKUP_DIR whenever the last one is older than BACKUP_EVERY. Returns undefined without a BACKUP_DIR. */
export function startBackupSchedule(context: Needs, wait?: Wait): { stop(): void } | undefined {
  const { config, clock, log, metrics } = context
  if (config.backup === null) return undefined
  if (config.backup.passphrase === undefined) {
    log.warn(
      'the backups are not encrypted or authenticated and lack the master key, without which no secret can be decrypted: set BACKUP_PASSPHRASE',
    )
  }
  let hasLooked = false
  let notBefore = 0
  async function look(signal: AbortSignal): Promise<void> {
    if (!hasLooked) await Promise.all([logMissingMediaDir(context), warnOfSharedDisk(context)])
    hasLooked = true
    // The first check does not wait for the backup, which may run at night. An unusable place may become usable.
    if (context.backups.isPlaceUsable !== true) await checkPlace(context)
    if (signal.aborted || clock.now() < notBefore) return
    await backUpWhenDue(context).catch((error) => {
      notBefore = clock.now() + AGAIN_AFTER_MS
      metrics.countBackup('failed')
      log.error({ err: error }, 'the backup could not be made')
    })
  }
  const timing = { name: 'the backup schedule', log, everyMs: LOOK_EVERY_MS, ...(wait && { wait }) }
  const loop = startLoop((_reason, signal) => look(signal), timing)
  // A running backup may take long, and nothing waits for it: an interrupted one leaves an unfinished file.
  return { stop: () => void loop.stop() }
}

/** Checks whether the next backup can be written, for the log and the metrics. Never throws. */
async function checkPlace({ backups, config, log }: Needs): Promise<void> {
  const before = backups.isPlaceUsable
  try {
    await (await openStorage(config))?.check()
    backups.isPlaceUsable = true
    if (before === false) log.info('backups can be written to BACKUP_DIR again')
  } catch (error) {
    backups.isPlaceUsable = false
    if (before !== false) log.error({ err: error }, 'backups cannot be written to BACKUP_DIR')
  }
}

/** Logs an error if this node's backups lack media. Never throws. */
async function logMissingMediaDir({ config, database, log }: Needs): Promise<void> {
  try {
    if (config.media === null && (await hasMedia(database))) log.error(NO_MEDIA_DIR)
  } catch (error) {
    log.warn({ err: error }, 'the check for uploaded media failed')
  }
}

/** Leaves out a disk that does not answer in time. Never throws. */
async function warnOfSharedDisk({ config, log }: Needs): Promise<void> {
  const shared = findSharedDisk(await createDiskReader(config)())
  if (shared === undefined) return
  const { finding, remedy } = BACKUP_WEAKNESSES.same_disk
  log.warn({ BACKUP_DIR: config.backup?.dir, [shared.setting]: shared.path, remedy }, finding)
}

const NO_MEDIA_DIR =
  'the backups of this node lack all uploaded media, because it has no MEDIA_DIR: set it to the directory of the other nodes, or unset BACKUP_DIR here'

/** Makes a backup if one is due and no other node is making it. Returns the name of its file. */
export async function backUpWhenDue(context: Needs): Promise<string | undefined> {
  const { backups, database } = context
  if (backups.isRunning || !(await isDue(context))) return undefined
  backups.isRunning = true
  try {
    if (database.engine === 'pglite') return await backUp(context)
    return await database.readAside(async (tx) => {
      // Another node may have made it between the check and the lock.
      return (await tryBackupLock(tx)) && (await isDue(context)) ? await backUp(context) : undefined
    })
  } finally {
    backups.isRunning = false
  }
}

async function isDue({ clock, config, database }: Needs): Promise<boolean> {
  const last = await findLastBackup(database)
  // A clock that was set back must not postpone the next backup forever.
  return last === undefined || Math.abs(clock.now() - last.made_at.getTime()) >= config.backup!.everyMs
}

async function backUp(context: Needs): Promise<string> {
  const { backups, clock, config, database, log, metrics } = context
  const storage = (await openStorage(config))!
  const madeAt = new Date(clock.now())
  const file = scheduledName(madeAt)
  const { bytes, result } = await storage
    .write<BackupReport>(file, (write) =>
      makeBackup(backupOf(context, { passphrase: config.backup?.passphrase, at: madeAt }), write),
    )
    .catch((error) => {
      if (error instanceof StorageError) backups.isPlaceUsable = false
      throw error
    })
  backups.isPlaceUsable = true
  const { masterKey, missingMediaFiles } = result
  const about = { made_at: madeAt, file, bytes, master_key: masterKey, missing_media: missingMediaFiles }
  await recordBackup(database, about)
  const removed = await cleanUp(storage, context)
  log.info({ file, bytes, ...result, removed }, 'a backup was made')
  warnOfMissingMedia(result, context)
  metrics.countBackup('made')
  return file
}

/** A key that may not delete keeps everything, which is no reason to repeat the backup. */
async function cleanUp(storage: BackupStorage, { config, log }: Needs): Promise<string[]> {
  const removed = await keepNewest(storage, SCHEDULED_NAME, config.backup!.keep).catch((error) => {
    log.warn({ err: error }, 'older backups could not be removed')
    return []
  })
  const unfinished = await storage.removeUnfinished(SCHEDULED_NAME).catch((error) => {
    log.warn({ err: error }, 'unfinished backups could not be removed')
    return []
  })
  return [...removed, ...unfinished]
}
