import { beforeAll, expect, test } from 'vitest'
import { gate } from '../../../test/gate.js'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import { TEST_DATABASE_URL } from '../../../test/test-database.js'
import type { Database, Queryable } from '../../database/database.js'
import type { PersonDetails } from '../../interface/generated/types.js'
import { createLoneLiveness, LOOK_MS } from '../../work/liveness.js'
import { applyStep, readBatch } from './turn.js'
import { startIntakeWorker } from './worker.js'

/** A delivery that takes several transactions, on either engine. */

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

/** This is more than two transactions can take, on either engine. */
const ORDERS = TEST_DATABASE_URL === undefined ? 450 : 4_500

const order = (id: string, userId = 'cu_ada') => ({
  ...{ type: 'track', event: 'Order Completed', userId, messageId: `m_${id}` },
  properties: { order_id: id, total: 2, currency: 'EUR' },
})

/** Orders of one person, some refunded, with an unreadable item and one that cannot be applied. */
const large = (): object => ({
  batch: [
    ...Array.from({ length: ORDERS }, (_, index) => order(`o${index}`)),
    { type: 'track', event: 'Order Refunded', messageId: 'r', properties: { order_id: 'o7', total: 1 } },
    'no event',
    { type: 'alias', userId: 'cu_ada', previousId: 'cu_bob' },
    ...Array.from({ length: 300 }, (_, index) => ({ type: 'track', event: 'Application Opened', userId: `u${index}` })),
  ],
})

async function makeSender(): Promise<Sender> {
  const sender = await Sender.create(app, 'EVENTS')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }, { id: 'bob' }])
  return sender
}

async function expectAllApplied(sender: Sender): Promise<void> {
  const { purchasesTotal, conversations } = (await sender.operator(200, 'GET', '/people/cu_ada')).body as PersonDetails
  expect([purchasesTotal, conversations[0]!.lifetimeValue]).toEqual([ORDERS, 2 * ORDERS - 1])
  expect((await sender.problems()).map(({ reason }) => reason)).toEqual([
    expect.stringMatching(new RegExp(`^An event must be .* 1 more: batch\\[${ORDERS + 2}\\]: .*never merged`)),
  ])
}

test('a death between its parts repeats them, and nothing is counted twice', async () => {
  const sender = await makeSender()
  await sender.send(large())
  const { organizationId } = sender.tenant
  const { steps } = await readBatch(app.context, organizationId, { mark: -1 })
  for (const step of steps.slice(0, -1)) await applyStep(app.context, organizationId, step)
  expect(await sender.problems()).toEqual([])
  await sender.apply()
  await expectAllApplied(sender)
})

test('two workers that apply the same one at the same time count it once', async () => {
  const sender = await makeSender()
  await sender.send(large())
  await Promise.all([sender.apply(), sender.apply()])
  await sender.apply()
  await expectAllApplied(sender)
})

test('a delivery of another organization gets its turn between the parts', async () => {
  const [many, few] = [await makeSender(), await makeSender()]
  await many.send(large())
  await few.send({ batch: [order('o1')] })
  const { database } = app.context
  const taken: string[] = []
  const noting: Database = {
    ...database,
    transaction: (work) =>
      database.transaction((tx) => {
        const noted: Queryable = {
          ...tx,
          query(text, values) {
            if (text.includes('for update of l')) taken.push(values![0] as string)
            return tx.query(text, values)
          },
        }
        return work(noted)
      }),
  }
  const { intake } = app.context
  // The loop runs once. Another tick would be a second round, whose turns could not be distinguished from the first's.
  const isDone = gate()
  const wait = (ms: number): Promise<void> => {
    // Only the sign of life waits this long; any other wait is the loop's.
    if (ms !== LOOK_MS) isDone.open()
    return new Promise(() => {})
  }
  const worker = startIntakeWorker(
    { ...app.context, database: noting, intake: { ...intake, onStored: () => {} } },
    { wait, liveness: createLoneLiveness(app.context, async () => {}, 'intake') },
  )
  await isDone.opened
  await worker.stop()
  const own = taken.filter((id) => id === many.tenant.organizationId || id === few.tenant.organizationId)
  const last = own.lastIndexOf(many.tenant.organizationId)
  expect(own.indexOf(few.tenant.organizationId)).toBeLessThan(Math.min(2, last))
  await expectAllApplied(many)
})
