import type { Clock } from '../../lib/clock.js'
import { newSecret } from '../../lib/ids.js'
import { seededRandom } from '../../lib/seeded-random.js'
import type { SandboxModel, SandboxPage } from '../model.js'
import type { Subscriptions } from '../subscriptions.js'
import { type AppEvent, toBatch } from './app.js'
import { type Address, type Delivery, deliver, isAnswered } from './delivery.js'
import { createInbox, type Inbox } from './meta.js'
import { type Buyer, createShop, type Shop, type ShopFormat } from './shop.js'
import { shopifyFormat } from './shopify.js'
import { wooCommerceFormat, wooCommercePing } from './woocommerce.js'

export type ShopName = 'shopify' | 'woocommerce'

/** The other side: where each sender delivers to. One that is left out sends nothing. */
interface OtherSide {
  currency: string
  /** Who buys; where there is no one, guests do. */
  buyers(): Promise<readonly Buyer[]>
  shopify?: Address
  woocommerce?: Address
  /** With the token that the address is verified with, where it is known. */
  meta?: Address & { verifyToken?: string }
  /** The address of batches, and the write key. */
  app?: Address
}

/** Deliveries of one press, and how they were answered. */
export interface SentDeliveries {
  at: number
  sender: string
  title: string
  /** By status, or `no answer`, or the reason why nothing was sent. */
  answers: Readonly<Record<string, number>>
}

/** The button of a sender. The names are those of the addresses at which people press them. */
export type SenderAction =
  | 'order'
  | 'change'
  | 'cancel'
  | 'refundPart'
  | 'refundAll'
  | 'test'
  | 'message'
  | 'echo'
  | 'twice'
  | 'shuffled'
  | 'late'
  | 'thousand'
  | 'forget'
  | 'repeat'

const THOUSAND = 1_000
/** So many connections a sender opens. */
const AT_ONCE = 100
const SENT_KEPT = 12
const UNANSWERED_KEPT = 10_000
const IN_ORDER: Plan['way'] = 'in order'

interface Plan {
  title?: string
  deliveries: readonly Delivery[]
  way: 'in order' | 'at once'
}

/** A sender with its name, as the panel shows it and its buttons act on it. */
export interface NamedSender {
  name: string
  shop?: Shop
  page?: SandboxPage
  /** Of a page. */
  subscribed?: readonly string[]
  unanswered: number
}

/**
 * The shops and the inbox that live in the sandbox: they sign as the real ones do and deliver to the other side, once
 * it is connected. A sender of messages delivers only what the page is subscribed to.
 */
