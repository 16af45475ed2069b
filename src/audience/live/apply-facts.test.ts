import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { runs } from '../../../test/runs.js'
import { newId } from '../../lib/ids.js'
import type { ExternalId, Fact } from '../facts.js'
import { applyFacts } from './apply-facts.js'
import { insertLiveAudience, lockLiveAudience } from './live-audiences.store.js'

/** Facts in any order, duplicated and in any batches, result in the audience of a plain sum. */

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

const NOW = Date.parse('2026-11-20T09:00:00Z')
const PEOPLE = ['ada', 'bob'] as const
/** The person of each id once all links have arrived; `nobody` never gets one. */
const IDS: readonly [ExternalId, person: (typeof PEOPLE)[number] | undefined][] = [
  [{ kind: 'userId', id: 'cu_ada' }, 'ada'],
  [{ kind: 'anonymousId', id: 'anon_ada' }, 'ada'],
  [{ kind: 'userId', id: 'cu_bob' }, 'bob'],
  [{ kind: 'shopify', id: '7' }, 'bob'],
  [{ kind: 'anonymousId', id: 'nobody' }, undefined],
]
const personOf = (who: ExternalId | undefined): string | undefined =>
  IDS.find(([outside]) => outside.kind === who?.kind && outside.id === who.id)?.[1]

const who = fc.constantFrom(...IDS.map(([outside]) => outside))
const at = fc.integer({ min: 1, max: 40 }).map((minutes) => NOW - minutes * 60_000)
const amount = fc.integer({ min: 0, max: 5_000 }).map((cents) => (cents / 100).toFixed(2))
const orderId = fc.constantFrom('o1', 'o2', 'o3')
const purchase = fc
  .record({ orderId, amount, at, versionAt: at, currency: fc.constantFrom('EUR', 'EUR', 'USD') })
  .map((given): Fact => {
    // An order belongs to one person.
    const buyer = IDS[Number(given.orderId.slice(1)) + 0]![0]
    return { type: 'purchase', who: buyer, isTest: false, isCancelled: false, ...given }
  })
const refund = fc
  .record({ orderId, refundId: fc.constantFrom('r1', 'r2'), amount: fc.option(amount, { nil: undefined }), at })
  .map((given): Fact => ({ type: 'refund', ...given }))
const profile = fc
  .record({ who, at, firstName: fc.constantFrom('A', 'B', 'C') })
  .map(({ firstName, ...given }): Fact => ({ type: 'profile', ...given, fields: { firstName } }))
const appOpen = fc.record({ who, at }).map((given): Fact => ({ type: 'appOpen', ...given }))
const LINKS: Fact[] = [
  { type: 'link', ids: [IDS[0]![0], IDS[1]![0]], at: NOW },
  { type: 'link', ids: [IDS[2]![0], IDS[3]![0]], at: NOW },
]

interface Row {
  cuid: string
  cents: number
  bought: number | null
  opened: number | null
  first_name: string | null
}

