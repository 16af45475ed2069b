import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { undefinedIfMissing } from '../../lib/missing-file.js'
import type { Queryable } from '../database.js'
import { checksumOfMigrations, migrateWithin } from '../migrate.js'

/** A cluster made by another version of PGlite may not start with this one. */
const library = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
const { version } = JSON.parse(readFileSync(join(library, '../package.json'), 'utf8'))

/** `npm run build` writes it, for the service and for the tests, which run the sources next to it. */
export const newClusterFile = (): URL =>
  new URL(`../../../dist/cluster-${version}-${checksumOfMigrations().slice(0, 16)}.tar.gz`, import.meta.url)

/**
 * Makes a database cluster with a service's tables and no data, as a compressed archive. It contains nothing of a particular
 * installation: that is created when a service first starts on it.
 */
export async function makeNewCluster(): Promise<Uint8Array> {
  const pglite = await PGlite.create()
  const tx: Queryable = {
    async query<Row>(text: string, values: readonly unknown[] = []) {
      const { rows } = await pglite.query<Row>(text, [...values])
      return { rows, rowCount: rows.length }
    },
    execute: async (text) => void (await pglite.exec(text)),
  }
  try {
    await pglite.exec('begin')
    await migrateWithin(tx)
    await pglite.exec('commit; checkpoint')
    return new Uint8Array(await (await pglite.dumpDataDir('gzip')).arrayBuffer())
  } finally {
    await pglite.close()
  }
}

/**
 * Reads the archive that PGlite starts from: making a cluster takes 3.4 s of processor time, and its tables another 0.7 s.
 * Returns undefined if no build made it for these migrations; PGlite then makes a cluster without tables.
 */
export async function readNewCluster(): Promise<Blob | undefined> {
  const packed = await readFile(newClusterFile()).catch(undefinedIfMissing)
  return packed && new Blob([packed], { type: 'application/gzip' })
}

/** Removes the archive's tables again. */
export const EMPTY_SCHEMA = 'drop schema public cascade; create schema public'

const BLOCK = 512

/**
 * Unpacks the archive into an empty directory. Returns false if the build made none. PGlite could do so through its own file
 * system, in four times the processor time.
 */
export async function unpackNewCluster(directory: string): Promise<boolean> {
  const packed = await readNewCluster()
  if (packed === undefined) return false
  const tar = await promisify(gunzip)(await packed.arrayBuffer())
  // Blocks of zeros end the archive. A header has the name first, then numbers in octal, then the kind: ustar, with short
  // names.
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const field = (from: number, bytes: number): string =>
      tar.toString('utf8', at + from, at + from + bytes).replace(/\0.*$/s, '')
    const [path, size, isDirectory] = [
      join(directory, field(0, 100)),
      Number.parseInt(field(124, 12), 8),
      field(156, 1) === '5',
    ]
    at += BLOCK
    if (isDirectory) mkdirSync(path, { recursive: true, mode: 0o700 })
    else writeFileSync(path, tar.subarray(at, at + size), { mode: 0o600 })
    at += Math.ceil(size / BLOCK) * BLOCK
  }
  return true
}
