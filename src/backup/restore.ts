import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Database } from '../database/database.js'
import { knownMigrations } from '../database/migrate.js'
import { syncPath } from '../database/pglite/durable-files.js'
import {
  beginFilling,
  digestOf,
  emptyTables,
  endFilling,
  insertRows,
  readAlone,
  readShape,
  type Table,
} from '../database/rows.js'
import { refuseOtherKeys, restoreKeys } from '../lib/master-key.js'
import { StartError } from '../lib/start-error.js'
import { BackupError, type Header, linesOf } from './backup-file.js'
import { fillPlace, notEmpty, type Place } from './place.js'
import { type Contents, type OnProgress, partsOf, verifyBackup } from './verify.js'

export interface Restoration {
  file: string
  place: Place
  mediaDir: string | undefined
  /** Opens the master key; without it none is written. */
  passphrase: string | undefined
  /** Where the master key is written, instead of into a data directory. */
  masterKeyFile: string | undefined
  onProgress?: OnProgress
}

/** In MEDIA_DIR while files are put there. */
const MARK = '.unfinished-restore'

/**
 * Restores a backup into an empty place: it is read and checked whole before anything is changed, and what was stored is held
 * against it afterwards. Broken off, it begins again. Throws BackupError or StartError.
 */
export async function restoreBackup(restoration: Restoration): Promise<Contents> {
  const { file, place, mediaDir, passphrase, masterKeyFile, onProgress } = restoration
  const contents = await verifyBackup(file, { passphrase, onProgress })
  refuseFuture(contents)
  const keys = contents.masterKeys ?? []
  const keyFile = masterKeyFile ?? ('dataDir' in place ? join(place.dataDir, 'master.key') : undefined)
  if (keyFile !== undefined) refuseOtherKeys(keyFile, keys)
  if (contents.mediaFiles > 0) {
    if (mediaDir === undefined) throw new StartError('The backup holds media: set MEDIA_DIR to an empty directory.')
    await beginMedia(mediaDir)
  }
  await fillPlace(place, {
    filling: { kind: 'restore', source: contents.sha256 },
    again: false,
    async fill(database, found) {
      if (found === 'something') throw notEmpty(place)
      await beginFilling(database, { kind: 'restore', source: contents.sha256 }, contents.head.migrations)
      await fillFrom(database, contents, restoration)
    },
    finish() {
      if (keyFile !== undefined) restoreKeys(keyFile, keys)
    },
  })
  if (mediaDir !== undefined) await rm(join(mediaDir, MARK), { force: true })
  return contents
}

function refuseFuture({ head }: Contents): void {
  const known = new Set(knownMigrations())
  const unknown = head.migrations.filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new BackupError(
    `It is of a newer schema (${unknown.join(', ')}), made by version ${head.program}: restore it with that version, or a later one.`,
  )
}

async function fillFrom(
  database: Database,
  { head, digests }: Contents,
  { file, mediaDir, onProgress = () => {} }: Restoration,
): Promise<void> {
  const { tables } = await readShape(database)
  requireSameTables(head.tables, tables)
  // What an attempt before has left.
  await database.transaction((tx) => emptyTables(tx, tables))
  for await (const { header, content } of partsOf(file)) {
    if (header.part === 'rows') {
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
        throw new BackupError(`The table ${table.name} was not stored as it is in it.`)
    }
  })
  await endFilling(database, head)
}

/** Its columns may stand in another order. */
function requireSameTables(given: readonly Table[], made: readonly Table[]): void {
  const describe = (tables: readonly Table[]): string =>
    JSON.stringify(
      tables
        .map(({ name, columns }) => [name, columns.map((column) => `${column.name} ${column.type}`).sort()])
        .sort(([a], [b]) => (a! < b! ? -1 : 1)),
    )
  if (describe(given) !== describe(made))
    throw new BackupError('Its tables are not those of its schema: take another backup.')
}

async function beginMedia(mediaDir: string): Promise<void> {
  await mkdir(mediaDir, { recursive: true, mode: 0o700 })
  const names = await readdir(mediaDir)
  if (names.length > 0 && !names.includes(MARK)) {
    throw new StartError(`There are files in MEDIA_DIR ${mediaDir} already: set it to an empty directory.`)
  }
  await (await open(join(mediaDir, MARK), 'w')).close()
}

async function writeMedia(
  mediaDir: string,
  { organization, name }: Extract<Header, { part: 'media' }>,
  content: AsyncIterable<Buffer>,
): Promise<void> {
  if (!/^[\w-]+$/.test(organization) || !/^[\w-]+\.\w+$/.test(name))
    throw new BackupError('It names a file that cannot be.')
  const path = join(mediaDir, organization, name)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'w', 0o600)
  try {
    for await (const bytes of content)
      for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
    await file.sync()
  } finally {
    await file.close()
  }
  await syncPath(dirname(path))
}