/** The plain sum. */
function modelOf(facts: readonly Fact[], openings: Record<string, { cents: number; at: number | null }>): Row[] {
  const of = <T extends Fact['type']>(type: T) =>
    facts.filter((fact): fact is Extract<Fact, { type: T }> => fact.type === type)
  const cents = (text: string): number => Math.round(Number(text) * 100)
  const newest = new Map<string, Extract<Fact, { type: 'purchase' }>>()
  for (const order of of('purchase')) {
    const before = newest.get(order.orderId)
    const rank = (one: typeof order): string =>
      [one.versionAt, String(cents(one.amount)).padStart(6, '0'), one.currency, one.at].join(' ')
    if (before === undefined || rank(order) > rank(before)) newest.set(order.orderId, order)
  }
  return PEOPLE.map((person): Row => {
    const opening = openings[person]!
    const counts = (time: number): boolean => opening.at === null || time > opening.at
    let sum = opening.cents
    let bought: number | null = null
    for (const order of newest.values()) {
      if (personOf(order.who) !== person || order.currency !== 'EUR') continue
      const refunds = new Map<string, { at: number; cents: number; isAll: boolean }>()
      for (const one of of('refund').filter((each) => each.orderId === order.orderId)) {
        const before = refunds.get(one.refundId)
        refunds.set(one.refundId, {
          at: Math.min(before?.at ?? one.at, one.at),
          isAll: before?.isAll === true || one.amount === undefined,
          cents: Math.max(before?.cents ?? 0, one.amount === undefined ? 0 : cents(one.amount)),
        })
      }
      if (counts(order.at)) sum += cents(order.amount)
      let left = cents(order.amount)
      const inOrder = [...refunds].sort(([a, x], [b, y]) => x.at - y.at || (a < b ? -1 : 1))
      for (const [, one] of inOrder) {
        const taken = Math.min(left, one.isAll ? cents(order.amount) : one.cents)
        left -= taken
        if (counts(one.at)) sum -= taken
      }
      if (left > 0) bought = Math.max(bought ?? 0, order.at)
    }
    const own = of('profile').filter((fact) => personOf(fact.who) === person)
    const best = own.reduce<(typeof own)[number] | undefined>((before, fact) => {
      const isNewer =
        before === undefined ||
        fact.at > before.at ||
        (fact.at === before.at && fact.fields.firstName! > before.fields.firstName!)
      return isNewer ? fact : before
    }, undefined)
    const opens = of('appOpen').filter((fact) => personOf(fact.who) === person)
    return {
      cuid: `cu_${person}`,
      cents: sum,
      bought,
      opened: opens.length === 0 ? null : Math.max(...opens.map((fact) => fact.at)),
      first_name: best?.fields.firstName ?? null,
    }
  })
}

async function openTenant(openings: Record<string, { cents: number; at: number | null }>): Promise<Tenant> {
  const tenant = await Tenant.create(app)
  const channelId = await tenant.channel()
  const { database } = app.context
  await database.query(`update organizations set currency = 'EUR' where organization_id = $1`, [tenant.organizationId])
  await database.transaction((tx) => insertLiveAudience(tx, tenant.organizationId, new Date(NOW - 86_400_000)))
  for (const person of PEOPLE) {
    const { cents, at: openingAt } = openings[person]!
    await tenant.changeAudience(
      channelId,
      `insert into conversations (organization_id, channel_id, conversation_id, cuid, lifetime_amount, opening_amount, opening_at_ms)
       values ($1, $2, $3, 'cu_' || $3, $4::numeric / 100, $4::numeric / 100, $5)`,
      [person, cents, openingAt],
    )
  }
  return tenant
}

async function apply({ organizationId }: Tenant, facts: readonly Fact[]): Promise<void> {
  await app.context.database.transaction(async (tx) => {
    const live = await lockLiveAudience(tx, organizationId)
    const scope = { organizationId, sourceId: 'src_test', live: live!, now: new Date(NOW) }
    await applyFacts(
      tx,
      scope,
      facts.map((fact, index) => ({ item: String(index), fact })),
    )
  })
}

const readRows = async ({ organizationId }: Tenant): Promise<Row[]> =>
  (
    await app.context.database.query<Row>(
      `select cuid, (lifetime_amount * 100)::bigint as cents, last_purchase_at_ms as bought, last_app_open_at_ms as opened, first_name
         from conversations where organization_id = $1 order by cuid`,
      [organizationId],
    )
  ).rows

const opening = fc.record({ cents: fc.integer({ min: 0, max: 9_999 }), at: fc.option(at) })

