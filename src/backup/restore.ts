import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { recordAudit, SERVER } from '../audit/audit.store.js'
import type { Database } from '../database/database.js'
import { knownMigrations } from '../database/migrate.js'
import {
  beginFilling,
  digestOf,
  emptyTables,
  endFilling,
  insertRows,
  readAlone,
  readShape,
  refuseUnfinished,
  type Table,
} from '../database/rows.js'
import { setAside } from '../database/set-aside.js'
import { type Clock, systemClock } from '../lib/clock.js'
import { refuseOtherKeys, restoreKeys } from '../lib/master-key.js'
import { StartError } from '../lib/start-error.js'
import type { Wait } from '../lib/wait.js'
import { BackupError, type Header, linesOf } from './backup-file.js'
import { findLastBackup, type LastBackup } from './last-backup.store.js'
import { type BackupSource, openBackupFile } from './open-backup.js'
import { describePlace, fillPlace, notEmpty, type Place, refuseInUse, withPlace } from './place.js'
import {
  endWaysIn,
  findExportedBefore,
  isOfSameInstallation,
  listUndoneChanges,
  type ReplacedTrail,
  readReplacedTrail,
  type UndoneChange,
} from './restored.store.js'
import { type Contents, type OnProgress, verifyBackup } from './verify.js'
import { writeFileWhole } from './write-file.js'

export interface Restoration {
  file: BackupSource
  place: Place
  mediaDir: string | undefined
  /** Opens an encrypted backup, and the master key; without it no key is written. */
  passphrase: string | undefined
  /** False leaves the master key in the backup. */
  masterKey?: boolean
  /** The file for the master key, instead of one in a data directory. */
  masterKeyFile: string | undefined
  /**
   * The stopped server that the restored one replaces: its audit trail shows what the restore undoes, and it is set aside.
   */
  replaces?: Place | undefined
  clock?: Clock
  onProgress?: OnProgress
  /** Waits between two checks whether services are still running on the replaced server. */
  wait?: Wait | undefined
}

export interface Restored extends Contents {
  /** The number of ways in that the restore ended, by noun. */
  ended: Record<string, number>
  /** Undefined without a replaced server. */
  undone: UndoneChange[] | undefined
  /** A backup that the replaced server made after this one. */
  newerBackup: LastBackup | undefined
  /** `undone` may lack changes between the backup and this instant: the replaced server has them only in files. */
  exportedBefore: Date | undefined
}

interface Replaced extends Pick<Restored, 'newerBackup' | 'exportedBefore'> {
  place: Place
  trail: ReplacedTrail
}

/** Present in MEDIA_DIR while files are being put there. */
const MARK = '.unfinished-restore'

/**
 * Restores a backup into an empty place. The whole backup is read and verified before anything is changed, and the stored
 * rows are compared with it afterwards. Sessions and links are ended, because some of them have ended since the backup. An
 * interrupted restore starts over. Throws BackupError or StartError.
 */
export async function restoreBackup(restoration: Restoration): Promise<Restored> {
  const { file, place, mediaDir, passphrase, masterKey = true, masterKeyFile, replaces, onProgress } = restoration
  const contents = await verifyBackup(file, { passphrase, onProgress })
  refuseFuture(contents)
  const keys = (masterKey ? contents.masterKeys : undefined) ?? []
  const keyFile = masterKeyFile ?? ('dataDir' in place ? join(place.dataDir, 'master.key') : undefined)
  if (keyFile !== undefined) refuseOtherKeys(keyFile, keys)
  const replaced = replaces === undefined ? undefined : await readReplaced(replaces, contents, restoration.wait)
  if (contents.mediaFiles > 0) {
    if (mediaDir === undefined) throw new StartError('The backup contains media: set MEDIA_DIR to an empty directory.')
    await beginMedia(mediaDir)
  }
  const filling = { kind: 'restore', source: contents.sha256 } as const
  const report = await fillPlace(place, {
    filling,
    again: false,
    async fill(database, found) {
      if (found === 'something') throw notEmpty(place)
      await beginFilling(database, filling, contents.head.migrations)
      await fillFrom(database, contents, restoration)
      return await finishRestore(database, contents, replaced, restoration)
    },
    finish() {
      if (keyFile !== undefined) restoreKeys(keyFile, keys)
    },
  })
  if (mediaDir !== undefined) await rm(join(mediaDir, MARK), { force: true })
  return { ...contents, ...report, newerBackup: replaced?.newerBackup, exportedBefore: replaced?.exportedBefore }
}

/** Reads what the replaced server knows, without changing it. Throws StartError if there is none, or it is running. */
const readReplaced = (place: Place, { head }: Contents, wait: Wait | undefined): Promise<Replaced> =>
  withPlace(place, async (database) => {
    await refuseUnfinished(database, describePlace(place))
    await refuseInUse(database, place, wait)
    const { tables } = await readShape(database).catch((cause) => {
      throw new StartError(
        `There is no Greenroom database in ${describePlace(place)}: specify the server that this one replaces.`,
        {
          cause,
        },
      )
    })
    const has = (table: string): boolean => tables.some(({ name }) => name === table)
    if (!has('audit_trail') || !has('master_keys')) {
      throw new StartError(
        `The database in ${describePlace(place)} is from a version without an audit trail of the server: omit --replaces, and stop that server permanently.`,
      )
    }
    const exportedBefore = await findExportedBefore(database)
    const last = has('last_backup') ? await findLastBackup(database) : undefined
    return {
      place,
      trail: await readReplacedTrail(database, new Date(head.at)),
      newerBackup: last !== undefined && last.made_at.getTime() > Date.parse(head.at) ? last : undefined,
      exportedBefore: exportedBefore !== undefined && exportedBefore > new Date(head.at) ? exportedBefore : undefined,
    }
  })

