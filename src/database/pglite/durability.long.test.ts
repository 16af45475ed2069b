import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startChild } from '../../../test/child.js'

const WRITER = new URL('../../../test/programs/write-rows.ts', import.meta.url)
const ROUNDS = 30
const WRITES_PER_ROUND_MAX = 60

const directory = mkdtempSync(join(tmpdir(), 'greenroom-durability-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test(`an acknowledged write survives kill -9 (${ROUNDS} rounds, at random moments of writing)`, async () => {
  let acknowledged = 0
  for (let round = 0; round <= ROUNDS; round++) {
    const writer = startChild(WRITER, [join(directory, 'data')])
    const { value: opened } = await writer.lines.next()
    const [word, found, highest] = String(opened).split(' ')
    expect(word, writer.errors()).toBe('found')
    expect(Number(found), `round ${round}: rows lost`).toBe(Number(highest))
    expect(Number(highest), `round ${round}: rows lost`).toBeGreaterThanOrEqual(acknowledged)
    acknowledged = Number(highest)
    // The writer continues while the signal is on its way, so it dies anywhere in its next writes.
    const killAt = acknowledged + Math.floor(Math.random() * WRITES_PER_ROUND_MAX)
    while (acknowledged < killAt) {
      const { value } = await writer.lines.next()
      acknowledged = Number(value)
    }
    writer.process.kill('SIGKILL')
    // These were acknowledged too, after the decision to kill.
    for await (const line of writer.lines) acknowledged = Number(line)
    expect(await writer.ended).toBe('SIGKILL')
  }
  expect(acknowledged).toBeGreaterThan(ROUNDS)
}, 180_000)