test('the order of facts, their repeats and their batches change nothing', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(purchase, refund, profile, appOpen), { maxLength: 14 }),
      fc.record({ ada: opening, bob: opening }),
      fc.infiniteStream(fc.nat()),
      async (facts, openings, random) => {
        const draw = (below: number): number => random.next().value! % below
        const all = [...facts, ...LINKS]
        const doubled = [...all, ...all.filter(() => draw(3) === 0)]
        const shuffled = doubled.map((fact) => ({ fact, place: draw(1_000_000) })).sort((a, b) => a.place - b.place)
        const tenant = await openTenant(openings)
        for (let start = 0; start < shuffled.length; ) {
          const many = 1 + draw(6)
          await apply(
            tenant,
            shuffled.slice(start, start + many).map(({ fact }) => fact),
          )
          start += many
        }
        expect(await readRows(tenant)).toEqual(modelOf(all, openings))
      },
    ),
    { numRuns: Number(process.env.LIVE_STORIES ?? runs(10, 60)) },
  )
})

test('messages of one batch are one revision of the audience', async () => {
  const tenant = await openTenant({ ada: { cents: 0, at: null }, bob: { cents: 0, at: null } })
  const channelId = await tenant.channel()
  const message = (conversationId: string, minutes: number, isEcho = false): Fact => ({
    ...{ type: 'message', channelId, conversationId, at: NOW - minutes * 60_000, isEcho },
  })
  await apply(tenant, [
    ...Array.from({ length: 1_000 }, (_, index) => message(String(index), 5)),
    message('7', 3),
    message('7', 9),
    message('8', 1, true),
  ])
  const { rows } = await app.context.database.query<{ id: string; at: number }>(
    `select conversation_id as id, last_user_message_at_ms as at from conversations
      where organization_id = $1 and channel_id = $2 and conversation_id in ('7', '8') order by 1`,
    [tenant.organizationId, channelId],
  )
  expect(rows).toEqual([
    { id: '7', at: NOW - 3 * 60_000 },
    { id: '8', at: NOW - 5 * 60_000 },
  ])
  const { rows: changes } = await app.context.database.query(
    'select from audience_changes where organization_id = $1 and channel_id = $2',
    [tenant.organizationId, channelId],
  )
  expect(changes.length).toBe(1)
})

test('two people are never merged, and facts without a person wait', async () => {
  const tenant = await openTenant({ ada: { cents: 0, at: null }, bob: { cents: 0, at: null } })
  const bought: Fact = {
    ...{ type: 'purchase', orderId: newId('o'), who: { kind: 'shopify', id: '99' }, amount: '5', currency: 'EUR' },
    ...{ at: NOW - 1, versionAt: NOW - 1, isTest: false, isCancelled: false },
  }
  await apply(tenant, [bought])
  expect((await readRows(tenant)).map(({ cents }) => cents)).toEqual([0, 0])
  const link = (...ids: ExternalId[]): Fact => ({ type: 'link', ids, at: NOW })
  await apply(tenant, [link({ kind: 'userId', id: 'cu_ada' }, { kind: 'shopify', id: '99' })])
  await apply(tenant, [link({ kind: 'userId', id: 'cu_bob' }, { kind: 'shopify', id: '99' })])
  expect((await readRows(tenant)).map(({ cents }) => cents)).toEqual([500, 0])
})

test('many new orders of one person in one batch count, each from the opening on, and a free one is not a purchase', async () => {
  const openings = { ada: { cents: 1_000, at: NOW - 60_000 }, bob: { cents: 0, at: null } }
  const tenant = await openTenant(openings)
  const order = (person: string, amount: string, at: number): Fact => ({
    ...{ type: 'purchase', orderId: newId('o'), who: { kind: 'userId', id: `cu_${person}` }, amount, currency: 'EUR' },
    ...{ at, versionAt: at, isTest: false, isCancelled: false },
  })
  const facts = [
    order('ada', '0.10', NOW - 60_000),
    order('ada', '0.20', NOW - 59_999),
    order('ada', '0.40', NOW - 1_000),
    order('ada', '0', NOW),
    order('ada', '0.80', NOW - 120_000),
    order('bob', '0.01', NOW - 5_000),
  ]
  await apply(tenant, facts)
  const rows = await readRows(tenant)
  expect(rows).toEqual(modelOf(facts, openings))
  expect(rows.map(({ cents, bought }) => [cents, bought])).toEqual([
    [1_060, NOW - 1_000],
    [1, NOW - 5_000],
  ])
})
