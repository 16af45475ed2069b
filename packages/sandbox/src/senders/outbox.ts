import { type Address, type Delivery, deliver } from './delivery.js'
import { IN_ORDER, type Plan } from './plans.js'

/** The deliveries of one press, and their responses. */
export interface SentDeliveries {
  at: number
  sender: string
  title: string
  /** Counts by status, by `no answer`, or by the reason why nothing was sent. */
  answers: Readonly<Record<string, number>>
}

/** A sender opens this many connections. */
const AT_ONCE = 100
const SENT_KEPT = 12
const UNANSWERED_KEPT = 10_000

/** The distinct titles of deliveries, each with its count. */
function titleOf(deliveries: readonly Delivery[]): string {
  const counts = new Map<string, number>()
  for (const { title } of deliveries) counts.set(title, (counts.get(title) ?? 0) + 1)
  return [...counts].map(([title, count]) => (count === 1 ? title : `${count} × ${title}`)).join(', ')
}

/** Sends deliveries, and keeps their responses and the deliveries to repeat. */
export function createOutbox(now: () => number) {
  const sent: SentDeliveries[] = []
  /** Deliveries without a 2xx answer, by sender. Shopify and Meta send them again; WooCommerce does not. */
  const unanswered = new Map<string, Delivery[]>()

  function note(sender: string, title: string, answers: Record<string, number>): void {
    sent.unshift({ at: now(), sender, title, answers })
    sent.length = Math.min(sent.length, SENT_KEPT)
  }

  /** Returns how many did not get a 2xx answer. */
  async function sendAll(sender: string, address: Address, { title, deliveries, way }: Plan): Promise<number> {
    let failed = 0
    const answers: Record<string, number> = {}
    const left = deliveries.values()
    const work = async (): Promise<void> => {
      for (const delivery of left) {
        const status = await deliver(address.url, delivery)
        const answer = String(status ?? 'no response')
        answers[answer] = (answers[answer] ?? 0) + 1
        if (status !== undefined && status < 300) continue
        failed++
        if (sender === 'woocommerce') continue
        const kept = unanswered.get(sender) ?? []
        unanswered.set(sender, kept)
        if (kept.length < UNANSWERED_KEPT) kept.push(delivery)
      }
    }
    await Promise.all(Array.from({ length: way === 'at once' ? AT_ONCE : 1 }, work))
    note(sender, title ?? titleOf(deliveries), answers)
    return failed
  }

  async function repeat(sender: string, address: Address | undefined): Promise<void> {
    const deliveries = unanswered.get(sender) ?? []
    if (deliveries.length === 0 || address === undefined) return
    unanswered.delete(sender)
    await sendAll(sender, address, { title: 'Earlier refused deliveries', deliveries, way: IN_ORDER })
  }

  return {
    note,
    sendAll,
    repeat,
    /** The senders with deliveries to repeat. */
    waiting: (): string[] => [...unanswered.keys()],
    countOf: (sender: string): number => unanswered.get(sender)?.length ?? 0,
    drop: (): void => unanswered.clear(),
    sent: sent as readonly SentDeliveries[],
  }
}

const FAILING_MS_MAX = 3_600_000

/** Watches the deliveries of pages: an address that fails for an hour loses the subscription. */
export function watchFailures(now: () => number) {
  /** The first failed delivery since the last success. */
  const since = new Map<string, number>()
  return {
    /** Takes the number of deliveries that just failed, and returns whether the hour is over. */
    isOver(pageId: string, failed: number): boolean {
      const first = failed === 0 ? undefined : (since.get(pageId) ?? now())
      if (first === undefined || now() >= first + FAILING_MS_MAX) since.delete(pageId)
      else since.set(pageId, first)
      return first !== undefined && !since.has(pageId)
    },
  }
}
