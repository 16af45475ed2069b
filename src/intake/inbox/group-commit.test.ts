import { expect, test, vi } from 'vitest'
import { openTestDatabase } from '../../../test/test-database.js'
import { type Database, DatabaseUnavailableError } from '../../database/database.js'
import { createInbox } from './group-commit.js'
import type { NewDelivery } from './inbox.store.js'

const delivery = (key: string): NewDelivery => ({
  ...{ organizationId: 'org', sourceId: 'src', key, topic: null, headers: {} },
  ...{ body: Buffer.from('{}'), receivedAt: new Date(0) },
})

/** An inbox on a database that answers like `query`, which gets the keys of an insert. */
function inboxOn(query: (keys: string[]) => Promise<unknown>) {
  const inserts: string[][] = []
  const database = {
    query: async (_sql: string, values: unknown[]) => {
      const keys = values[2] as string[]
      inserts.push(keys)
      await query(keys)
      return { rows: [], rowCount: 0 }
    },
  } as unknown as Database
  const onStored = vi.fn()
  const inbox = createInbox(database, onStored)
  const storeAll = (keys: string[]) => Promise.allSettled(keys.map((key) => inbox.store(delivery(key))))
  return { inserts, onStored, storeAll }
}

test('deliveries that arrive during an insert share the next one', async () => {
  const { inserts, storeAll } = inboxOn(async () => {})
  const results = await storeAll(['a', 'b', 'c', 'd'])
  expect(results.every(({ status }) => status === 'fulfilled')).toBe(true)
  expect(inserts).toEqual([['a'], ['b', 'c', 'd']])
})

test('a delivery that the database refuses does not affect the others', async () => {
  const { storeAll } = inboxOn(async (keys) => {
    if (keys.includes('c')) throw new Error('refused')
  })
  const results = await storeAll(['a', 'b', 'c', 'd'])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
})

test('while the database is unavailable a group is refused at once, and the next is stored once it is back', async () => {
  let isAway = true
  const { inserts, onStored, storeAll } = inboxOn(async () => {
    if (isAway) throw new DatabaseUnavailableError(undefined)
  })
  const results = await storeAll(['a', 'b', 'c', 'd'])
  expect(results.every(({ status }) => status === 'rejected')).toBe(true)
  expect(inserts).toEqual([['a'], ['b', 'c', 'd']])
  expect(onStored).not.toHaveBeenCalled()
  isAway = false
  expect(await storeAll(['e'])).toMatchObject([{ status: 'fulfilled' }])
})

test('acknowledged deliveries are on disk: their table is logged, and a commit waits for the log', async () => {
  const database = await openTestDatabase()
  const settings: unknown[] = []
  // This looks inside the transaction of the insert, to see every setting that it changes.
  const transaction: Database['transaction'] = (work) =>
    database.transaction(async (tx) => {
      const result = await work(tx)
      settings.push(...(await tx.query(`select setting from pg_settings where name = 'synchronous_commit'`)).rows)
      return result
    })
  const query: Database['query'] = (sql, values) => transaction((tx) => tx.query(sql, values))
  await createInbox({ ...database, transaction, query }, () => {}).store(delivery('a'))
  expect(settings).toEqual([{ setting: 'on' }])
  const { rows } = await database.query(`select relpersistence as kind from pg_class where relname = 'inbox'`)
  expect(rows).toEqual([{ kind: 'p' }])
})
