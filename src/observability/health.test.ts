import { expect, test } from 'vitest'
import { TestClock } from '../../test/harness.js'
import { openTestDatabase } from '../../test/test-database.js'
import { type Database, DatabaseUnavailableError } from '../database/database.js'
import { createHealth, type Health, type PublisherView } from './health.js'

/** The health of a process whose database is a PostgreSQL that answers when the test says so. */
async function start(engine: Database['engine'] = 'postgres') {
  const clock = new TestClock()
  const database = await openTestDatabase()
  const state = { answer: async (): Promise<void> => {}, lastTickAt: undefined as Date | undefined, questions: 0 }
  const view: PublisherView = {
    lastTickAt: () => state.lastTickAt,
    oldestDueAt: async () => undefined,
    postsByStatus: async () => ({}),
  }
  const asked: Database = {
    ...database,
    engine,
    async query(...statement) {
      state.questions++
      await state.answer()
      return await database.query(...statement)
    },
  }
  const noDelays = async () => ({ count: 0 })
  // A wait that ends at once if the database does not answer, and never if it does.
  const wait = (_: number, signal: AbortSignal): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (state.answer === never) setImmediate(resolve)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  const health: Health = createHealth({ clock, database: asked }, view, noDelays, () => false, { wait })
  return { clock, health, state }
}

const never = (): Promise<void> => new Promise(() => {})
const away = async (): Promise<void> => {
  throw new DatabaseUnavailableError(new Error('gone'))
}

test.each([
  ['is away', away],
  ['does not answer', never],
])('a PostgreSQL that %s leaves the process ready, and is reported', async (_, answer) => {
  const { health, state } = await start()
  state.answer = answer
  expect(await health.readiness(false)).toEqual({ status: 'database-away', database: 'postgres' })
  await expect(health.readiness(true)).rejects.toThrow(DatabaseUnavailableError)
})

test('the embedded database is part of the process: without it nothing can be served', async () => {
  const { health, state } = await start('pglite')
  state.answer = away
  await expect(health.readiness(false)).rejects.toThrow(DatabaseUnavailableError)
})

test('a database that does not answer is asked once, however many probes come', async () => {
  const { health, state } = await start()
  state.answer = never
  for (let probe = 0; probe < 5; probe++) {
    await Promise.all([health.readiness(false), expect(health.readiness(true)).rejects.toThrow()])
  }
  expect(state.questions).toBe(1)
})

test('a publisher is not stalled for as long as its database was unavailable', async () => {
  const { clock, health, state } = await start()
  state.lastTickAt = new Date(clock.now())
  state.answer = away
  clock.advance(300_000)
  expect(await health.readiness(false)).toMatchObject({ status: 'database-away' })
  state.answer = async () => {}
  clock.advance(60_000)
  expect(await health.readiness(false)).toMatchObject({ status: 'ready' })
  clock.advance(1)
  await expect(health.readiness(false)).rejects.toMatchObject({ code: 'publisher_stalled' })
})
