import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { insertProblem, redactionOf, Sender } from '../../../test/inbox.js'
import { trimKeptBytes } from './kept-bytes.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

const rowsOf = async <Row>(sender: Sender, sql: string): Promise<Row[]> =>
  (await app.context.database.query<Row & Record<string, unknown>>(sql, [sender.tenant.organizationId])).rows
const kept = async (sender: Sender): Promise<number[]> =>
  (
    await rowsOf<{ bytes: number }>(
      sender,
      'select octet_length(body) as bytes from kept_deliveries where organization_id = $1 order by delivery_id',
    )
  ).map(({ bytes }) => bytes)

/** The database's counts, beside the sums of the rows. */
const counts = (sender: Sender) =>
  rowsOf<{ counted: string; real: string }>(
    sender,
    `select b.bytes::text as counted,
            (select coalesce(sum(octet_length(body)), 0)::text
               from (select source_id, body, 'kept_deliveries' as kept_in from kept_deliveries where organization_id = $1
                      union all select source_id, body, 'problems' from problems where organization_id = $1) r
              where r.source_id = b.source_id and r.kept_in = b.kept_in) as real
       from source_bytes b where organization_id = $1 order by source_id, kept_in`,
  )
const expectCounted = async (sender: Sender): Promise<void> => {
  for (const { counted, real } of await counts(sender)) expect(counted).toBe(real)
}

/** A readable order of about 1,000 bytes. */
const order = (id: number) => ({
  ...{ id, total_price: '1', currency: 'EUR', created_at: '2026-11-20T09:00:00Z', note: 'x'.repeat(900) },
})

describe('the bodies of a source', () => {
  test('that are kept have a limit: the oldest are deleted first, and repeats are recognized by their keys', async () => {
    const sender = await Sender.create(app, 'SHOPIFY')
    for (let id = 1; id <= 5; id++) await sender.send(order(id), { topic: 'orders/create', id: `d${id}` })
    await sender.apply()
    const sizes = await kept(sender)
    await trimKeptBytes(app.context.database, sender.tenant.organizationId, sizes[3]! + sizes[4]!)
    expect(await kept(sender)).toEqual([0, 0, 0, sizes[3], sizes[4]])
    await sender.send(order(1), { topic: 'orders/create', id: 'd1' })
    await sender.apply()
    expect((await kept(sender)).length).toBe(5)
    await expectCounted(sender)
  })

  test('of problems are deleted when no other is left, and the problem says so', async () => {
    const sender = await Sender.create(app, 'SHOPIFY')
    await sender.send(order(1), { topic: 'orders/create', id: 'd1' })
    for (let id = 2; id <= 4; id++) await sender.send({ ...order(id), total_price: 'much' }, { topic: 'orders/create' })
    await sender.apply()
    const [latest] = await sender.problems()
    await trimKeptBytes(app.context.database, sender.tenant.organizationId, 2 * latest!.bodyBytes)
    expect(await kept(sender)).toEqual([0, 0, 0, 0])
    const problems = await sender.problems()
    expect(problems.map(({ bodyBytes }) => bodyBytes)).toEqual([latest!.bodyBytes, latest!.bodyBytes, 0])
    expect(problems.map(({ reason }) => /reached its limit for stored bodies/.test(reason))).toEqual([
      false,
      false,
      true,
    ])
    await expectCounted(sender)
  })

  test('are counted however they are deleted, and other sources are not affected', async () => {
    const sender = await Sender.create(app, 'SHOPIFY')
    const other = await Sender.create(app, 'SHOPIFY', { tenant: sender.tenant })
    for (const [index, of] of [sender, other, sender].entries()) {
      await of.send({ ...order(index), customer: { id: 77_000_000_001 } }, { topic: 'orders/create', id: `d${index}` })
    }
    await sender.send({ ...order(9), total_price: 'much' }, { topic: 'orders/create' })
    await sender.apply()
    await insertProblem(sender.tenant, sender.source.id, ['prb_a', 'prb_b'])
    await expectCounted(sender)
    const path = `/sources/${sender.source.id}/problems`
    await sender.operator(200, 'DELETE', `${path}/prb_a`)
    await sender.operator(200, 'POST', `${path}/prb_b/retry`)
    await expectCounted(sender)
    const before = await kept(sender)
    await trimKeptBytes(app.context.database, sender.tenant.organizationId, 1_000_000)
    expect(await kept(sender)).toEqual(before)
    await sender.send(redactionOf({ id: 77_000_000_001 }), { topic: 'customers/redact', id: 'r' })
    await sender.apply()
    expect((await kept(sender)).length).toBeLessThan(before.length)
    await expectCounted(sender)
    await sender.operator(200, 'DELETE', `/sources/${sender.source.id}`)
    expect((await counts(other)).length).toBe(1)
    await expectCounted(other)
  })
})
