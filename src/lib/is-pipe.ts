import { statSync } from 'node:fs'

/** Tells if the path is that of a pipe or a device, which gives its content once. False where there is nothing. */
export function isPipe(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isFile() && !found.isDirectory()
}
