/** Gives undefined for the error of a file that is not there. Throws every other error. */
export function undefinedIfMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  return undefined
}
