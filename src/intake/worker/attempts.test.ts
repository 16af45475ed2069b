import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import { withPoints } from '../../../test/points.js'
import { inLongSuite } from '../../../test/runs.js'
import { openOwnDatabase } from '../../../test/test-database.js'
import { DatabaseUnavailableError } from '../../database/database.js'
import type { PersonDetails } from '../../interface/generated/types.js'
import { createLiveness, createLoneLiveness, type Liveness } from '../../work/liveness.js'
import type { Decoding } from '../decoders/decoding.js'
import { type IntakeWorker, startIntakeWorker } from './worker.js'

let app: TestApp
// A worker takes the waiting deliveries of every organization.
beforeAll(async () => {
  app = await startTestApp({}, undefined, await openOwnDatabase())
})

const order = (id: string, total = 10) => ({
  ...{ type: 'track', event: 'Order Completed', userId: 'cu_ada', messageId: `m_${id}` },
  properties: { order_id: id, total, currency: 'EUR' },
})

async function makeSender(): Promise<Sender> {
  const sender = await Sender.create(app, 'EVENTS')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
  return sender
}

async function lifetimeValueOf(sender: Sender): Promise<number> {
  const { body } = await sender.operator(200, 'GET', '/people/cu_ada')
  return (body as PersonDetails).conversations[0]!.lifetimeValue
}

/** The only worker of the database: all others are dead. */
const alone = (): Liveness => createLoneLiveness(app.context, async () => {}, 'intake')

/** A worker that never polls: it works when the test ticks. */
function startWorker(context = app.context, liveness = alone()): IntakeWorker {
  const wait = () => new Promise<void>(() => {})
  const quiet = { ...context, log: { ...context.log, error: () => {} } as never }
  return startIntakeWorker({ ...quiet, intake: { ...context.intake, onStored: () => {} } }, { wait, liveness })
}

/** Runs a worker until nothing waits, and stops it in order. */
async function work(liveness = alone()): Promise<void> {
  const worker = startWorker(app.context, liveness)
  await worker.tick()
  await worker.stop()
}

const holds = ({ body }: { body: string }, text: string): boolean => Buffer.from(body, 'base64').includes(text)

/**
 * A worker whose process dies while it decodes a delivery with this text, and leaves everything as it is. Returns what it
 * had taken.
 */
async function dieDecoding(text: string, liveness = alone()): Promise<number[]> {
  const { decoding } = app.context.intake
  const decoded: number[] = []
  let die = (): void => {}
  const died = new Promise<void>((resolve) => {
    die = resolve
  })
  const killing: Decoding = {
    ...decoding,
    async decode(deliveries, weight) {
      decoded.push(deliveries.length)
      if (!deliveries.some((delivery) => holds(delivery, text))) return await decoding.decode(deliveries, weight)
      die()
      return await new Promise(() => {})
    },
  }
  const { intake } = app.context
  void startWorker({ ...app.context, intake: { ...intake, decoding: killing } }, liveness)
  await died
  return decoded
}

const SET_ASIDE = /stopped twice/

describe('a delivery during which the process dies', () => {
  test('is set aside after the second time; the others count, once', async () => {
    const sender = await makeSender()
    for (const id of ['o1', 'o2', 'poison', 'o3']) await sender.send({ batch: [order(id)] })
    expect(await dieDecoding('poison')).toContain(4)
    expect(await sender.problems()).toEqual([])
    await dieDecoding('poison')
    expect(await lifetimeValueOf(sender)).toBe(20)
    expect(await sender.problems()).toEqual([])
    await work()
    expect(await lifetimeValueOf(sender)).toBe(30)
    const [problem, ...others] = await sender.problems()
    expect([problem, others]).toEqual([
      expect.objectContaining({ reason: expect.stringMatching(SET_ASIDE), body: expect.stringContaining('poison') }),
      [],
    ])
    await sender.operator(200, 'POST', `/sources/${sender.source.id}/problems/${problem!.id}/retry`)
    await work()
    expect(await lifetimeValueOf(sender)).toBe(40)
    expect(await sender.problems()).toEqual([])
  })

  test('is recognized by its key when its sender repeats it', async () => {
    const sender = await Sender.create(app, 'SHOPIFY')
    const repeated = { topic: 'orders/paid', id: 'the same' }
    await sender.send({ id: 1 }, repeated)
    await dieDecoding('"id":1')
    await dieDecoding('"id":1')
    await work()
    await sender.send({ id: 1 }, repeated)
    await work()
    expect((await sender.problems()).map(({ reason }) => reason)).toEqual([expect.stringMatching(SET_ASIDE)])
  })

  test('does not affect organizations that were not involved', async () => {
    const [killer, other] = [await makeSender(), await makeSender()]
    for (const id of ['o1', 'o2', 'o3']) await other.send({ batch: [order(id)] })
    await killer.send({ batch: [order('poison of one')] })
    await dieDecoding('poison of one')
    await dieDecoding('poison of one')
    await work()
    expect([await killer.problems(), await other.problems()]).toMatchObject([[{ reason: expect.anything() }], []])
    expect(await lifetimeValueOf(other)).toBe(30)
  })

  test('is also set aside if it was being applied', async () => {
    const sender = await makeSender()
    for (const id of ['o1', 'killing', 'o2']) await sender.send({ batch: [order(id)] })
    for (let death = 0; death < 2; death++) {
      let die = (): void => {}
      const died = new Promise<void>((resolve) => {
        die = resolve
      })
      const database: typeof app.context.database = {
        ...app.context.database,
        async transaction(run) {
          let isDead = false
          try {
            return await app.context.database.transaction((tx) =>
              run({
                ...tx,
                async query(text, values) {
                  isDead = values?.some((value) => typeof value === 'string' && value.includes('killing')) === true
                  // The connection ends with the process, and the worker stops.
                  if (isDead) throw new DatabaseUnavailableError(undefined)
                  return await tx.query(text, values)
                },
              }),
            )
          } finally {
            // The next worker runs after the dead one's locks are released, because it skips locked organizations.
            if (isDead) die()
          }
        },
      }
      startWorker({ ...app.context, database })
      await died
    }
    await work()
    expect((await sender.problems()).map(({ reason }) => reason)).toEqual([expect.stringMatching(SET_ASIDE)])
    expect(await lifetimeValueOf(sender)).toBe(20)
  })
})

