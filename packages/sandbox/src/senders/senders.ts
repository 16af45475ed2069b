import type { CommentWebhooks } from '../comments/comments.js'
import type { Clock } from '../lib/clock.js'
import { newSecret } from '../lib/ids.js'
import { seededRandom } from '../lib/seeded-random.js'
import type { SandboxModel, SandboxPage } from '../model.js'
import type { Subscriptions } from '../subscriptions.js'
import { type AppEvent, toBatch } from './app.js'
import { type Address, isAnswered } from './delivery.js'
import { createInbox, type Inbox } from './meta.js'
import { createOutbox, watchFailures } from './outbox.js'
import { IN_ORDER, type Plan, planOfPage, planOfShop, type SenderAction } from './plans.js'
import { type Buyer, createShop, type Shop, type ShopFormat } from './shop.js'
import { shopifyFormat } from './shopify.js'
import { wooCommerceFormat, wooCommercePing } from './woocommerce.js'

export type ShopName = 'shopify' | 'woocommerce'

/** The other side: the address of each sender. A sender without an address sends nothing. */
interface OtherSide {
  currency: string
  /** Returns the customers; if there are none, guests buy. */
  buyers(): Promise<readonly Buyer[]>
  shopify?: Address
  woocommerce?: Address
  /** Includes the token that verifies the address, if it is known. */
  meta?: Address & { verifyToken?: string }
  /** The address of batches, and the write key. */
  app?: Address
}

/** A sender with its name, as on the panel and its buttons. */
export interface NamedSender {
  name: string
  shop?: Shop
  page?: SandboxPage
  /** The fields that a page is subscribed to. */
  subscribed?: readonly string[]
  unanswered: number
}

/**
 * The shops and the inbox of the sandbox. They sign as the real ones do and deliver to the other side once it is
 * connected. A sender of messages delivers only the fields that the page is subscribed to.
 */
export function createSenders(
  clock: Clock,
  model: SandboxModel,
  subscriptions: Pick<Subscriptions, 'sentOf' | 'forget'>,
) {
  const random = seededRandom(clock.now())
  const now = (): number => clock.now()
  const outbox = createOutbox(now)
  const { note, sendAll } = outbox
  let other: OtherSide | undefined
  let shops: Partial<Record<ShopName, Shop>> = {}
  let inbox: Inbox | undefined
  const failures = watchFailures(now)

  function openShop(format: ShopFormat): Shop {
    return createShop({ now, random, format, buyers: () => other?.buyers() ?? Promise.resolve([]) })
  }

  async function sendOfPage(page: SandboxPage, field: string, made: Plan): Promise<void> {
    if (!subscriptions.sentOf(page).includes(field)) {
      note(page.id, made.deliveries[0]!.title, { [`not sent: not subscribed to ${field}`]: made.deliveries.length })
    } else if (failures.isOver(page.id, await sendAll(page.id, other!.meta!, made))) forget(page)
  }

  function forget({ id, pageId }: SandboxPage): void {
    for (const each of [id, pageId]) if (each !== undefined) subscriptions.forget(each)
    note(id, 'The subscription is forgotten', {})
  }

  const addressOf = (sender: string): Address | undefined =>
    sender === 'shopify' || sender === 'woocommerce' || sender === 'app' ? other?.[sender] : other?.meta

  /** Delivers comment events, if an inbox is connected. */
  const webhooks: CommentWebhooks = {
    async comments(page, comments, delivery) {
      if (inbox === undefined || comments.length === 0) return
      const way = delivery.isShuffled ? 'at once' : IN_ORDER
      const field = page.platform === 'facebook' ? 'feed' : 'comments'
      await sendOfPage(page, field, { deliveries: inbox.comments(page, comments, delivery), way })
    },
    async message(page, message) {
      if (inbox === undefined) return
      const field = message.isEcho && page.platform === 'facebook' ? 'message_echoes' : 'messages'
      await sendOfPage(page, field, { deliveries: inbox.message(page, message), way: IN_ORDER })
    },
  }

  return {
    webhooks,

    /** Starts delivering to these addresses, once WooCommerce has pinged its address and Meta has verified its own. */
    async connect(to: OtherSide): Promise<void> {
      other = to
      outbox.drop()
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

    /** Presses a button of a shop, by name, or of an inbox, by page id. False if there is none. */
    async press(act: SenderAction, sender: string): Promise<boolean> {
      const shop = Object.hasOwn(shops, sender) ? shops[sender as ShopName] : undefined
      const page = inbox && model.pages?.find(({ id }) => id === sender)
      if (shop === undefined && page === undefined) return false
      if (act === 'repeat') await outbox.repeat(sender, addressOf(sender))
      else if (shop !== undefined) {
        const made = await planOfShop(act, shop)
        if (made === undefined) return false
        await sendAll(sender, other![sender as ShopName]!, made)
      } else if (page !== undefined && act === 'forget') forget(page)
      else if (page !== undefined) {
        const made = planOfPage(act, page, inbox!)
        if (made === undefined) return false
        const isOwnField = act === 'echo' && page.platform === 'facebook'
        await sendOfPage(page, isOwnField ? 'message_echoes' : 'messages', made)
      }
      return true
    },

    /** Sends the app's events in one batch, `times` times. */
    async track(events: readonly AppEvent[], { times = 1 } = {}): Promise<void> {
      if (other?.app === undefined || events.length === 0) return
      const delivery = toBatch(other.app, events)
      await sendAll('app', other.app, { deliveries: Array.from({ length: times }, () => delivery), way: IN_ORDER })
    },

    /** Repeats deliveries that did not get the right answer. */
    async repeatAll(): Promise<void> {
      for (const sender of outbox.waiting()) await outbox.repeat(sender, addressOf(sender))
    },

    list(): NamedSender[] {
      const ofShops = Object.entries(shops).map(([name, shop]) => ({ name, shop }))
      const ofPages = (inbox === undefined ? [] : (model.pages ?? [])).map((page) => ({
        ...{ name: page.id, page, subscribed: subscriptions.sentOf(page) },
      }))
      return [...ofShops, ...ofPages].map((each) => ({ ...each, unanswered: outbox.countOf(each.name) }))
    },

    /** A shop's orders, oldest first, as the shop knows them. */
    ordersOf: (shop: ShopName) => shops[shop]?.orders ?? [],

    /** The latest deliveries, newest first. */
    sent: outbox.sent,
  }
}

export type Senders = ReturnType<typeof createSenders>