export function createSenders(
  clock: Clock,
  model: SandboxModel,
  subscriptions: Pick<Subscriptions, 'fieldsOf' | 'forget'>,
) {
  const random = seededRandom(clock.now())
  const now = (): number => clock.now()
  const sent: SentDeliveries[] = []
  /** By sender: what was not answered with a 2xx. Shopify and Meta send it again; WooCommerce does not. */
  const unanswered = new Map<string, Delivery[]>()
  let other: OtherSide | undefined
  let shops: Partial<Record<ShopName, Shop>> = {}
  let inbox: Inbox | undefined

  function note(sender: string, title: string, answers: Record<string, number>): void {
    sent.unshift({ at: now(), sender, title, answers })
    sent.length = Math.min(sent.length, SENT_KEPT)
  }

  async function sendAll(sender: string, address: Address, { title, deliveries, way }: Plan): Promise<void> {
    const answers: Record<string, number> = {}
    const left = deliveries.values()
    const work = async (): Promise<void> => {
      for (const delivery of left) {
        const status = await deliver(address.url, delivery)
        const answer = String(status ?? 'no answer')
        answers[answer] = (answers[answer] ?? 0) + 1
        if (sender === 'woocommerce' || (status !== undefined && status < 300)) continue
        const kept = unanswered.get(sender) ?? []
        unanswered.set(sender, kept)
        if (kept.length < UNANSWERED_KEPT) kept.push(delivery)
      }
    }
    await Promise.all(Array.from({ length: way === 'at once' ? AT_ONCE : 1 }, work))
    note(sender, title ?? deliveries.map((delivery) => delivery.title).join(', '), answers)
  }

  function openShop(format: ShopFormat): Shop {
    return createShop({ now, random, format, buyers: () => other?.buyers() ?? Promise.resolve([]) })
  }

  async function plan(act: SenderAction, shop: Shop): Promise<Plan | undefined> {
    switch (act) {
      case 'order':
      case 'change':
      case 'cancel':
      case 'refundPart':
      case 'refundAll':
      case 'late':
        return { deliveries: await shop[act](), way: IN_ORDER }
      case 'test':
        return shop.hasTests ? { deliveries: await shop.test(), way: IN_ORDER } : undefined
      case 'twice':
        return twice(await shop.order())
      case 'shuffled':
        return { deliveries: await shop.shuffled(), way: IN_ORDER }
      case 'thousand':
        return { title: 'A thousand orders', deliveries: await shop.many(THOUSAND), way: 'at once' }
      default:
        return undefined
    }
  }

  function planOfPage(act: SenderAction, page: SandboxPage, from: Inbox): Plan | undefined {
    switch (act) {
      case 'message':
      case 'echo':
      case 'late':
      case 'shuffled':
        return { deliveries: from[act](page), way: IN_ORDER }
      case 'twice':
        return twice(from.message(page))
      case 'thousand':
        return { deliveries: from.many(page, THOUSAND), way: IN_ORDER }
      default:
        return undefined
    }
  }

  async function sendOfPage(page: SandboxPage, field: string, made: Plan): Promise<void> {
    if (!subscriptions.fieldsOf(page.id).includes(field)) {
      note(page.id, made.deliveries[0]!.title, { [`not sent: not subscribed to ${field}`]: made.deliveries.length })
    } else await sendAll(page.id, other!.meta!, made)
  }

  const addressOf = (sender: string): Address | undefined =>
    sender === 'shopify' || sender === 'woocommerce' || sender === 'app' ? other?.[sender] : other?.meta

  async function repeat(sender: string): Promise<void> {
    const deliveries = unanswered.get(sender) ?? []
    const address = addressOf(sender)
    if (deliveries.length === 0 || address === undefined) return
    unanswered.delete(sender)
    await sendAll(sender, address, { title: 'What was refused before', deliveries, way: IN_ORDER })
  }

  return {
    /** Begins to deliver to these addresses, once WooCommerce has pinged its own and Meta has verified its own. */
    async connect(to: OtherSide): Promise<void> {
      other = to
      unanswered.clear()
      shops = {
        ...(to.shopify && { shopify: openShop(shopifyFormat(to.shopify, to.currency, now)) }),
        ...(to.woocommerce && { woocommerce: openShop(wooCommerceFormat(to.woocommerce, to.currency)) }),
      }
      inbox = to.meta && createInbox(to.meta, now, random)
      if (to.woocommerce) {
        await sendAll('woocommerce', to.woocommerce, { deliveries: [wooCommercePing()], way: IN_ORDER })
      }
      if (to.meta?.verifyToken === undefined) return
      const challenge = newSecret()
      const query = { 'hub.mode': 'subscribe', 'hub.verify_token': to.meta.verifyToken, 'hub.challenge': challenge }
      const isVerified = await isAnswered(to.meta.url, query, challenge)
      note('meta', 'The address is verified', { [isVerified ? '200' : 'refused']: 1 })
    },

    /** Presses a button of a sender: of a shop by its name, of an inbox by the id of its page. False where there is no such one. */
    async press(act: SenderAction, sender: string): Promise<boolean> {
      const shop = Object.hasOwn(shops, sender) ? shops[sender as ShopName] : undefined
      const page = inbox && model.pages?.find(({ id }) => id === sender)
      if (shop === undefined && page === undefined) return false
      if (act === 'repeat') await repeat(sender)
      else if (shop !== undefined) {
        const made = await plan(act, shop)
        if (made === undefined) return false
        await sendAll(sender, other![sender as ShopName]!, made)
      } else if (page !== undefined && act === 'forget') {
        subscriptions.forget(page.id)
        note(page.id, 'The subscription is forgotten', {})
      } else if (page !== undefined) {
        const made = planOfPage(act, page, inbox!)
        if (made === undefined) return false
        const isOwnField = act === 'echo' && page.platform === 'facebook'
        await sendOfPage(page, isOwnField ? 'message_echoes' : 'messages', made)
      }
      return true
    },

    /** Sends events of the app in one batch, as often as is said. */
    async track(events: readonly AppEvent[], { times = 1 } = {}): Promise<void> {
      if (other?.app === undefined || events.length === 0) return
      const delivery = toBatch(other.app, events)
      await sendAll('app', other.app, { deliveries: Array.from({ length: times }, () => delivery), way: IN_ORDER })
    },

    /** Sends again what was not answered as it should be. */
    async repeatAll(): Promise<void> {
      for (const sender of [...unanswered.keys()]) await repeat(sender)
    },

    list(): NamedSender[] {
      const ofShops = Object.entries(shops).map(([name, shop]) => ({ name, shop }))
      const ofPages = (inbox === undefined ? [] : (model.pages ?? [])).map((page) => ({
        ...{ name: page.id, page, subscribed: subscriptions.fieldsOf(page.id) },
      }))
      return [...ofShops, ...ofPages].map((each) => ({ ...each, unanswered: unanswered.get(each.name)?.length ?? 0 }))
    },

    /** The orders of a shop, oldest first, as the shop itself knows them. */
    ordersOf: (shop: ShopName) => shops[shop]?.orders ?? [],

    /** The latest deliveries, newest first. */
    sent: sent as readonly SentDeliveries[],
  }
}

export type Senders = ReturnType<typeof createSenders>

const twice = (deliveries: readonly Delivery[]): Plan => ({
  title: `${deliveries[0]?.title}, twice`,
  deliveries: [...deliveries, ...deliveries],
  way: 'at once',
})
