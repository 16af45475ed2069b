import { Readable } from 'node:stream'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { OPERATOR_TOKEN, operatorCall, startTestApp, type Tenant, type TestApp } from '../../../test/harness.js'
import { ImportChannel, line, NDJSON, toNdjson } from '../../../test/imports.js'
import { endImport, leaseImport } from './running-imports.store.js'

/** One import of a channel runs at a time. */

let testApp: TestApp
let importing: ImportChannel
let tenant: Tenant
let channelId: string
beforeAll(async () => {
  testApp = await startTestApp()
})
beforeEach(async () => {
  importing = await ImportChannel.create(testApp)
  ;({ tenant, channelId } = importing)
})

/** An import that goes on until its body ends; resolves when it holds the channel. */
async function startImport() {
  const body = new Readable({ read() {} })
  const ended = testApp.app.inject({
    method: 'POST',
    url: `/operator${importing.path()}`,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': NDJSON },
    payload: body,
  })
  // It begins when it is asked for.
  void ended.then(() => {})
  await vi.waitFor(async () => expect((await leases()).length).toBe(1))
  return {
    end: () => {
      body.push(null)
      return ended
    },
  }
}
const leases = async () =>
  (
    await testApp.context.database.query<{ import_id: string }>(
      'select import_id from running_imports where organization_id = $1 and channel_id = $2',
      [tenant.organizationId, channelId],
    )
  ).rows

test('another one is a 409, of another channel it runs; when the first has ended, so does the next', async () => {
  const first = await startImport()
  const refused = await importing.send(409, NDJSON, toNdjson([line('c1')]))
  expect(refused.headers).toMatchObject({ 'x-error-code': 'import_running', 'retry-after': '10' })
  const other = await tenant.channel()
  await operatorCall(testApp, 200, 'POST', importing.path('', other), {
    body: toNdjson([line('c1')]),
    headers: { 'content-type': NDJSON },
  })
  expect((await first.end()).statusCode).toBe(200)
  expect(await leases()).toEqual([])
  expect((await importing.sendLines(line('c1'))).body).toMatchObject({ imported: 1 })
})

test('what a process that died left runs out', async () => {
  const leave = (seconds: number) =>
    testApp.context.database.query(
      `insert into running_imports values ($1, $2, 'dead', clock_timestamp() + $3 * interval '1 second')
       on conflict (organization_id, channel_id) do update set expires_at = excluded.expires_at`,
      [tenant.organizationId, channelId, seconds],
    )
  await leave(30)
  await importing.send(409, NDJSON, toNdjson([line('c1')]))
  await leave(-1)
  expect((await importing.sendLines(line('c1'))).body).toMatchObject({ imported: 1 })
})

test('of the program before, which writes other columns, keeps this one away, and this one it', async () => {
  const { database } = testApp.context
  /** The statement of the program before. */
  const leaseAsBefore = async (importId: string): Promise<boolean> => {
    const { rowCount } = await database.query(
      `insert into running_imports as running (organization_id, channel_id, import_id, expires_at)
       values ($1, $2, $3, clock_timestamp() + interval '30 seconds')
       on conflict (organization_id, channel_id) do update
          set import_id = excluded.import_id, expires_at = excluded.expires_at
        where running.import_id = excluded.import_id or running.expires_at < clock_timestamp()`,
      [tenant.organizationId, channelId, importId],
    )
    return rowCount === 1
  }
  const lease = (leasedBy: string, leaseMs: number): Promise<boolean> =>
    leaseImport(database, { organizationId: tenant.organizationId, channelId, leasedBy }, leaseMs)
  expect(await leaseAsBefore('import_before')).toBe(true)
  expect(await leaseAsBefore('import_before')).toBe(true)
  expect(await lease('import_now', 30_000)).toBe(false)
  await endImport(database, { organizationId: tenant.organizationId, channelId, leasedBy: 'import_before' })
  expect(await lease('import_now', 30_000)).toBe(true)
  expect(await leaseAsBefore('import_before')).toBe(false)
  expect(await lease('import_now', -1)).toBe(true)
  expect(await leaseAsBefore('import_before')).toBe(true)
  expect(await lease('import_now', 30_000)).toBe(false)
})

test('of many at the same moment one runs', async () => {
  const channel = { organizationId: tenant.organizationId, channelId }
  const taken = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      leaseImport(testApp.context.database, { ...channel, leasedBy: `import_${index}` }, 30_000),
    ),
  )
  expect(taken.filter((isTaken) => isTaken)).toHaveLength(1)
})
