/** Errors of the disk: the system's code, the engine's number for it (WASI), and the engine's text. */
const DISK_ERRORS: readonly [code: string, errno: number, words: string][] = [
  ['ENOSPC', 51, 'No space left on device'],
  ['EDQUOT', 19, 'Disk quota exceeded'],
  ['EROFS', 69, 'Read-only file system'],
  ['EACCES', 2, 'Permission denied'],
  ['EPERM', 63, 'Operation not permitted'],
]

/** Returns the code of the error if it is one of the disk. The engine may have reported it only in its last message. */
export function diskErrorOf(error: unknown, lastWords = ''): string | undefined {
  const { errno, code, cause } = (error ?? {}) as { errno?: unknown; code?: unknown; cause?: unknown }
  const found = DISK_ERRORS.find(
    ([name, number, words]) => number === errno || name === code || (lastWords !== '' && lastWords.includes(words)),
  )
  return found?.[0] ?? (cause === undefined || cause === null ? undefined : diskErrorOf(cause))
}

const FULL = ['ENOSPC', 'EDQUOT']

export const isFullDisk = (error: unknown): boolean => FULL.includes(diskErrorOf(error) ?? '')
