import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { PROGRAMS, SOURCES } from './transpile.js'

/** A program of the tests in its own process. */
export interface Child {
  process: ChildProcessByStdio<Writable, Readable, Readable>
  /** Each line of its standard output, as it comes. Only one loop may read it. */
  lines: AsyncIterableIterator<string>
  /** Its standard error so far. */
  errors(): string
  /** Resolves with its exit code or the signal that ended it, once its output is read. */
  ended: Promise<number | NodeJS.Signals>
}

/**
 * Runs TypeScript with `node --import`. Supporting only ES modules, it starts in two thirds of the time that tsx takes
 * with require.
 */
export const TSX = import.meta.resolve('tsx/esm')

/**
 * The arguments with which `node` runs a program, named by its source. Under vitest it runs the transpiled file
 * (test/transpile.ts).
 */
export function toNodeArgs(program: URL): string[] {
  if (PROGRAMS === undefined) return ['--import', TSX, fileURLToPath(program)]
  return [fileURLToPath(new URL(program.href.slice(SOURCES.href.length).replace(/\.ts$/, '.js'), PROGRAMS))]
}

/**
 * Starts `node program.ts …args`, with the command `through` in front if given. The caller ends it:
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
