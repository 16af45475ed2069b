import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toNodeArgs } from '../../test/child.js'
import { openLog } from './log.js'

let directory: string
let file: string
let descriptor: number
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'greenroom-log-'))
  file = join(directory, 'log')
  descriptor = openSync(file, 'w')
})
afterEach(() => {
  closeSync(descriptor)
  rmSync(directory, { recursive: true })
})

const lines = (): { msg: string }[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

test('a fatal line is in the file at once, after all buffered lines, each line complete and in order', () => {
  const log = openLog('info', { fd: descriptor })
  const texts = Array.from({ length: 3_000 }, (_, index) => `line ${index} 🏮`)
  for (const text of texts) log.info(text)
  log.fatal('the last one')
  expect(lines().map(({ msg }) => msg)).toEqual([...texts, 'the last one'])
})

test('in words, levels and times are readable, and a fatal line is still written at once', () => {
  const log = openLog('info', { fd: descriptor, format: 'words' })
  log.warn('first')
  log.fatal('the last one')
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(lines()).toMatchObject([
    { level: 'warn', time, msg: 'first' },
    { level: 'fatal', time, msg: 'the last one' },
  ])
})

test('lines below the level are not written, and buffered lines do not wait for more', async () => {
  const log = openLog('warn', { fd: descriptor })
  log.info('unheard')
  log.warn('heard')
  await expect.poll(() => lines().map(({ msg }) => msg), { timeout: 10_000 }).toEqual(['heard'])
})

describe('an unread standard output', () => {
  const PROGRAM = new URL('../../test/programs/log-unread.ts', import.meta.url)

  /** Starts the program; resolves when it has logged far more than a pipe holds and still runs. */
  async function startUnread(argument: string) {
    const child = spawn(process.execPath, [...toNodeArgs(PROGRAM), argument])
    const ended = once(child, 'exit')
    const [text] = await once(child.stderr.setEncoding('utf8'), 'data')
    expect(text).toBe('flooded\n')
    return { child, ended, read: () => createInterface({ input: child.stdout }) }
  }

  test('does not stop the process; lines beyond its memory are dropped, counted and reported', async () => {
    const { child, read } = await startUnread('drain')
    const lines = []
    for await (const text of read()) {
      const line = JSON.parse(text)
      lines.push(line)
      if (line.lines !== undefined) child.stdin.end('go on\n')
    }
    const kept = lines.length - 3
    expect(lines.slice(0, kept).map(({ number }) => number)).toEqual(Array.from({ length: kept }, (_, index) => index))
    expect(lines.slice(kept)).toMatchObject([
      { level: 50, lines: 40_000 - kept, msg: 'log lines were dropped because nothing read them' },
      { msg: 'read again' },
      { level: 60, msg: 'the last one' },
    ])
    // The kept lines are limited to 8 MiB and the size of a pipe.
    expect(kept * 900).toBeLessThan(12 * 1024 * 1024)
  })

  test('ends with a complete fatal line if the reader returns before the process has ended', async () => {
    const { ended, read } = await startUnread('fatal')
    const lines = []
    for await (const text of read()) lines.push(JSON.parse(text))
    expect(lines.at(-2)).toMatchObject({ lines: 40_000 - (lines.length - 2) })
    expect(lines.at(-1)).toMatchObject({ level: 60, msg: 'the last one' })
    expect((await ended)[0]).toBe(1)
  })

  test('does not keep the process from ending', async () => {
    const { child, ended } = await startUnread('fatal')
    expect((await ended)[0]).toBe(1)
    child.stdout.destroy()
  })
})
