import { readFileSync } from 'node:fs'

/** Returns the text of a file; undefined if it does not exist. Throws the error of a file that cannot be read. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
