import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { PROGRAMS, SOURCES } from './transpile.js'

/** A program of the tests in a process of its own. */
export interface Child {
  process: ChildProcessByStdio<Writable, Readable, Readable>
  /** Each line of its standard output, as it comes. Read it by one loop only. */
  lines: AsyncIterableIterator<string>
  /** Gives the text that it has written to standard error so far. */
  errors(): string
  /** Resolves when it has ended and its output is read: its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
}

/**
 * For `node --import`: runs TypeScript. Modules alone, which starts in two thirds of the time that tsx takes with
 * require.
 */
export const TSX = import.meta.resolve('tsx/esm')

/**
 * Gives the arguments with which `node` runs a program, named by its source. Under vitest it runs the transpiled file
 * (test/transpile.ts).
 */
export function toNodeArgs(program: URL): string[] {
  if (PROGRAMS === undefined) return ['--import', TSX, fileURLToPath(program)]
  return [fileURLToPath(new URL(program.href.slice(SOURCES.href.length).replace(/\.ts$/, '.js'), PROGRAMS))]
}

/**
 * Starts `node program.ts …args`, by the words of `through` when there are any. The caller ends it:
 * `child.process.kill('SIGKILL')`. Its standard input ends with us.
 */
export function startChild(
  program: URL,
  args: string[] = [],
  env: Record<string, string> = {},
  through: readonly string[] = [],
): Child {
  const words = [...through, process.execPath, ...toNodeArgs(program), ...args]
  const child = spawn(words[0]!, words.slice(1), {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, DRAIN_MS: '0', OUTSIDE_MEDIA: 'off', ...env },
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk
  })
  return {
    process: child,
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() as AsyncIterableIterator<string>,
    errors: () => errors,
    ended: once(child, 'close').then(([code, signal]) => code ?? signal),
  }
}
