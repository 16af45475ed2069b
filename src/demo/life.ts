import { readListPage } from '../audience/list/list-rows.store.js'
import type { Greenroom, GreenroomApi } from '../client/index.js'
import type { AppContext } from '../context.js'
import { newId } from '../lib/ids.js'
import type { Wait } from '../lib/wait.js'
import { connectToSandbox, type DemoIds } from './fill.js'
import { type AppEvent, type Buyer, type DemoModel, type Senders, seededRandom } from './sandbox.js'
import { CURRENCY, connectSenders, type SourcesOfDemo } from './senders.js'

const ROUND_MS = 4_000
/** The number of VIPs who buy: those on the first page or two, where visitors see the purchases. */
const BUYERS = 120
/** The time from the creation of a post until it is due. */
const POST_AHEAD_MS = 3 * 60_000
/** The minimum time to read and approve a post. */
const POST_LEAST_MS = 30_000
/** These notes identify the posts that this file creates, including those from an earlier start. */
const NOTES = 'Approve it, and see it on its page a little later.'

const POSTS = [
  ['lanterns.jpg', 'Lanterns tonight at eight 🏮', 'Lanterns tonight! 🏮 #lanterns'],
  ['bread.jpg', 'The second batch is just out of the oven 🥖', 'Second batch, still warm 🥖 #paodequeijo'],
  ['coffee.jpg', 'Happy hour at the coffee bar, until six ☕', 'Two coffees, one price, until six ☕ #happyhour'],
  ['farmers.jpg', 'Zélia brought more tomatoes 🍅', 'More tomatoes, straight from the field 🍅 #produtorlocal'],
] as const

export interface DemoLife {
  context: AppContext
  api: Greenroom
  operator: GreenroomApi
  platform: DemoModel
  ids: DemoIds
  sources: SourcesOfDemo
  senders: Senders
  /** The root URL of the demo, the target of deliveries. */
  url: string
  /** The URL of a file in assets/demo. */
  mediaUrl: (name: string) => string
}

/**
 * Keeps the demo alive: VIPs buy and people write, through deliveries from an app, from shops and from Meta. There is always
 * a post that is due soon and waits for approval. A channel whose token was refused is connected again. All this happens in
 * rounds until it is stopped. If a round fails, the next one makes up for it.
 */
export function startLife(life: DemoLife, wait: Wait): { stop(): Promise<void> } {
  const { log } = life.context
  const end = new AbortController()
  const ended = live()
  return {
    stop() {
      end.abort()
      return ended
    },
  }

  async function live(): Promise<void> {
    const random = seededRandom(life.context.clock.now())
    const sending: Sending = { ...life, random, last: {} }
    const { url: root, sources, senders } = life
    await connectSenders(senders, { sources, root, buyers: () => listBuyers(life) })
    for (let round = 0; !end.signal.aborted; round++) {
      const steps = [
        () => buy(sending, round),
        () => shop(life, round),
        () => write(sending),
        () => senders.repeatAll(),
        () => keepPostWaiting(life, round),
        () => reconnect(life),
      ]
      for (const step of steps) {
        // For example, a visitor may have deleted what the demo works with.
        await step().catch((error) => log.debug({ err: error }, 'a round of the demo failed'))
      }
      await wait(ROUND_MS, end.signal).catch(() => {})
    }
  }
}

interface Sending extends DemoLife {
  random: ReturnType<typeof seededRandom>
  /** The last order, which may be refunded. */
  last: { order?: AppEvent }
}

/** Returns the VIPs at the top of a channel's list. */
async function readBuyers({ context, ids }: DemoLife, channelId: string) {
  const page = { vipsOf: ids.workspaceId, filter: 'none', limit: BUYERS, offset: 0 } as const
  const list = { organizationId: ids.organizationId, channelId }
  return (await readListPage(context.database, list, page, BUYERS)).rows
}

/** Returns the people who buy in the shops, with the ids that they have in the audience. */
const listBuyers = async (life: DemoLife): Promise<Buyer[]> =>
  (await readBuyers(life, life.ids.largeChannelId)).map(({ cuid }) => ({ userId: cuid }))

/** Sometimes places an order in a shop, or refunds part of one. */
async function shop({ senders }: DemoLife, round: number): Promise<void> {
  const name = round % 2 === 0 ? 'shopify' : 'woocommerce'
  if (round % 5 === 2) await senders.press('order', name)
  if (round % 15 === 8) await senders.press('refundPart', name)
}

/** Makes VIPs buy, and sometimes refunds the last order. Every third delivery is sent twice, as can happen in reality. */
async function buy(sending: Sending, round: number): Promise<void> {
  const { ids, senders, random, last } = sending
  const { clock } = sending.context
  const events: AppEvent[] = []
  for (const channelId of [ids.channelId, ids.largeChannelId]) {
    const buyers = await readBuyers(sending, channelId)
    if (buyers.length === 0) continue
    const order = newId('order')
    events.push({
      event: 'Order Completed',
      userId: random.pick(buyers).cuid,
      messageId: order,
      timestamp: new Date(clock.now()).toISOString(),
      properties: { order_id: order, total: random.integer(4, 60) * 5, currency: CURRENCY },
    })
  }
  if (round % 10 === 9 && last.order !== undefined) {
    const { userId, properties } = last.order
    const refund = { order_id: properties.order_id! }
    const timestamp = new Date(clock.now()).toISOString()
    events.unshift({ event: 'Order Refunded', userId, messageId: newId('refund'), timestamp, properties: refund })
  }
  if (events.length === 0) return
  await senders.track(events, { times: round % 3 === 0 ? 2 : 1 })
  last.order = events.at(-1)!
}

/** Makes people, sometimes new ones, write to the page, which sometimes answers. */
async function write({ platform, random, senders }: Sending): Promise<void> {
  await senders.press('message', platform.pageId)
  if (random.chance(0.2)) await senders.press('echo', platform.pageId)
}

async function keepPostWaiting({ context, api, ids, mediaUrl }: DemoLife, round: number): Promise<void> {
  const now = context.clock.now()
  const waiting = await api.scheduledPosts.list({ status: 'WAITING_FOR_APPROVAL', limit: 200 })
  const own = waiting.filter(({ notes }) => notes === NOTES)
  const leftMs = own.map(({ scheduledFor }) => Date.parse(scheduledFor ?? '') - now)
  for (const [index, { id }] of own.entries()) if (leftMs[index]! < 0) await api.scheduledPosts.delete(id)
  if (leftMs.some((left) => left > POST_LEAST_MS)) return
  const [picture, onPage, onInstagram] = POSTS[round % POSTS.length]!
  const { id } = await api.scheduledPosts.create({
    notes: NOTES,
    scheduledFor: new Date(now + POST_AHEAD_MS).toISOString(),
    media: mediaUrl(picture),
    mediaType: 'IMAGE',
    channels: { [ids.channelId]: { caption: onPage }, [ids.largeChannelId]: { caption: onInstagram } },
  })
  await api.scheduledPosts.submitForApproval(id)
}

async function reconnect({ operator, platform, ids }: DemoLife): Promise<void> {
  const channels = await operator.call('listOrganizationChannels', { organizationId: ids.organizationId })
  if (channels.some(({ status }) => status === 'needs-reconnect')) await connectToSandbox(operator, ids, platform)
}
