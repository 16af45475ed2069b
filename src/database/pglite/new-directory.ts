import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../lib/start-error.js'
import type { Database } from '../database.js'
import { makeDirectory, syncPath, syncTree } from './durable-files.js'
import { openPglite } from './pglite.js'
import { takeProcessLock } from './process-lock.js'

/**
 * An embedded database that is filled before it takes its place in a data directory that has none: until `finish` there is
 * none, after it a complete one. `again` continues what an earlier call left. Throws StartError if there is a database.
 */
export async function fillDirectory<T>(
  dataDir: string,
  { again, fill, finish }: { again: boolean; fill(database: Database): Promise<T>; finish(): void },
): Promise<T> {
  await makeDirectory(dataDir)
  const directory = join(dataDir, 'database')
  const lock = await takeProcessLock(`${directory}.lock`)
  try {
    if (existsSync(directory)) {
      throw new StartError(`There is already a database in ${dataDir}: choose an empty directory.`)
    }
    const draft = `${directory}.filling`
    if (!again) rmSync(draft, { recursive: true, force: true })
    // A filling that starts over needs nothing on disk before its end; one that continues must be complete after a power
    // cut.
    const database = await openPglite({ dataDir: draft, isThrownAway: !again })
    let result: T
    try {
      result = await fill(database)
    } finally {
      await database.close()
    }
    await syncTree(join(draft, 'database'))
    finish()
    lock.assertHeld()
    renameSync(join(draft, 'database'), directory)
    await syncPath(dataDir)
    rmSync(draft, { recursive: true, force: true })
    return result
  } finally {
    lock.release()
  }
}
