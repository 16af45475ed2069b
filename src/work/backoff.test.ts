import { expect, test } from 'vitest'
import { addJitter } from '../lib/wait.js'
import { doubling, giveUpAfter, repeatLast, retry } from './backoff.js'

const waits = (backOff: { after(failures: number): number | undefined }): unknown[] =>
  [0, 1, 2, 3, 4].map((failures) => backOff.after(failures))

test('a table repeats its last wait, ends after it, or doubles up to a limit', () => {
  expect(waits(repeatLast(10, 30, 120))).toEqual([10, 30, 120, 120, 120])
  expect(waits(giveUpAfter(10, 30, 120))).toEqual([10, 30, 120, undefined, undefined])
  expect(waits(doubling(100, 500))).toEqual([100, 200, 400, 500, 500])
})

test('the jitter makes a wait up to a fifth longer and never shorter', () => {
  for (let i = 0; i < 1_000; i++) {
    const ms = addJitter(1_000)
    expect(ms >= 1_000 && ms < 1_200).toBe(true)
  }
})

test('a retry makes as many attempts as the table allows, and none after a permanent error', async () => {
  async function attempt(errors: string[]) {
    const waited: number[] = []
    let attempts = 0
    const result = await retry(
      async () => {
        const message = errors[attempts++]
        if (message !== undefined) throw new Error(message)
        return 'done'
      },
      {
        backOff: giveUpAfter(10, 20),
        mayPass: (error) => (error as Error).message === 'busy',
        wait: async (ms) => void waited.push(ms),
      },
    ).catch((error) => error.message)
    return [result, attempts, waited]
  }
  expect(await attempt(['busy', 'busy'])).toEqual(['done', 3, [10, 20]])
  expect(await attempt(['busy', 'busy', 'busy', 'busy'])).toEqual(['busy', 3, [10, 20]])
  expect(await attempt(['busy', 'wrong'])).toEqual(['wrong', 2, [10]])
})
