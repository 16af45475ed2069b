import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { PROGRAMS, SOURCES } from './transpile.js'

/** A test program that runs in its own process. */
export interface Child {
  process: ChildProcessByStdio<Writable, Readable, Readable>
  /** Each line of its standard output, as it comes. Only one loop may read it. */
  lines: AsyncIterableIterator<string>
  /** Its output to standard error so far. */
  errors(): string
  /** Resolves with its exit code, or the signal that ended it, once its output streams have closed. */
  ended: Promise<number | NodeJS.Signals>
}

/**
 * The loader that lets `node --import` run TypeScript. It supports only ES modules, and so starts in two thirds of the time
 * that tsx needs if it also supports require.
 */
export const TSX = import.meta.resolve('tsx/esm')

/**
 * Returns the arguments that make `node` run a program, given its source file. Under vitest they name the transpiled file
 * (test/transpile.ts).
 */
export function toNodeArgs(program: URL): string[] {
  if (PROGRAMS === undefined) return ['--import', TSX, fileURLToPath(program)]
  return [fileURLToPath(new URL(program.href.slice(SOURCES.href.length).replace(/\.ts$/, '.js'), PROGRAMS))]
}

/**
 * Starts `node program.ts …args`, prefixed with the command `through` if given. The caller must end it with
 * `child.process.kill('SIGKILL')`. Its standard input closes when this process ends.
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
