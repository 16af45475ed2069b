import { expect, test } from 'vitest'
import { continueRun, type HistoryRun } from './history-run.js'

const HOUR = 3_600_000
const update = (version: number, at: number, fields = ['notes'], caller = 'key:a') => ({
  version,
  caller,
  fields,
  at,
  changesStatus: false,
})

/** A run of 20 entries, one each minute from 0 on, of a post that is now at version 21. */
function fullRun(): HistoryRun {
  let run: HistoryRun | null = null
  for (let index = 0; index < 20; index++) {
    const next = continueRun(run, update(index + 1, index * 60_000))
    expect(next.hasEntry).toBe(true)
    run = next.run
  }
  return run!
}

test('the 21st update of the same fields by the same caller within the hour has no entry, and continues the run', () => {
  const { hasEntry, run } = continueRun(fullRun(), update(21, 20 * 60_000))
  expect(hasEntry).toBe(false)
  expect(continueRun(run, update(22, HOUR - 1)).hasEntry).toBe(false)
  // The first of the 20 is an hour old.
  expect(continueRun(run, update(22, HOUR)).hasEntry).toBe(true)
})

test.each([
  ['changes another field', update(21, 20 * 60_000, ['notes', 'media'])],
  ['is by another caller', update(21, 20 * 60_000, ['notes'], 'key:b')],
  ['changes the status', { ...update(21, 20 * 60_000), changesStatus: true }],
  ['follows a change that does not continue the run', update(22, 20 * 60_000)],
])('an update that %s has an entry', (_, other) => {
  expect(continueRun(fullRun(), other).hasEntry).toBe(true)
})

test('a run stores no more than it needs', () => {
  let run = fullRun()
  for (let index = 0; index < 50; index++) {
    run = continueRun(run, update(run.version, HOUR * (index + 1), [`channels.${index}`])).run
  }
  expect(run.at).toHaveLength(20)
  expect(Object.keys(run.fields)).toEqual(['channels.49'])
})
