import { expect, test } from 'vitest'
import { createClockWatch } from './clock-watch.js'

test('a clock that is set is counted and logged once, and one that drifts slightly is not', () => {
  const jumps: string[] = []
  const logged: unknown[] = []
  const time = { wall: 1_000_000, elapsed: 0, reading: 0 }
  const warn = (fields: object): void => void logged.push(fields)
  const look = createClockWatch(
    {
      clock: { now: () => time.wall },
      log: { info: () => {}, error: () => {}, warn },
      metrics: { countClockJump: (direction) => void jumps.push(direction) },
    },
    () => {
      time.elapsed += time.reading
      return time.elapsed
    },
  )
  const pass = (elapsedMs: number, wallMs = elapsedMs): void => {
    time.elapsed += elapsedMs
    time.wall += wallMs
    look()
  }
  look()
  pass(5_000)
  pass(5_000, 6_900)
  expect(jumps).toEqual([])
  pass(5_000, 3_605_000)
  pass(5_000)
  pass(5_000, -600_000)
  expect(jumps).toEqual(['forward', 'back'])
  expect(logged).toEqual([{ jumpMs: 3_600_000 }, { jumpMs: -605_000 }])
  // A process that stood still between the readings cannot know.
  time.reading = 3_000
  pass(5_000, 60_000)
  expect(jumps).toHaveLength(2)
})
