import { statSync } from 'node:fs'

/** Returns whether the path is a pipe or a device, whose content can be read only once. False if it does not exist. */
export function isPipe(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isFile() && !found.isDirectory()
}
