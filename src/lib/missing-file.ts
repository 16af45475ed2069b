/** Returns undefined for the error of a missing file, and throws every other error. */
export function undefinedIfMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  return undefined
}
