import { beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { applyNext, redactionOf, Sender } from '../../../test/inbox.js'
import { withPoints } from '../../../test/points.js'
import { DatabaseUnavailableError } from '../../database/database.js'
import type { PersonDetails, Source } from '../../interface/generated/types.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

/** Senders of one organization that send the same about another person in each round. */
class Stage {
  private constructor(
    readonly channelId: string,
    readonly senders: Record<'events' | 'shop' | 'meta', Sender>,
  ) {}

  static async open(): Promise<Stage> {
    const events = await Sender.create(app, 'EVENTS')
    const { tenant } = events
    const shop = await Sender.create(app, 'SHOPIFY', { tenant })
    const meta = await Sender.create(app, 'META', { tenant })
    return new Stage(await tenant.channel(), { events, shop, meta })
  }

  get organizationId(): string {
    return this.senders.events.tenant.organizationId
  }

  /** Creates the person to be forgotten. */
  async prepare(round: number): Promise<void> {
    await this.senders.events.track(
      this.identify(`gone_${round}`, { id: `8${round}`, type: 'shopify' }),
      this.order(`gone_${round}`, 99),
    )
  }

  /** Sends one delivery of each source, which together cause all kinds of facts, and an unreadable item. */
  async send(round: number): Promise<void> {
    const { events, shop, meta } = this.senders
    const pageId = this.channelId.replace('FB_PAGE_', '')
    const at = app.clock.now()
    await shop.send(redactionOf({ id: Number(`8${round}`) }), { topic: 'customers/redact' })
    await events.send({
      batch: [
        this.identify(`cu_${round}`, { id: `7${round}`, type: 'shopify' }, { id: `9${round}`, type: 'conversation' }),
        this.order(`cu_${round}`, 10),
        'no event',
        { type: 'track', event: 'Application Opened', userId: `cu_${round}` },
      ],
    })
    await meta.send({
      object: 'page',
      entry: [
        {
          ...{ id: pageId, time: at },
          messaging: [
            { sender: { id: `9${round}` }, recipient: { id: pageId }, timestamp: at, message: { mid: `m${round}` } },
          ],
          changes: [
            {
              field: 'feed',
              value: { item: 'comment', verb: 'add', comment_id: `k${round}`, post_id: 'p', created_time: at },
            },
          ],
        },
      ],
    })
    const times = { created_at: new Date(at).toISOString(), updated_at: new Date(at).toISOString() }
    const refund = { id: 1, ...times, transactions: [{ kind: 'refund', status: 'success', amount: '5.00' }] }
    await shop.send(
      {
        ...{ id: round + 1, total_price: '20.00', currency: 'EUR', ...times, refunds: [refund] },
        customer: { id: Number(`7${round}`) },
      },
      { topic: 'orders/updated' },
    )
  }

  private identify = (userId: string, ...externalIds: object[]): object => ({
    ...{ type: 'identify', userId, traits: { firstName: 'Ann' }, context: { externalIds } },
  })

  private order = (userId: string, total: number): object => ({
    ...{ type: 'track', event: 'Order Completed', userId },
    properties: { order_id: `of ${userId}`, total, currency: 'EUR' },
  })

  /** Fails unless everything of all rounds was applied once, and nothing else is left. */
  async check(round: number, where: string): Promise<void> {
    const { events } = this.senders
    const details: PersonDetails = (await events.operator(200, 'GET', `/people/cu_${round}`)).body
    expect(details.conversations, where).toMatchObject([
      {
        ...{ conversationId: `9${round}`, lifetimeValue: 25, firstName: 'Ann' },
        ...{ lastUserMessageTimestamp: app.clock.now(), lastAppOpenTimestamp: app.clock.now() },
      },
    ])
    expect(details.purchasesTotal, where).toBe(2)
    await events.operator(404, 'GET', `/people/gone_${round}`)
    const sources: Source[] = (await events.operator(200, 'GET', '/sources')).body.items
    const left = sources.map(({ type, waiting, problems }) => [type, waiting, problems])
    expect(left.sort(), where).toEqual([
      ['EVENTS', 0, round + 1],
      ['META', 0, 0],
      ['SHOPIFY', 0, 0],
    ])
    const { rows } = await app.context.database.query('select from incoming_comments where organization_id = $1', [
      this.organizationId,
    ])
    expect(rows.length, where).toBe(round + 1)
  }
}

/** A fault that ends a round; the next one, or another worker, continues. */
class Fault extends Error {}

/** The faults at a point of a turn, and whether they affect each later point too. */
const ENDS = [
  ['the process dies', () => new Fault('the process was killed'), true],
  ['the database is unreachable for a moment', () => new DatabaseUnavailableError(new Error('cut')), false],
  ['a statement fails once', () => new Fault('the statement failed'), false],
] as const

test.each(ENDS)(
  '%s at any point of a turn: each delivery is applied once',
  async (_, toError, isForGood) => {
    const stage = await Stage.open()
    const silent = { ...app.context.log, error: () => {} } as never
    let round = 0
    for (let isHit = true; isHit; round++) {
      await stage.prepare(round)
      await stage.send(round)
      let passed = 0
      let where = ''
      const dying = withPoints({ ...app.context, log: silent }, (name) => {
        if (passed++ === round) where = name
        if (where !== '' && (isForGood || passed === round + 1)) throw toError()
      })
      await applyNext(dying, stage.organizationId).catch((error) => {
        if (!(error instanceof Fault || error instanceof DatabaseUnavailableError)) throw error
      })
      await stage.senders.events.apply()
      await stage.check(round, `point ${round}, ${where}`)
      isHit = where !== ''
    }
    expect(round).toBeGreaterThan(60)
  },
  300_000,
)
