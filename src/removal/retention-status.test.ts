import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { greenroom } from '../../test/cli.js'
import { Tenant } from '../../test/harness.js'
import { DAY_MS, startRetentionTest } from '../../test/retention.js'
import type { ServerStatus } from '../interface/status.js'

test('the status shows the rows and bytes of each table, and what was removed, on request', async () => {
  const app = await startRetentionTest({ keys: 30, audit: 30 })
  const tenant = await Tenant.create(app)
  const channelId = await tenant.channel()
  await tenant.conversations(channelId, [{ id: 'a' }, { id: 'b' }, { id: 'c' }])
  const { database } = app.context
  await database.query('update api_keys set revoked_at = $1', [new Date(app.clock.now() - 31 * DAY_MS)])
  await app.run()
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.app.close())
  const env = { GREENROOM_URL: `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}` }
  const run = (argv: string[], terminal: 'both' | 'none' = 'none') =>
    greenroom(['status', ...argv], { clock: app.clock, env, terminal })

  const status: ServerStatus = JSON.parse((await run(['--tables'])).stdout)
  const tables = new Map(status.tables!.map((table) => [table.name, table]))
  expect(tables.get('conversations')).toMatchObject({ rows: 3, isEstimate: false })
  expect(tables.get('api_keys')).toMatchObject({ rows: 0, isEstimate: false })
  expect(tables.get('conversations')!.bytes).toBeGreaterThan(8_191)
  const { rows } = await database.query(
    "select from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  )
  expect(tables.size).toBe(rows.length)
  const bytes = status.tables!.map((table) => table.bytes)
  expect(bytes).toEqual(bytes.toSorted((a, b) => b - a))
  const lastDoneAt = new Date(app.clock.now()).toISOString()
  expect(status.retention).toEqual({
    audit: { keepDays: 30, removed: 0, lastDoneAt },
    keys: { keepDays: 30, removed: 1, lastDoneAt },
  })
  expect(JSON.parse((await run([])).stdout)).not.toHaveProperty('tables')

  const { stdout } = await run(['--tables'], 'both')
  expect(stdout).toContain(`revoked keys  kept for 30 days; 1 removed; last done ${lastDoneAt}`)
  expect(stdout).toMatch(/\ntable +rows +MB\n/)
  expect(stdout).toMatch(/\nconversations +3 +\d+\.\d\n/)
  const csv = (await run(['--tables', '--csv'])).stdout.split('\r\n')
  expect(csv[0]).toBe('name,rows,isEstimate,bytes')
  expect(csv).toContainEqual(expect.stringMatching(/^conversations,3,false,\d+$/))
})
