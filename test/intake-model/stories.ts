import fc from 'fast-check'
import type { ExternalId, Fact } from '../../src/audience/facts.js'

/** Stories of shops, apps and inboxes: what their senders send, and what operators do in between. */

export const BEGINS_AT = Date.parse('2026-11-20T09:00:00.000Z')
/**
 * The people, by their cuids. Their conversations have the same ids on both channels; the last conversation belongs to
 * nobody yet.
 */
export const PEOPLE = ['cu_ada', 'cu_bob', 'cu_cyd', 'cu_dan'] as const
export const CONVERSATIONS = ['1001', '1002', '1003', '1004', '1005'] as const
const OLD_CUID = 'cu_old'
export const ALL_CUIDS: readonly string[] = [...PEOPLE, OLD_CUID]

const anonymous = (id: string): ExternalId => ({ kind: 'anonymousId', id })
const user = (id: string): ExternalId => ({ kind: 'userId', id })
const shopify = (id: string): ExternalId => ({ kind: 'shopify', id })
const woocommerce = (id: string): ExternalId => ({ kind: 'woocommerce', id })

/** The ids that events link to each person. */
const OWN: Record<(typeof PEOPLE)[number], ExternalId[]> = {
  cu_ada: [anonymous('anon_ada'), shopify('71'), woocommerce('81')],
  cu_bob: [shopify('72')],
  cu_cyd: [anonymous('anon_cyd'), woocommerce('83')],
  cu_dan: [shopify('74')],
}
/** The ids that are linked by hand, sometimes to the wrong person; no event links the first ones. */
const HAND_IDS = [anonymous('anon_nobody'), shopify('79'), user(OLD_CUID), user('cu_bob'), ...OWN.cu_ada, ...OWN.cu_bob]

export type SourceName = 'app' | 'site' | 'shop' | 'woo' | 'meta'
export type Seller = 'app' | 'site' | 'shop' | 'woo'
/** An order has one buyer in all its versions. */
const BUYERS: Record<Seller, ExternalId[]> = {
  app: [user('cu_ada'), anonymous('anon_ada'), user('cu_bob'), anonymous('anon_nobody')],
  site: [user('cu_cyd'), user(OLD_CUID), anonymous('anon_cyd'), user('cu_ada')],
  shop: [shopify('71'), shopify('72'), shopify('74'), shopify('79')],
  woo: [woocommerce('81'), woocommerce('83'), woocommerce('81'), woocommerce('83')],
}
const ownerOf = (who: ExternalId): string | undefined =>
  PEOPLE.find((cuid) => OWN[cuid].some(({ kind, id }) => kind === who.kind && id === who.id))

/** An item that a sender sends: its payload and its facts. `app` and `site` send events in batches. */
export interface Spoken {
  source: SourceName
  topic: string
  payload: object
  facts: Fact[]
  /** True if the item cannot be read. */
  isBroken?: boolean
}

/**
 * A worker is killed at the point with this number, before another applies everything; if it has fewer points, it is not
 * killed.
 */
interface Killing {
  dieAt: number | undefined
}

export type Step =
  | { do: 'send'; spoken: Spoken[]; isDoubled: boolean; inOne: boolean; isAppliedDuring: boolean }
  | { do: 'repeat'; back: number }
  | ({ do: 'apply'; workers: number } & Killing)
  | { do: 'retry' | 'openChannel' }
  | { do: 'purchases'; source: Seller; lines: Order[] }
  | { do: 'import'; channel: number; lines: ImportedLine[] }
  | { do: 'erase' | 'readmit'; cuid: string }
  | ({ do: 'redact'; who: ExternalId } & Killing)
  | ({ do: 'deleteUser'; conversationId: string } & Killing)
  | ({ do: 'forgetShop' } & Killing)
  | { do: 'currency'; currency: string | null }
  | { do: 'link' | 'unlink'; cuid: string; who: ExternalId }
  | { do: 'check' }

export interface ImportedLine {
  person: number
  lifetimeValue?: number | undefined
  lifetimeValueAt?: number | undefined
  lastPurchaseTimestamp?: number | undefined
  lastUserMessageTimestamp?: number | undefined
  lastAppOpenTimestamp?: number | undefined
  firstName?: string | null | undefined
  userName?: string | null | undefined
}

const time = fc.integer({ min: -90, max: 90 }).map((minutes) => BEGINS_AT + minutes * 60_000)
const iso = (at: number): string => new Date(at).toISOString()
const amount = fc.integer({ min: 0, max: 9_999 }).map((cents) => (cents / 100).toFixed(2))
const currency = fc.constantFrom('EUR', 'EUR', 'EUR', 'USD')
const name = fc.constantFrom('Ann', 'Bea', 'Çem')
const rarely = fc.nat(6).map((n) => n === 0)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const eventIds = (who: ExternalId | undefined): object => (who === undefined ? {} : { [who.kind]: who.id })

