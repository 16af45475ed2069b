import type { SandboxPage } from '../model.js'
import type { Delivery } from './delivery.js'
import type { Inbox } from './meta.js'
import type { Shop } from './shop.js'

/** A button of a sender. The names appear in the addresses that the buttons call. */
export type SenderAction =
  | 'order'
  | 'change'
  | 'cancel'
  | 'refundPart'
  | 'refundAll'
  | 'test'
  | 'message'
  | 'sticker'
  | 'echo'
  | 'twice'
  | 'shuffled'
  | 'late'
  | 'thousand'
  | 'forget'
  | 'repeat'

export interface Plan {
  title?: string
  deliveries: readonly Delivery[]
  way: 'in order' | 'at once'
}

const THOUSAND = 1_000
export const IN_ORDER = 'in order'

/** The deliveries of a shop's button; undefined if the shop has no such button. */
export async function planOfShop(act: SenderAction, shop: Shop): Promise<Plan | undefined> {
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

/** The deliveries of an inbox's button; undefined if the inbox has no such button. */
export function planOfPage(act: SenderAction, page: SandboxPage, from: Inbox): Plan | undefined {
  switch (act) {
    case 'message':
    case 'sticker':
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

const twice = (deliveries: readonly Delivery[]): Plan => ({
  title: `${deliveries[0]?.title}, twice`,
  deliveries: [...deliveries, ...deliveries],
  way: 'at once',
})
