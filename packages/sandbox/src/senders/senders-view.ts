import { escapeHtml } from '../html.js'
import type { SentDeliveries } from './outbox.js'
import type { SenderAction } from './plans.js'
import type { NamedSender, Senders, ShopName } from './senders.js'

const BUTTONS: Readonly<Record<SenderAction, string>> = {
  order: 'An order',
  change: 'The order changes',
  cancel: 'The order is cancelled',
  refundPart: 'Part of it is refunded',
  refundAll: 'All of it is refunded',
  test: 'A test order',
  message: 'A message',
  sticker: 'A sticker',
  echo: 'The page answers',
  twice: 'The same delivery twice',
  shuffled: 'Ten in a random order',
  late: 'A late one from yesterday',
  thousand: 'A thousand at once',
  forget: 'Forget the subscription',
  repeat: 'Repeat refused deliveries',
}
const SHOP_ACTIONS: readonly SenderAction[] = ['order', 'change', 'cancel', 'refundPart', 'refundAll', 'test']
const PAGE_ACTIONS: readonly SenderAction[] = ['message', 'sticker', 'echo']
const COMMON_ACTIONS: readonly SenderAction[] = ['twice', 'shuffled', 'late', 'thousand']

const SHOPS: Readonly<Record<ShopName, { title: string; text: string }>> = {
  shopify: {
    title: 'The shop on Shopify',
    text: 'It repeats deliveries that do not get a 2xx answer. An order counts once, its refunds are deducted, and test orders never count.',
  },
  woocommerce: {
    title: 'The shop on WooCommerce',
    text: 'It sends each delivery once; a repeated order has nothing in common with the first delivery but the order. It has no test orders.',
  },
}

export const isSenderAction = (action: string): action is SenderAction => Object.hasOwn(BUTTONS, action)

/** Renders each sender with its buttons, and the latest deliveries. Returns an empty string if nothing is connected. */
export function sendersView({ list, sent }: Pick<Senders, 'list' | 'sent'>): string {
  const senders = list()
  if (senders.length === 0) return ''
  return `<h2>Shops and inboxes</h2>
<p>Each delivery is signed as the real sender signs it and sent to the service. It appears in the audience a second later.</p>
${senders.map(senderView).join('\n')}
<article>
<h2>The latest deliveries</h2>
${sent.length === 0 ? '<p class="quiet">No deliveries yet.</p>' : `<ul>${sent.map((each) => sentView(each, senders)).join('')}</ul>`}
</article>`
}

function senderView(sender: NamedSender): string {
  const { name, page, subscribed = [], unanswered } = sender
  const actions = actionsOf(sender)
  const buttons = actions
    .filter((action) => action !== 'repeat' || unanswered > 0)
    .map((action) => {
      const count = action === 'repeat' ? ` (${unanswered})` : ''
      return `<button formaction="/send/${action}/${name}">${BUTTONS[action]}${count}</button>`
    })
  const text =
    page === undefined
      ? SHOPS[name as ShopName].text
      : subscribed.length === 0
        ? '<strong>Not subscribed: messages are lost.</strong> The service checks every five minutes and subscribes it again.'
        : `Subscribed to ${escapeHtml(subscribed.join(', '))}.`
  return `<form method="post" action="/send/${actions[0]}/${name}"${page !== undefined && subscribed.length === 0 ? ' class="on"' : ''}>
<h2>${titleOf(sender)}</h2>
<p>${text}</p>
${buttons.join('\n')}
</form>`
}

export function actionsOf({ shop, page }: NamedSender): SenderAction[] {
  if (page !== undefined) return [...PAGE_ACTIONS, ...COMMON_ACTIONS, 'forget', 'repeat']
  return [...SHOP_ACTIONS.filter((action) => action !== 'test' || shop?.hasTests === true), ...COMMON_ACTIONS, 'repeat']
}

const titleOf = ({ name, page }: NamedSender): string =>
  page === undefined
    ? SHOPS[name as ShopName].title
    : `The inbox of ${escapeHtml(page.name)} (${page.platform === 'facebook' ? 'Facebook' : 'Instagram'})`

function sentView({ at, sender, title, answers }: SentDeliveries, senders: readonly NamedSender[]): string {
  const named = senders.find(({ name }) => name === sender)
  const from = named !== undefined ? titleOf(named) : sender === 'app' ? 'The app' : escapeHtml(sender)
  const answered = Object.entries(answers).map(([answer, count]) => `${count} × ${answer}`)
  const time = new Date(at).toISOString()
  return `<li><time datetime="${time}">${time.slice(11, 19)}</time> ${from}: ${escapeHtml(title)}${
    answered.length === 0 ? '' : ` → ${escapeHtml(answered.join(', '))}`
  }</li>`
}
