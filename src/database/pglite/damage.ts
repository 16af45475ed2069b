import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../lib/start-error.js'
import { errorCode } from '../database.js'

/** SQLSTATE: data or an index that cannot be read, and a file that is not there. */
const DAMAGED_SQLSTATE = /^(XX001|XX002|58P01)$/

/** Descriptors or memory that the machine does not give say nothing of the files. */
const OF_THE_MACHINE = /too many open files|no file descriptors|out of memory|cannot allocate/i

/** The files of the embedded database are not what the engine has written. */
export class DamagedDirectoryError extends StartError {
  constructor(
    readonly dataDir: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(
      `The embedded database in ${dataDir} is damaged (${reason}): ${putAside(dataDir)}, and restore the newest backup there (DATA_DIR=${dataDir} greenroom restore FILE). The master key stays where it is.`,
      options,
    )
  }
}

/** Says what comes before a restore, which takes an empty place. */
export const putAside = (dataDir: string): string =>
  `put it aside (mv ${join(dataDir, 'database')} ${join(dataDir, 'database.damaged')})`

/** The same error of a statement as a sentence, if the files are what is wrong. */
export function asDamage(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || !DAMAGED_SQLSTATE.test(errorCode(error) ?? '')) return error
  return new DamagedDirectoryError(dataDir, error.message, { cause: error })
}

/** The same for an engine that does not start on a directory that was made before: an error of the disk has a code of the system. */
export function asDamagedAtStart(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || error instanceof StartError || errorCode(error) !== undefined) return error
  if (error.cause instanceof RangeError || OF_THE_MACHINE.test(error.message)) return error
  return new DamagedDirectoryError(dataDir, reasonOf(error), { cause: error })
}

/** Leaves out the time and the number of the process that the engine writes before its last words. */
const reasonOf = ({ message }: Error): string =>
  message
    .replace(/^.* does not start: /s, '')
    .replace(/^.*?(?=(?:PANIC|FATAL): )/s, '')
    .replace(/\.?\s*$/, '')

/** Throws for a directory that the engine would take for a new one, and make a database in over the one that is there. */
export function requireVersion(directory: string, dataDir: string): void {
  if (!existsSync(join(directory, 'PG_VERSION'))) throw new DamagedDirectoryError(dataDir, 'PG_VERSION is missing')
}
