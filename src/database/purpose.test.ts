import { beforeEach, expect, test } from 'vitest'
import { openStartDatabase } from '../../test/test-database.js'
import { StartError } from '../lib/start-error.js'
import type { Database } from './database.js'
import { migrate } from './migrate.js'
import { markPurpose, type Purpose, refuseOtherPurpose } from './purpose.js'

let database: Database
beforeEach(async () => {
  database = await openStartDatabase()
})

async function start(purpose: Purpose): Promise<void> {
  await refuseOtherPurpose(database, purpose, 'DATA_DIR /data')
  await migrate(database)
  await markPurpose(database, purpose, 'DATA_DIR /data')
}

test('the demo refuses the data of a service, and a service that of the demo', async () => {
  await start('service')
  await start('service')
  await expect(start('demo')).rejects.toThrow(
    new StartError(
      'The database at DATA_DIR /data contains the data of a service, which a demo would mix with made-up data: set another DATA_DIR.',
    ),
  )
  await openStartDatabase()
  await start('demo')
  await start('demo')
  await expect(start('service')).rejects.toThrow(
    new StartError('The database at DATA_DIR /data contains the made-up data of the demo: set another DATA_DIR.'),
  )
})

test('of two that mark a new database at the same time, one continues', async () => {
  await migrate(database)
  const marks = await Promise.allSettled((['service', 'demo'] as const).map((each) => markPurpose(database, each, 'x')))
  expect(marks.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})
