import { createHash } from 'node:crypto'
import { DAY_MS } from '../lib/dates.js'
import type { SeededRandom } from '../lib/seeded-random.js'
import type { Delivery } from './delivery.js'

/** A customer of the shop. The shop's theme adds the user's id to orders. */
export interface Buyer {
  userId: string
  firstName?: string
  lastName?: string
}

/** An order as the shop knows it. Times are milliseconds since the epoch, money is in cents. */
export interface ShopOrder {
  id: number
  /** Undefined for a guest. */
  buyer: Buyer | undefined
  cents: number
  placedAt: number
  /** Changes are at least a second apart, because shops report whole seconds. */
  changedAt: number
  isTest: boolean
  cancelledAt: number | undefined
  refunds: { id: number; cents: number; at: number }[]
}

type ShopEvent = 'placed' | 'changed' | 'cancelled' | 'refunded'

/** A shop's format: turns what just happened to an order into deliveries. */
export interface ShopFormat {
  /** True if its orders may be tests, which never count. */
  hasTests: boolean
  /** True if an order's total includes items that are added later. */
  totalFollows: boolean
  toDeliveries(order: ShopOrder, event: ShopEvent): Delivery[]
}

interface Needs {
  now(): number
  random: SeededRandom
  buyers(): Promise<readonly Buyer[]>
  format: ShopFormat
}

const ORDERS_KEPT = 5_000
const SHUFFLED = 10

/** A shop whose orders are placed, changed, cancelled and refunded; each step returns its deliveries. */
export function createShop({ now, random, buyers, format }: Needs) {
  const orders: ShopOrder[] = []
  let lastId = 0

  /** It also rises from one start to the next. */
  function nextId(): number {
    lastId = Math.max(lastId + 1, now() * 1000)
    return lastId
  }

  function place(among: readonly Buyer[], { at = now(), isTest = false } = {}): Delivery[] {
    const placedAt = Math.floor(at / 1000) * 1000
    const order: ShopOrder = {
      id: nextId(),
      buyer: among.length === 0 ? undefined : random.pick(among),
      cents: random.integer(40, 600) * 50 + random.integer(0, 49),
      ...{ placedAt, changedAt: placedAt, isTest, cancelledAt: undefined, refunds: [] },
    }
    orders.push(order)
    if (orders.length > ORDERS_KEPT) orders.shift()
    return format.toDeliveries(order, 'placed')
  }

  /** Changes the latest order that is paid and not refunded, or a new one if there is none. */
  async function toLatest(event: ShopEvent, act: (order: ShopOrder, at: number) => void): Promise<Delivery[]> {
    const isOpen = (each: ShopOrder): boolean => !each.isTest && each.cancelledAt === undefined && centsOf(each) > 1
    const placed = orders.some(isOpen) ? [] : place(await buyers())
    const order = orders.findLast(isOpen)!
    order.changedAt = Math.max(Math.floor(now() / 1000) * 1000, order.changedAt + 1000)
    act(order, order.changedAt)
    return [...placed, ...format.toDeliveries(order, event)]
  }

  const refund = (share: number): Promise<Delivery[]> =>
    toLatest('refunded', (order, at) => {
      order.refunds.push({ id: nextId(), cents: Math.ceil(centsOf(order) * share), at })
    })
  const change = (): Promise<Delivery[]> =>
    toLatest('changed', (order) => {
      if (format.totalFollows) order.cents += random.integer(1, 40) * 50
    })
  const cancel = (): Promise<Delivery[]> =>
    toLatest('cancelled', (order, at) => {
      order.cancelledAt = at
    })
  const order = async (options: { at?: number; isTest?: boolean } = {}): Promise<Delivery[]> =>
    place(await buyers(), options)

  return {
    orders: orders as readonly ShopOrder[],
    hasTests: format.hasTests,
    order,
    test: () => order({ isTest: true }),
    change,
    cancel,
    refundPart: () => refund(0.4),
    refundAll: () => refund(1),
    late: () => order({ at: now() - DAY_MS }),

    /** Everything that happens to several orders, in random order. */
    async shuffled(): Promise<Delivery[]> {
      const steps = [order, change, () => refund(0.4), order, () => refund(1), order, cancel]
      const deliveries: Delivery[] = []
      for (let step = 0; deliveries.length < SHUFFLED; step++) {
        deliveries.push(...(await steps[step % steps.length]!()))
      }
      return random.shuffle(deliveries)
    },

    async many(count: number): Promise<Delivery[]> {
      const among = await buyers()
      return Array.from({ length: count }, () => place(among)).flat()
    },
  }
}

export type Shop = ReturnType<typeof createShop>

/** The earnings of the order, in cents, after refunds. */
export function centsOf({ cents, isTest, cancelledAt, refunds }: ShopOrder): number {
  if (isTest || cancelledAt !== undefined) return 0
  return cents - refunds.reduce((sum, refund) => sum + refund.cents, 0)
}

/** The customer's number in the shop, which depends only on the user. */
export const customerIdOf = ({ userId }: Buyer): number =>
  1_000_000 + createHash('sha256').update(userId).digest().readUIntBE(0, 5)

export const toMoney = (cents: number): string => (cents / 100).toFixed(2)
