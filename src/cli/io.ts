import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../lib/clock.js'

type Terminal = { isTTY?: boolean; columns?: number }

/** The parts of the process that commands use. Tests pass their own. */
export interface Io {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & Terminal
  stderr: Writable & Terminal
  /** Defaults to the environment of the process. */
  env?: Record<string, string | undefined>
  clock: Clock
  /** Waits between two attempts of a call. Defaults to a timer. */
  wait?: (ms: number) => Promise<void>
}

/** The formats of results: aligned text for people, the others for programs. */
export type Format = 'table' | 'json' | 'ndjson' | 'csv'

/** The context that every command receives. */
export interface Cli extends Io {
  /** Returns the format given by `--json`, `--ndjson` or `--csv`, or undefined if none was given. */
  givenFormat(): Exclude<Format, 'table'> | undefined
  /** Returns the given format. The default is a table on a terminal and JSON elsewhere. */
  format(): Format
  /** Returns the name given by `--profile`. */
  profile(): string | undefined
}

/** 1: refused, wholly or in part. 2: wrong usage or settings. 3: server unreachable. 130: ended by Ctrl-C. */
export type ExitCode = 0 | 1 | 2 | 3 | 130

/** Ends the command with a message for people, without a stack or secrets. */
export class CliError extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
  ) {
    super(message)
    this.name = 'CliError'
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file or directory',
  ENOTDIR: 'a part of its path is not a directory',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
}

/** Returns the error for a file that cannot be read. */
export function unreadableFile(file: string, error: unknown): CliError {
  const reasons: Record<string, string> = { ENOENT: 'there is no such file', EACCES: 'permission denied' }
  const { code = '', message } = error as NodeJS.ErrnoException
  return new CliError(2, `${file} cannot be read: ${reasons[code] ?? REASONS[code] ?? message}.`)
}

/** Returns the error for a file that cannot be written. */
export function unwritableFile(file: string, error: unknown): CliError {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new CliError(2, `${file} cannot be written: ${REASONS[code] ?? message}.`)
}

const EXAMPLE_WIDTH = 80

/** Returns an example to append to the help of a command. Long examples continue on the next line, as shells allow. */
export function example(text: string): string {
  // The parts of a command line. Quoted text is one part, and an option stays with its value.
  const parts = text.match(/(?:--[\w-]+ (?!-))?(?:'[^']*'|[^\s'])+/g)!
  const lines = ['']
  for (const part of parts) {
    const line = lines.at(-1)!
    if (line === '') lines[lines.length - 1] = part
    else if (line.length + part.length + 7 <= EXAMPLE_WIDTH) lines[lines.length - 1] = `${line} ${part}`
    else lines.push(part)
  }
  return `\nExample:\n  ${lines.join(' \\\n    ')}`
}
