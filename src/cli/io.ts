import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../lib/clock.js'

type Terminal = { isTTY?: boolean; columns?: number }

/** What a command touches of its process. Tests pass streams of their own. */
export interface Io {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & Terminal
  stderr: Writable & Terminal
  /** The process's own when absent. */
  env?: Record<string, string | undefined>
  clock: Clock
}

/** What every command gets. */
export interface Cli extends Io {
  /** Whether results are printed as JSON: asked for with `--json`, or because nobody reads them on a terminal. */
  asJson(): boolean
}

/** 1: refused, by the server or in part. 2: called or set up wrongly. 3: the server cannot be reached. */
export type ExitCode = 0 | 1 | 2 | 3

/** Ends the command with a message for a person: no stack, no secret. */
export class CliError extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
  ) {
    super(message)
    this.name = 'CliError'
  }
}

/** The sentence for a file of the caller's that cannot be read. */
export function unreadableFile(file: string, error: unknown): CliError {
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a directory',
    EACCES: 'you may not read it',
  }
  const { code = '', message } = error as NodeJS.ErrnoException
  return new CliError(2, `${file} cannot be read: ${reasons[code] ?? message}.`)
}

/** Appended to the help of a command. */
export const example = (text: string): string => `\nExample:\n  ${text}`
