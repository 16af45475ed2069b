import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncPath } from '../database/pglite/durable-files.js'
import type { Write } from './backup-file.js'

/** The ending of a backup's name while it is being written. A killed process leaves a file with this ending. */
export const PARTIAL = '.partial'

/**
 * Writes a file so that it exists complete and on disk, or not at all, readable only by its owner. Returns its size and what
 * `fill` returns.
 */
export async function writeFileWhole<T>(
  path: string,
  fill: (write: Write) => Promise<T>,
): Promise<{ bytes: number; result: T }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const partial = path + PARTIAL
  await rm(partial, { force: true })
  let bytes = 0
  try {
    const file = await open(partial, 'wx', 0o600)
    let result: T
    try {
      result = await fill(async (block) => {
        for (let from = 0; from < block.length; ) from += (await file.write(block, from)).bytesWritten
        bytes += block.length
      })
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partial, path)
    await syncPath(dirname(path))
    return { bytes, result }
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}