/** Ends the ways in, and lets services start on the database. */
async function finishRestore(
  database: Database,
  { head, isAuthenticated }: Contents,
  replaced: Replaced | undefined,
  { place, clock = systemClock }: Restoration,
): Promise<Pick<Restored, 'ended' | 'undone'>> {
  const tables = head.tables.map(({ name }) => name)
  const at = new Date(clock.now())
  if (replaced !== undefined && !(await isOfSameInstallation(database, replaced.trail))) {
    throw new StartError(
      `The database in ${describePlace(replaced.place)} and the backup are from different installations: specify the server that this one replaces.`,
    )
  }
  const undone = replaced === undefined ? undefined : await listUndoneChanges(database, replaced.trail)
  let ended: Record<string, number> = {}
  // The replaced server is set aside before this one is complete, so that no service can ever start on both.
  if (replaced !== undefined) {
    const mark = { kind: 'replaced', place: describePlace(place), at } as const
    await withPlace(replaced.place, async (before) => {
      const shape = await readShape(before)
      await before.transaction((tx) => setAside(tx, shape.tables, mark))
    })
  }
  await endFilling(database, head, async (tx) => {
    ended = await endWaysIn(tx, tables)
    await recordAudit(tx, {
      principal: { organizationId: SERVER, actor: { type: 'operator' } },
      at,
      operation: 'restoreBackup',
      target: { type: 'server', id: SERVER },
      changes: { backupId: head.id, madeAt: head.at, authenticated: isAuthenticated, ended },
    })
  })
  return { ended, undone }
}

function refuseFuture({ head }: Contents): void {
  const known = new Set(knownMigrations())
  const unknown = head.migrations.filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new BackupError(
    `It has a newer schema (${unknown.join(', ')}), made by version ${head.program}: restore it with that version or a later one.`,
  )
}

async function fillFrom(
  database: Database,
  { head, digests, sha256, isAuthenticated }: Contents,
  { file, mediaDir, passphrase, onProgress = () => {} }: Restoration,
): Promise<void> {
  const { tables } = await readShape(database)
  requireSameTables(head.tables, tables)
  // Left by an earlier attempt.
  await database.transaction((tx) => emptyTables(tx, tables))
  const again = await openBackupFile(file, passphrase)
  if (again.isAuthenticated !== isAuthenticated) throw changedMeanwhile()
  for await (const { header, content } of again.parts) {
    if (header.part === 'end') {
      if (header.sha256 !== sha256) throw changedMeanwhile()
    } else if (header.part === 'rows') {
      const table = head.tables.find(({ name }) => name === header.table)!
      let rows = 0
      for await (const lines of linesOf(content)) {
        await database.transaction((tx) => insertRows(tx, table, lines))
        rows += lines.length
        onProgress(table.name, rows)
      }
    } else if (header.part === 'media') {
      await writeMedia(mediaDir!, header, content)
    }
  }
  await readAlone(database, async (tx) => {
    for (const table of head.tables) {
      const stored = await digestOf(tx, table)
      if (!stored.equals(digests[table.name]!))
        throw new BackupError(`The stored rows of the table ${table.name} differ from those of the backup.`)
    }
  })
}

const changedMeanwhile = (): BackupError =>
  new BackupError('It changed while it was being restored, so nothing was restored. Use another copy of it.')

/** The columns may be in another order. */
function requireSameTables(given: readonly Table[], made: readonly Table[]): void {
  const describe = (tables: readonly Table[]): string =>
    JSON.stringify(
      tables
        .map(({ name, columns }) => [name, columns.map((column) => `${column.name} ${column.type}`).sort()])
        .sort(([a], [b]) => (a! < b! ? -1 : 1)),
    )
  if (describe(given) !== describe(made))
    throw new BackupError('Its tables do not match its schema: use another backup.')
}

async function beginMedia(mediaDir: string): Promise<void> {
  await mkdir(mediaDir, { recursive: true, mode: 0o700 })
  const names = await readdir(mediaDir)
  if (names.length > 0 && !names.includes(MARK)) {
    throw new StartError(`MEDIA_DIR ${mediaDir} is not empty: set it to an empty directory.`)
  }
  await (await open(join(mediaDir, MARK), 'w')).close()
}

async function writeMedia(
  mediaDir: string,
  { organization, name }: Extract<Header, { part: 'media' }>,
  content: AsyncIterable<Buffer>,
): Promise<void> {
  if (!/^[\w-]+$/.test(organization) || !/^[\w-]+(\.\w+)+$/.test(name))
    throw new BackupError('It contains an invalid file name.')
  await writeFileWhole(join(mediaDir, organization, name), async (write) => {
    for await (const bytes of content) await write(bytes)
  })
}