const track = (event: string, who: ExternalId | undefined, at: number, properties: object) => ({
  ...{ type: 'track', event, ...eventIds(who), timestamp: iso(at), messageId: `m${at}` },
  properties,
})

const order = fc.record({
  ...{ number: fc.nat(3), amount, currency, at: time, versionAt: time, isTest: rarely, isCancelled: rarely },
  ...{ namesNoOne: rarely, namesUser: rarely, refund: maybe(amount) },
})
export type Order = typeof order extends fc.Arbitrary<infer T> ? T : never

/** Files and deliveries use the same ids for an order. */
const ORDER_IDS: Record<Seller, (number: number) => string> = {
  app: (number) => `o${number}`,
  site: (number) => `o${number}`,
  shop: (number) => String(9_007_199_254_740_993n + BigInt(number)),
  woo: (number) => String(number + 1),
}

/** Returns a line of a file of earlier orders, with its facts. */
export function toPurchaseLine(source: Seller, { number, namesNoOne, amount, currency, at, refund }: Order) {
  const who = namesNoOne ? undefined : BUYERS[source][number]!
  const orderId = ORDER_IDS[source](number)
  const line = {
    orderId,
    amount,
    currency,
    at: iso(at),
    refunded: refund,
    ...(who !== undefined && { [who.kind]: who.id }),
  }
  const facts: Fact[] = [
    { type: 'purchase', orderId, who, amount, currency, at, versionAt: at, isTest: false, isCancelled: false },
    ...refundOf(refund, { orderId, refundId: 'export', at }),
  ]
  return { line, facts }
}

const eventOrder = fc.tuple(fc.constantFrom('app' as const, 'site' as const), order).map(([source, given]): Spoken => {
  const who = given.namesNoOne ? undefined : BUYERS[source][given.number]
  const { at, amount: total } = given
  const orderId = ORDER_IDS[source](given.number)
  const event = track('Order Completed', who, at, { total, currency: given.currency })
  return {
    ...{ source, topic: '' },
    // An order without an id is known by its event's id.
    payload: given.isTest
      ? { ...event, messageId: orderId }
      : { ...event, properties: { ...event.properties, order_id: orderId } },
    facts: [
      {
        ...{ type: 'purchase', orderId, who, amount: total, currency: given.currency },
        ...{ at, versionAt: at, isTest: false, isCancelled: false },
      },
    ],
  }
})

const eventRefund = fc
  .record({
    source: fc.constantFrom('app' as const, 'site' as const),
    number: fc.nat(3),
    refund: fc.nat(1),
    at: time,
    amount: maybe(amount),
    isCancelled: rarely,
  })
  .map(({ source, number, refund, at, amount: total, isCancelled }): Spoken => {
    const [orderId, refundId] = [ORDER_IDS[source](number), `r${refund}`]
    if (isCancelled) {
      return {
        ...{ source, topic: '' },
        payload: track('Order Cancelled', undefined, at, { order_id: orderId }),
        facts: [{ type: 'refund', orderId, refundId: 'cancelled', at }],
      }
    }
    return {
      ...{ source, topic: '' },
      payload: track('Order Refunded', undefined, at, { order_id: orderId, refund_id: refundId, total }),
      facts: [{ type: 'refund', orderId, refundId, amount: total, at }],
    }
  })

const purchaseOf = (given: Order, orderId: string, who: ExternalId | undefined): Fact => ({
  ...{ type: 'purchase', orderId, who, amount: given.amount, currency: given.currency, at: given.at },
  ...{ versionAt: given.versionAt, isTest: given.isTest, isCancelled: given.isCancelled },
})
const linkTo = (cuid: string | undefined, who: ExternalId | undefined, at: number): Fact[] =>
  cuid === undefined || who === undefined ? [] : [{ type: 'link', ids: [user(cuid), who], at }]

const shopOrder = order.map((given): Spoken => {
  const { number, at, versionAt } = given
  const who = given.namesNoOne ? undefined : BUYERS.shop[number]!
  const named = given.namesUser && who !== undefined ? ownerOf(who) : undefined
  const id = ORDER_IDS.shop(number)
  return {
    ...{ source: 'shop', topic: 'orders/updated' },
    payload: {
      ...{ admin_graphql_api_id: `gid://shopify/Order/${id}`, total_price: given.amount, currency: given.currency },
      ...{ created_at: iso(at), updated_at: iso(versionAt), test: given.isTest },
      ...(given.isCancelled && { cancelled_at: iso(versionAt) }),
      ...(who !== undefined && { customer: { id: Number(who.id) } }),
      ...(named !== undefined && { note_attributes: [{ name: 'greenroom_user_id', value: named }] }),
      refunds:
        given.refund === undefined
          ? []
          : [
              {
                id: 5,
                created_at: iso(versionAt),
                transactions: [{ kind: 'refund', status: 'success', amount: given.refund }],
              },
            ],
    },
    facts: [
      ...linkTo(named, who, versionAt),
      purchaseOf(given, id, who),
      ...refundOf(given.refund, { orderId: id, refundId: '5', at: versionAt }),
    ],
  }
})

