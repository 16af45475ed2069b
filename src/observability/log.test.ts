import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
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

test('a fatal line is on the file at once, behind all that was gathered before it, each line whole and in order', () => {
  const log = openLog('info', descriptor)
  const said = Array.from({ length: 3_000 }, (_, index) => `line ${index} 🏮`)
  for (const text of said) log.info(text)
  log.fatal('the last one')
  expect(lines().map(({ msg }) => msg)).toEqual([...said, 'the last one'])
})

test('what is under the level is not written, and what is gathered does not wait for more', async () => {
  const log = openLog('warn', descriptor)
  log.info('unheard')
  log.warn('heard')
  await expect.poll(() => lines().map(({ msg }) => msg), { timeout: 10_000 }).toEqual(['heard'])
})