test('a worker that stops did not die: its deliveries are taken together, and none is set aside', async () => {
  const sender = await makeSender()
  for (let stop = 0; stop < 3; stop++) {
    await sender.send({ batch: [order(`o${stop}`)] })
    const worker = startWorker()
    await worker.stop()
  }
  const liveness = alone()
  await sender.send({ batch: [order('last')] })
  await work(liveness)
  expect(await sender.problems()).toEqual([])
  expect(await lifetimeValueOf(sender)).toBe(40)
  const { rows } = await app.context.database.query('select from intake_attempts where organization_id = $1', [
    sender.tenant.organizationId,
  ])
  expect(rows).toEqual([])
})

describe('beside a worker of another node', () => {
  /** Two nodes observe each other for this long. */
  async function passSeconds(seconds: number, ...livenesses: Liveness[]): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      app.clock.advance(1_000)
      for (const liveness of livenesses) await liveness.keepAlive()
    }
  }
  const ofNode = (): Liveness => createLiveness(app.context, async () => {}, 'intake')

  test('a slow one is not dead: nothing is set aside, and its delivery is taken once', async () => {
    const [slow, other] = [ofNode(), ofNode()]
    const sender = await makeSender()
    await sender.send({ batch: [order('slow')] })
    await dieDecoding('slow', slow)
    await passSeconds(30, slow, other)
    const worker = startWorker(app.context, other)
    onTestFinished(() => worker.stop())
    await worker.tick()
    await passSeconds(30, slow, other)
    await worker.tick()
    expect(await sender.problems()).toEqual([])
    expect(await lifetimeValueOf(sender)).toBe(10)
  })

  test('a dead one records its delivery at once, and the delivery waits until the death is known', async () => {
    const [first, second, third] = [ofNode(), ofNode(), ofNode()]
    const sender = await makeSender()
    for (const id of ['o1', 'poison of a node', 'o2']) await sender.send({ batch: [order(id)] })
    await dieDecoding('poison of a node', first)
    await dieDecoding('poison of a node', second)
    const worker = startWorker(app.context, third)
    onTestFinished(() => worker.stop())
    await worker.tick()
    expect(await lifetimeValueOf(sender)).toBe(20)
    expect(await sender.problems()).toEqual([])
    await passSeconds(15, third)
    await worker.tick()
    expect((await sender.problems()).map(({ reason }) => reason)).toEqual([expect.stringMatching(SET_ASIDE)])
    await sender.send({ batch: [order('o3')] })
    await worker.tick()
    expect(await lifetimeValueOf(sender)).toBe(30)
  })
})

test.runIf(inLongSuite())('a death at any point loses nothing and counts nothing twice', async () => {
  const sender = await makeSender()
  let sent = 0
  for (let point = 0, isHit = true; isHit; point += 5) {
    await sender.send({ batch: [order(`d${sent++}`)] })
    await sender.send({ batch: [order(`d${sent++}`)] })
    isHit = false
    let passed = 0
    const dying = withPoints({ ...app.context }, () => {
      if (passed++ < point) return
      isHit = true
      throw new DatabaseUnavailableError(undefined)
    })
    await startWorker(dying)
      .tick()
      .catch(() => {})
  }
  await work()
  // They are listed page by page.
  for (let left = await sender.problems(); left.length > 0; left = await sender.problems()) {
    for (const { id } of left) await sender.operator(200, 'POST', `/sources/${sender.source.id}/problems/${id}/retry`)
    await work()
  }
  expect(await lifetimeValueOf(sender)).toBe(sent * 10)
})