const refundOf = (given: string | undefined, rest: { orderId: string; refundId: string; at: number }): Fact[] =>
  given === undefined ? [] : [{ type: 'refund', amount: given, ...rest }]

const wooOrder = order.map((drawn): Spoken => {
  const given = { ...drawn, isTest: false }
  const { number, at, versionAt } = given
  const who = given.namesNoOne ? undefined : BUYERS.woo[number]!
  const named = given.namesUser && who !== undefined ? ownerOf(who) : undefined
  const gmt = (instant: number): string => iso(instant).slice(0, 19)
  const orderId = ORDER_IDS.woo(number)
  return {
    ...{ source: 'woo', topic: 'order.updated' },
    payload: {
      ...{ id: number + 1, total: given.amount, currency: given.currency, customer_id: Number(who?.id ?? 0) },
      ...{ date_created_gmt: gmt(at), date_modified_gmt: gmt(versionAt) },
      status: given.isCancelled ? 'cancelled' : 'completed',
      ...(named !== undefined && { meta_data: [{ key: 'greenroom_user_id', value: named }] }),
      refunds: given.refund === undefined ? [] : [{ id: 6, total: `-${given.refund}` }],
    },
    facts: [
      ...linkTo(named, who, versionAt),
      purchaseOf(given, orderId, who),
      ...refundOf(given.refund, { orderId, refundId: '6', at: versionAt }),
    ],
  }
})

const shopCustomer = fc
  .record({ who: fc.constantFrom(...BUYERS.shop), at: time, firstName: name, isNamed: fc.boolean() })
  .map(({ who, at, firstName, isNamed }): Spoken => {
    const named = isNamed ? ownerOf(who) : undefined
    return {
      ...{ source: 'shop', topic: 'customers/update' },
      payload: {
        ...{ id: Number(who.id), first_name: firstName, updated_at: iso(at) },
        ...(named !== undefined && { metafields: [{ key: 'greenroom_user_id', value: named }] }),
      },
      facts: [{ type: 'profile', who, fields: { firstName }, at }, ...linkTo(named, who, at)],
    }
  })

const identify = fc
  .record({
    ...{ source: fc.constantFrom('app' as const, 'site' as const), person: fc.nat(3), at: time, also: fc.nat(3) },
    ...{ firstName: maybe(name), userName: maybe(name), conversation: rarely },
  })
  .map(({ source, person, at, also, firstName, userName, conversation }): Spoken => {
    const cuid = PEOPLE[person]!
    const other = OWN[cuid][also]
    const isAnonymous = other?.kind === 'anonymousId'
    const externalIds = [
      ...(other === undefined || isAnonymous ? [] : [{ id: other.id, type: other.kind }]),
      ...(conversation ? [{ id: CONVERSATIONS[person], type: 'conversation' }] : []),
    ]
    const fields = { ...(firstName !== undefined && { firstName }), ...(userName !== undefined && { userName }) }
    return {
      ...{ source, topic: '' },
      payload: {
        ...{ type: 'identify', userId: cuid, timestamp: iso(at), messageId: `i${at}` },
        ...(isAnonymous && { anonymousId: other.id }),
        ...{ traits: { firstName, username: userName }, context: { externalIds } },
      },
      facts: [
        ...(Object.keys(fields).length === 0 ? [] : [{ type: 'profile' as const, who: user(cuid), fields, at }]),
        ...(conversation
          ? [{ type: 'linkConversation' as const, who: user(cuid), conversationId: CONVERSATIONS[person]!, at }]
          : []),
        ...linkTo(cuid, other, at),
      ],
    }
  })

const alias = time.map(
  (at): Spoken => ({
    ...{ source: 'app', topic: '' },
    payload: { type: 'alias', userId: 'cu_ada', previousId: OLD_CUID, timestamp: iso(at), messageId: `a${at}` },
    facts: [{ type: 'link', ids: [user('cu_ada'), anonymous(OLD_CUID), user(OLD_CUID)], at }],
  }),
)

