import { Readable } from 'node:stream'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { OPERATOR_TOKEN, operatorCall, startTestApp, type Tenant, type TestApp } from '../../../test/harness.js'
import { ImportChannel, line, NDJSON, toNdjson } from '../../../test/imports.js'
import { leaseImport } from './running-imports.store.js'

/** A channel has one running import at a time. */

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

/** An import that runs until its body ends; resolves when it holds the channel. */
async function startImport() {
  const body = new Readable({ read() {} })
  const ended = testApp.app.inject({
    method: 'POST',
    url: `/api${importing.path()}`,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': NDJSON },
    payload: body,
  })
  // It starts when it is awaited.
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
    await testApp.context.database.query<{ leased_by: string }>(
      'select leased_by from running_imports where organization_id = $1 and channel_id = $2',
      [tenant.organizationId, channelId],
    )
  ).rows

test('another import is a 409, but runs for another channel; once the first has ended, the next succeeds', async () => {
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

test('an import left by a dead process expires', async () => {
  const leave = (seconds: number) =>
    testApp.context.database.query(
      `insert into running_imports values ($1, $2, 'dead', clock_timestamp() + $3 * interval '1 second')
       on conflict (organization_id, channel_id) do update set leased_until = excluded.leased_until`,
      [tenant.organizationId, channelId, seconds],
    )
  await leave(30)
  await importing.send(409, NDJSON, toNdjson([line('c1')]))
  await leave(-1)
  expect((await importing.sendLines(line('c1'))).body).toMatchObject({ imported: 1 })
})

test('of many at the same moment, one runs', async () => {
  const channel = { organizationId: tenant.organizationId, channelId }
  const taken = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      leaseImport(testApp.context.database, { ...channel, leasedBy: `import_${index}` }, 30_000),
    ),
  )
  expect(taken.filter((isTaken) => isTaken)).toHaveLength(1)
})
