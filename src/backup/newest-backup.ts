import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the newest backup in these directories; undefined if there is none. */
export function findNewestBackup(directories: readonly string[]): string | undefined {
  const files = directories.flatMap(listBackups)
  return files.toSorted((a, b) => b.writtenAt - a.writtenAt)[0]?.path
}

function listBackups(directory: string): { path: string; writtenAt: number }[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.backup'))
      .map((name) => join(directory, name))
      .map((path) => ({ path, writtenAt: statSync(path).mtimeMs }))
  } catch {
    return []
  }
}