const appOpen = fc.record({ who: fc.constantFrom(...BUYERS.app, ...BUYERS.site), at: time }).map(
  ({ who, at }): Spoken => ({
    ...{ source: 'app', topic: '' },
    payload: track('Application Opened', who, at, {}),
    facts: [{ type: 'appOpen', who, at }],
  }),
)

/** The channels' ids are known only when the story is played: `page` selects one, and the last is opened later. */
const message = fc
  .record({
    page: fc.constantFrom(0, 0, 1, 1, 2),
    conversation: fc.constantFrom(...CONVERSATIONS),
    at: time,
    isEcho: rarely,
  })
  .map(
    ({ page, conversation, at, isEcho }): Spoken => ({
      ...{ source: 'meta', topic: '' },
      payload: {
        ...{ page, timestamp: at, message: { mid: `mid${at}`, is_echo: isEcho } },
        person: { id: conversation },
      },
      facts: [{ type: 'message', channelId: String(page), conversationId: conversation, at, isEcho }],
    }),
  )

const broken = fc.constantFrom('app' as const, 'site' as const).map(
  (source): Spoken => ({
    ...{ source, topic: '', facts: [], isBroken: true },
    payload: { type: 'no event', messageId: 'broken' },
  }),
)

const spoken = fc.oneof(
  { weight: 4, arbitrary: eventOrder },
  { weight: 4, arbitrary: eventRefund },
  { weight: 3, arbitrary: shopOrder },
  { weight: 2, arbitrary: wooOrder },
  { weight: 2, arbitrary: shopCustomer },
  { weight: 4, arbitrary: identify },
  { weight: 1, arbitrary: alias },
  { weight: 2, arbitrary: appOpen },
  { weight: 7, arbitrary: message },
  { weight: 1, arbitrary: broken },
)

const line: fc.Arbitrary<ImportedLine> = fc
  .record({
    ...{ person: fc.nat(3), lifetimeValue: maybe(fc.integer({ min: 0, max: 9_999 }).map((cents) => cents / 100)) },
    ...{ valueAt: maybe(time), lastPurchaseTimestamp: maybe(time), lastUserMessageTimestamp: maybe(time) },
    ...{ lastAppOpenTimestamp: maybe(time), firstName: maybe(fc.option(name)), userName: maybe(name) },
  })
  .map(({ valueAt, ...given }) => ({
    ...given,
    ...(given.lifetimeValue !== undefined && { lifetimeValueAt: valueAt }),
  }))

const cuid = fc.constantFrom(...PEOPLE)
const handId = fc.constantFrom(...HAND_IDS)
const dieAt = maybe(fc.nat(60))
const is = <T extends Step['do']>(what: T): fc.Arbitrary<T> => fc.constant(what)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      ...{ do: is('send'), spoken: fc.array(spoken, { minLength: 1, maxLength: 6 }) },
      ...{ isDoubled: rarely, inOne: fc.boolean(), isAppliedDuring: rarely },
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: is('apply'), workers: fc.integer({ min: 1, max: 2 }), dieAt }) },
  { weight: 2, arbitrary: fc.record({ do: is('repeat'), back: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: is('retry') }) },
  { weight: 1, arbitrary: fc.record({ do: is('openChannel') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: is('purchases'),
      source: fc.constantFrom<Seller>('app', 'site', 'shop', 'woo'),
      lines: fc.array(order, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('import'),
      channel: fc.nat(1),
      lines: fc.array(line, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: is('erase'), cuid }) },
  { weight: 1, arbitrary: fc.record({ do: is('readmit'), cuid }) },
  { weight: 1, arbitrary: fc.record({ do: is('redact'), who: fc.constantFrom(...BUYERS.shop), dieAt }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: is('deleteUser'), conversationId: fc.constantFrom(...CONVERSATIONS), dieAt }),
  },
  { weight: 1, arbitrary: fc.record({ do: is('forgetShop'), dieAt }) },
  { weight: 1, arbitrary: fc.record({ do: is('currency'), currency: fc.constantFrom('EUR', 'USD', null) }) },
  { weight: 2, arbitrary: fc.record({ do: is('link'), cuid, who: handId }) },
  { weight: 1, arbitrary: fc.record({ do: is('unlink'), cuid, who: handId }) },
  { weight: 1, arbitrary: fc.record({ do: is('check') }) },
)

export interface Story {
  /** The values from before the first source, by person and channel; null without a conversation. */
  before: (number | null)[]
  steps: Step[]
}

export const story: fc.Arbitrary<Story> = fc.record({
  before: fc.array(fc.option(fc.integer({ min: 0, max: 9_999 })), { minLength: 6, maxLength: 6 }),
  steps: fc.array(step, { minLength: 4, maxLength: 24, size: 'max' }),
})
