import { afterEach, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { migrate } from '../src/database/migrate.js'
import { openPostgres } from '../src/database/postgres.js'
import { startTestApp, Tenant } from './harness.js'
import { startPostgres } from './postgres-server.js'
import { TEST_DATABASE_URL } from './test-database.js'

/** The resources that a test leaves, last one first. */
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function open(url: string): Database {
  const database = openPostgres({ url, poolMax: 4 })
  ends.push(() => database.close())
  return database
}

test.skipIf(TEST_DATABASE_URL === undefined)(
  'PostgreSQL: audiences change on a promoted standby that has followed since before the tables existed',
  async () => {
    const primary = await startPostgres({ settings: { fsync: 'off' } })
    ends.push(() => primary.stop())
    const standby = await startPostgres({ settings: { fsync: 'off' }, standbyOf: primary.url })
    ends.push(() => standby.stop())
    const [before, after] = [open(primary.url), open(standby.url)]
    await migrate(before)
    const tenant = await Tenant.create(await startTestApp({}, undefined, before))
    const workspaceId = await tenant.workspace('VIP')
    const channelId = await tenant.channel([workspaceId])
    await tenant.conversations(channelId, [{ id: 'a' }])
    const { rows } = await before.query<{ place: string }>('select pg_current_wal_lsn()::text as place')
    for (;;) {
      const caughtUp = await after.query(
        'select from pg_stat_wal_receiver where pg_last_wal_replay_lsn() >= $1::pg_lsn',
        [rows[0]!.place],
      )
      if (caughtUp.rowCount === 1) break
    }
    await primary.kill()
    await after.query('select pg_promote()')
    const promoted = Tenant.of(await startTestApp({}, undefined, after), tenant.organizationId, tenant.key)
    await promoted.conversations(channelId, [{ id: 'b' }])
    const { body } = await promoted.get(200, `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}&scope=all`)
    expect(body.items.map(({ conversationId }: { conversationId: string }) => conversationId)).toEqual(['a', 'b'])
  },
)
