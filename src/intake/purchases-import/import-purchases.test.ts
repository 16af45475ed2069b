import { beforeAll, expect, test } from 'vitest'
import { operatorCall, startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import type { PersonDetails, PurchaseImportReport } from '../../interface/intake.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

async function importFile(sender: Sender, body: string, contentType = 'text/csv'): Promise<PurchaseImportReport> {
  const path = `/organizations/${sender.tenant.organizationId}/sources/${sender.source.id}/purchases`
  return (await operatorCall(app, 200, 'POST', path, { body, headers: { 'content-type': contentType } })).body
}

const personOf = async (sender: Sender, cuid: string): Promise<PersonDetails> =>
  (await sender.operator(200, 'GET', `/people/${cuid}`)).body

/** As the admin of a shop exports it: an order of two items has two lines, and the second one goes on with it. */
const EXPORT = `Name,Email,Financial Status,Currency,Total,Lineitem name,Note Attributes,Cancelled at,Refunded Amount,Created at,Id
#1001,ada@example.com,paid,EUR,40.00,Tea,greenroom_user_id: cu_ada,,0.00,2026-11-01 10:00:00 +0100,820982911946154508
#1001,ada@example.com,,,,Cups,,,,2026-11-01 10:00:00 +0100,
#1002,ada@example.com,partially_refunded,EUR,30.00,Tea,greenroom_user_id: cu_ada,,12.50,2026-11-02 10:00:00 +0100,820982911946154509
#1003,ada@example.com,paid,EUR,twelve,Tea,greenroom_user_id: cu_ada,,0.00,2026-11-03 10:00:00 +0100,820982911946154510
`

test('an export counts once, also when it is sent again and the shop tells of the same order', async () => {
  const sender = await Sender.create(app, 'SHOPIFY')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
  const report = await importFile(sender, EXPORT)
  expect(report).toMatchObject({ received: 3, imported: 2, rejectedCount: 1 })
  expect(report.rejected[0]).toMatchObject({ line: 5, reason: expect.stringContaining('"twelve"') })
  await importFile(sender, EXPORT)
  await sender.send(
    {
      admin_graphql_api_id: 'gid://shopify/Order/820982911946154508',
      ...{ total_price: '40.00', currency: 'EUR', created_at: '2026-11-01T09:00:00Z' },
      updated_at: '2026-11-19T09:00:00Z',
    },
    { topic: 'orders/updated' },
  )
  await sender.apply()
  const { conversations, purchasesTotal } = await personOf(sender, 'cu_ada')
  expect(conversations).toMatchObject([{ lifetimeValue: 57.5 }])
  expect(purchasesTotal).toBe(2)
})

test('lines of NDJSON name their buyer by any id', async () => {
  const sender = await Sender.create(app, 'EVENTS')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'bob' }])
  const lines = [
    { orderId: 'a', amount: '10', currency: 'eur', at: '2026-10-01T00:00:00Z', userId: 'cu_bob' },
    { orderId: 'b', amount: 5.25, currency: 'EUR', at: 1_790_000_000_000, userId: 'cu_bob', refunded: '1' },
    { orderId: 'c', amount: '10', currency: 'EUR', at: '2026-10-01T00:00:00Z', color: 'red' },
  ]
  const body = `${lines.map((line) => JSON.stringify(line)).join('\n')}\nno json\n`
  expect(await importFile(sender, body, 'application/x-ndjson')).toMatchObject({ imported: 2, rejectedCount: 2 })
  expect(await personOf(sender, 'cu_bob')).toMatchObject({ conversations: [{ lifetimeValue: 14.25 }] })
})

test('a file without the columns is refused, and changes nothing', async () => {
  const sender = await Sender.create(app, 'SHOPIFY')
  const path = `/organizations/${sender.tenant.organizationId}/sources/${sender.source.id}/purchases`
  const headers = { 'content-type': 'text/csv' }
  await operatorCall(app, 400, 'POST', path, { body: 'a,b\n1,2\n', headers })
  await operatorCall(app, 404, 'POST', path.replace(sender.source.id, 'src_none'), { body: EXPORT, headers })
})
