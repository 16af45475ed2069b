import { expect, test } from 'vitest'
import type { Log } from './database.js'
import { watchReachability } from './reachability.js'

test('logs that the database is unavailable, and that it is back once nothing has failed for a second', () => {
  const lines: unknown[] = []
  const write = (fields: object, message: string): void => void lines.push([fields, message])
  let now = 0
  const reachability = watchReachability({ info: write, warn: write, error: write } as unknown as Log, () => now)
  reachability.answered()
  const error = new Error('refused')
  for (now = 10; now <= 5_000; now += 10) {
    reachability.failed(error)
    // Another connection may still work.
    reachability.answered()
  }
  expect(lines).toEqual([[{ err: error }, 'the database is unreachable']])
  now = 7_000
  reachability.answered()
  reachability.answered()
  expect(lines.slice(1)).toEqual([[{ awayMs: 6_990 }, 'the database is reachable again']])
  reachability.failed(error)
  expect(lines).toHaveLength(3)
})
