import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { toShellWord } from '../../lib/shell-word.js'
import { StartError } from '../../lib/start-error.js'
import { errorCode } from '../database.js'
import { NO_DESCRIPTORS } from './durable-fs.js'

/** SQLSTATE: data or an index that cannot be read, or a missing file. */
const DAMAGED_SQLSTATE = /^(XX001|XX002|58P01)$/

/** An error for lack of descriptors or memory says nothing about the files. */
const OF_THE_MACHINE = /too many open files|no file descriptors|out of memory|cannot allocate/i

/** The files of the embedded database are not what the engine wrote. */
export class DamagedDirectoryError extends StartError {
  constructor(
    readonly dataDir: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(
      `The embedded database in ${dataDir} is damaged (${reason}): ${putAside(dataDir)}, then restore the newest backup there (DATA_DIR=${toShellWord(dataDir)} greenroom restore FILE). The master key stays where it is.`,
      options,
    )
  }
}

/** Returns what to do before a restore, which needs an empty place. */
export const putAside = (dataDir: string): string =>
  `move it away (mv ${toShellWord(join(dataDir, 'database'))} ${toShellWord(join(dataDir, 'database.damaged'))})`

/** Returns DamagedDirectoryError for a statement's error that damaged files caused; any other error unchanged. */
export function asDamage(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || !DAMAGED_SQLSTATE.test(errorCode(error) ?? '')) return error
  return new DamagedDirectoryError(dataDir, error.message, { cause: error })
}

/** Does the same for an error of an engine that does not start on an existing directory: disk errors have a system code. */
export function asDamagedAtStart(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || error instanceof StartError || errorCode(error) !== undefined) return error
  if (isOfTheMachine(error)) return error
  return new DamagedDirectoryError(dataDir, reasonOf(error), { cause: error })
}

function isOfTheMachine(error: unknown): boolean {
  if (error === undefined || error === null) return false
  const { message = '', errno, cause } = error as { message?: string; errno?: unknown; cause?: unknown }
  return (
    error instanceof RangeError ||
    NO_DESCRIPTORS.includes(errno) ||
    OF_THE_MACHINE.test(message) ||
    isOfTheMachine(cause)
  )
}

/** Leaves out the time and the process number that the engine writes before its last message. */
const reasonOf = ({ message }: Error): string =>
  message
    .replace(/^.* does not start: /s, '')
    .replace(/^.*?(?=(?:PANIC|FATAL): )/s, '')
    .trimEnd()
    .replace(/\.$/, '')

/**
 * Throws for a directory without PG_VERSION: the engine would take it for a new one, and create an empty database over its
 * files.
 */
export function requireVersion(directory: string, dataDir: string): void {
  if (!existsSync(join(directory, 'PG_VERSION'))) throw new DamagedDirectoryError(dataDir, 'PG_VERSION is missing')
}
