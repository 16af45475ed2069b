import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../lib/clock.js'

type Terminal = { isTTY?: boolean; columns?: number }

/** The parts of their process that commands use. Tests pass their own. */
export interface Io {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & Terminal
  stderr: Writable & Terminal
  /** The process's own by default. */
  env?: Record<string, string | undefined>
  clock: Clock
  /** Waits between two attempts of a call; by default with a timer. */
  wait?: (ms: number) => Promise<void>
}

/** How results are printed: aligned for a person, or for a program. */
export type Format = 'table' | 'json' | 'ndjson' | 'csv'

/** Every command gets this. */
export interface Cli extends Io {
  /** As `--json`, `--ndjson` or `--csv` says; undefined without any of them. */
  givenFormat(): Exclude<Format, 'table'> | undefined
  /** As given, else a table on a terminal and JSON elsewhere. */
  format(): Format
  /** The name that `--profile` gives. */
  profile(): string | undefined
}

/** 1: refused, as a whole or in part. 2: wrong usage or settings. 3: the server is unreachable. 130: ended by Ctrl-C. */
export type ExitCode = 0 | 1 | 2 | 3 | 130

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

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
}

/** The error for a file that cannot be read. */
export function unreadableFile(file: string, error: unknown): CliError {
  const reasons: Record<string, string> = { ENOENT: 'there is no such file', EACCES: 'permission denied' }
  const { code = '', message } = error as NodeJS.ErrnoException
  return new CliError(2, `${file} cannot be read: ${reasons[code] ?? REASONS[code] ?? message}.`)
}

/** The error for a file that cannot be written. */
export function unwritableFile(file: string, error: unknown): CliError {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new CliError(2, `${file} cannot be written: ${REASONS[code] ?? message}.`)
}

const EXAMPLE_WIDTH = 80

/** Appended to the help of a command. A long one goes on in the next line, as a shell takes it. */
export function example(text: string): string {
  // The parts of a command line, with what is quoted in one piece; an option stays with its value.
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
