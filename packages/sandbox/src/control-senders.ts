import { ControlError, type Fields, readFields } from './read-fields.js'
import type { SenderAction } from './senders/plans.js'
import type { NamedSender, Senders } from './senders/senders.js'
import { actionsOf } from './senders/senders-view.js'

const ADDRESS: Fields = { url: { type: 'text' }, secret: { type: 'text' } }
const OTHER_SIDE: Fields = {
  currency: { type: 'text', default: 'USD' },
  buyers: {
    type: 'list',
    default: [],
    fields: {
      userId: { type: 'text' },
      firstName: { type: 'text', isOptional: true },
      lastName: { type: 'text', isOptional: true },
    },
  },
  shopify: { type: 'object', fields: ADDRESS, isOptional: true },
  woocommerce: { type: 'object', fields: ADDRESS, isOptional: true },
  meta: { type: 'object', fields: { ...ADDRESS, verifyToken: { type: 'text', isOptional: true } }, isOptional: true },
}

/** Lists the connected senders and their latest deliveries, newest first. */
export const listSenders = (senders: Senders): Record<string, unknown> => ({
  senders: senders.list().map((sender: NamedSender) => ({
    name: sender.name,
    ...(sender.subscribed !== undefined && { subscribed: sender.subscribed }),
    unanswered: sender.unanswered,
    actions: actionsOf(sender),
  })),
  sent: senders.sent,
})

/** Makes the senders deliver to these addresses instead of earlier ones. */
export async function connectSenders(senders: Senders, body: unknown): Promise<Record<string, unknown>> {
  const { currency, buyers, ...addresses } = readFields(body, OTHER_SIDE)
  for (const [name, { url }] of Object.entries<{ url: string }>(addresses)) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new ControlError(400, `the url of "${name}" must be an address such as http://127.0.0.1:3000/hooks`)
    }
  }
  await senders.connect({ currency, buyers: async () => buyers, ...addresses })
  return listSenders(senders)
}

/** Makes something happen at a sender, and waits until all its deliveries are answered. */
export async function pressSender(senders: Senders, name: string, action: string): Promise<Record<string, unknown>> {
  const all = senders.list()
  const sender = all.find((each) => each.name === name)
  if (sender === undefined) {
    throw new ControlError(404, `No sender "${name}" is connected: PUT /sandbox/senders connects them.`, {
      connected: all.map((each) => each.name),
    })
  }
  const actions = actionsOf(sender)
  if (!actions.includes(action as SenderAction)) {
    throw new ControlError(404, `${name} has no action "${action}".`, { actions })
  }
  await senders.press(action as SenderAction, name)
  return listSenders(senders)
}
