import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findDatabaseUrlMistake } from '../config/database.js'
import type { Database } from '../database/database.js'
import { fillDirectory } from '../database/pglite/new-directory.js'
import { openPglite } from '../database/pglite/pglite.js'
import { openPostgres } from '../database/postgres.js'
import { type Filling, findFilling, isEmpty, serverEncoding } from '../database/rows.js'
import { isInUse } from '../database/running.js'
import { StartError } from '../lib/start-error.js'
import type { Wait } from '../lib/wait.js'

/** The place of a database: a PostgreSQL by its URL, or a data directory. */
export type Place = { url: string } | { dataDir: string }

/** Names the place for a person, without its password. */
export function describePlace(place: Place): string {
  if ('dataDir' in place) return place.dataDir
  const { hostname, port, pathname } = new URL(place.url)
  return `the PostgreSQL database ${decodeURIComponent(pathname.slice(1))} at ${hostname}${port === '' ? '' : `:${port}`}`
}

/** Parses `postgres://…` or a directory. Throws StartError for any other or malformed URL, which may contain a password. */
export function toPlace(text: string): Place {
  if (!/^postgres(ql)?:|:\/\//.test(text)) return { dataDir: text }
  const mistake = findDatabaseUrlMistake(text)
  if (mistake !== undefined) throw new StartError(`The URL of the database ${mistake}`)
  return { url: text }
}

const openUrl = (url: string): Database => openPostgres({ url, poolMax: 4, applicationName: 'greenroom command' })

/** Opens the database of a place. Throws StartError if there is none, or another process holds it. */
export async function openPlace(place: Place): Promise<Database> {
  if ('url' in place) return openUrl(place.url)
  if (!existsSync(join(place.dataDir, 'database'))) {
    throw new StartError(`There is no database in ${place.dataDir}: specify the data directory of a service.`)
  }
  return await openPglite({ dataDir: place.dataDir })
}

/** The same for the duration of `work`. */
export async function withPlace<T>(place: Place, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openPlace(place)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** The state of a place that is about to be filled. */
export type Found = 'nothing' | 'unfinished' | 'something'

/**
 * Fills an empty place. `fill` gets what is there: `unfinished` for the same copy, or `something`, about which it decides.
 * In a directory the database exists once `finish` has run, not before. Throws StartError for a place that is not empty.
 */
export async function fillPlace<T>(
  place: Place,
  {
    filling,
    again,
    fill,
    finish,
  }: { filling: Filling; again: boolean; fill(database: Database, found: Found): Promise<T>; finish(): void },
): Promise<T> {
  const fillChecked = async (database: Database): Promise<T> => {
    const found = await findFilling(database)
    if (found === undefined) return await fill(database, (await isEmpty(database)) ? 'nothing' : 'something')
    if (found.kind === filling.kind && found.source === filling.source) return await fill(database, 'unfinished')
    throw new StartError(
      `An earlier ${found.kind} into ${describePlace(place)} is not finished: finish it, or choose an empty place.`,
    )
  }
  if ('dataDir' in place) return await fillDirectory(place.dataDir, { again, fill: fillChecked, finish })
  const database = openUrl(place.url)
  try {
    const encoding = await serverEncoding(database)
    if (encoding !== 'UTF8') {
      throw new StartError(`${describePlace(place)} has the encoding ${encoding}: create a database with UTF8.`)
    }
    const result = await fillChecked(database)
    finish()
    return result
  } finally {
    await database.close()
  }
}

/** Throws StartError while a service is running on the database. */
export async function refuseInUse(database: Database, place: Place, wait?: Wait): Promise<void> {
  if (!(await isInUse(database, wait))) return
  throw new StartError(`Services are running on ${describePlace(place)}: stop all of them first.`)
}

export const notEmpty = (place: Place): StartError =>
  new StartError(`${describePlace(place)} is not empty: choose an empty place.`)
