import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import { TEST_DATABASE_URL } from '../../../test/test-database.js'
import type { Database } from '../../database/database.js'
import type { PersonDetails } from '../../interface/generated/types.js'
import { ThreadError, type ThreadFailure } from '../../work/thread.js'
import { createDecoding } from '../decoders/decoding.js'
import { applyStep, readBatch, type TurnContext } from './turn.js'

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

test('a large delivery is applied in parts, and removed with the last one', async () => {
  const sender = await makeSender()
  await sender.send(large())
  const { organizationId } = sender.tenant
  const counted: [string, number | undefined][] = []
  const context = {
    ...app.context,
    metrics: {
      ...app.context.metrics,
      countDeliveries: (outcome: string, count?: number) => void counted.push([outcome, count]),
    },
  } as TurnContext
  const { steps } = await readBatch(context, organizationId, { mark: -1 })
  expect(steps.length).toBeGreaterThan(2)
  const applied: number[] = []
  for (const step of steps) applied.push((await applyStep(context, organizationId, step)).applied)
  expect(applied).toEqual([...steps.slice(1).map(() => 0), 1])
  const sum = (name: string): number => counted.reduce((all, [of, count = 1]) => all + (of === name ? count : 0), 0)
  expect([sum('applied'), sum('problem')]).toEqual([1, 1])
  await expectAllApplied(sender)
})

test('a failed part makes the delivery one problem, and a retry counts all of it', async () => {
  const sender = await makeSender()
  await sender.send(large())
  const { organizationId } = sender.tenant
  const { database } = app.context
  const log = { ...app.context.log, error: () => {} } as never
  const { steps } = await readBatch(app.context, organizationId, { mark: -1 })
  let transactions = 0
  const failing: Database = {
    ...database,
    transaction: (work) => {
      transactions += 1
      if (transactions === 2) return Promise.reject(new Error('the statement failed'))
      return database.transaction(work)
    },
  }
  for (const step of steps) await applyStep({ ...app.context, log, database: failing }, organizationId, step)
  const [problem, ...others] = await sender.problems()
  expect([problem!.reason, others]).toEqual([expect.stringContaining('because of a server error'), []])
  await sender.operator(200, 'POST', `/sources/${sender.source.id}/problems/${problem!.id}/retry`)
  await sender.apply()
  await expectAllApplied(sender)
})

describe('a delivery that takes too much to read', () => {
  /** A thread in which each job with such a delivery fails. */
  const decodingThat = (failure: ThreadFailure, text: string) => {
    const { decoding } = app.context.intake
    return createDecoding({
      run: async ({ deliveries, partWeight }) => {
        if (deliveries.some(({ body }) => Buffer.from(body, 'base64').includes(text))) throw new ThreadError(failure)
        return await decoding.decode(deliveries, partWeight)
      },
      stop: async () => {},
    })
  }

  test('is a problem with its body and the reason, and the others of its batch count', async () => {
    const sender = await makeSender()
    const { organizationId } = sender.tenant
    for (const [failure, reason] of [
      ['memory', /more than 512 MiB of memory/],
      ['ended', /thread that read the delivery ended/],
    ] as const) {
      await sender.send({ batch: [order(failure)] })
      const context = { ...app.context, intake: { decoding: decodingThat(failure, failure) } }
      const { steps } = await readBatch(context, organizationId, { mark: -1 })
      for (const step of steps) await applyStep(context, organizationId, step)
      const [problem, ...others] = await sender.problems()
      expect([problem!.reason, others]).toEqual([expect.stringMatching(reason), []])
      await sender.operator(200, 'POST', `/sources/${sender.source.id}/problems/${problem!.id}/retry`)
      await sender.apply()
    }
    for (const id of ['o1', 'costly', 'o2']) await sender.send({ batch: [order(id)] })
    const context = { ...app.context, intake: { decoding: decodingThat('timeout', 'costly') } }
    for (const step of (await readBatch(context, organizationId, { mark: -1 })).steps) {
      await applyStep(context, organizationId, step)
    }
    const [problem, ...others] = await sender.problems()
    expect([problem, others]).toEqual([
      expect.objectContaining({
        reason: expect.stringMatching(/within 5 seconds/),
        body: expect.stringContaining('costly'),
      }),
      [],
    ])
    await sender.operator(200, 'POST', `/sources/${sender.source.id}/problems/${problem!.id}/retry`)
    await sender.apply()
    const { purchasesTotal } = (await sender.operator(200, 'GET', '/people/cu_ada')).body as PersonDetails
    expect(purchasesTotal).toBe(5)
  })

  test('waits if the failure is not its own fault', async () => {
    const sender = await makeSender()
    await sender.send({ batch: [order('any')] })
    for (const failure of ['start', 'stopped', 'full'] as const) {
      const context = { ...app.context, intake: { decoding: decodingThat(failure, 'any') } }
      await expect(readBatch(context, sender.tenant.organizationId, { mark: -1 })).rejects.toThrow(ThreadError)
    }
    expect(await sender.problems()).toEqual([])
    await sender.apply()
    const { purchasesTotal } = (await sender.operator(200, 'GET', '/people/cu_ada')).body as PersonDetails
    expect(purchasesTotal).toBe(1)
  })
})
