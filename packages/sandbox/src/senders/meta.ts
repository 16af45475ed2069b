import { authorOf } from '../comments/comment-body.js'
import type { SandboxComment } from '../comments/comments.js'
import { DAY_MS } from '../lib/dates.js'
import { newId } from '../lib/ids.js'
import type { SeededRandom } from '../lib/seeded-random.js'
import type { SandboxPage } from '../model.js'
import { type Address, type Delivery, sign, toPhpJson } from './delivery.js'

const TEXTS = ['Oi! Vocês abrem hoje?', 'Ainda tem pão de queijo? 🧀', 'Quanto é o frete?', 'Chegou, obrigada! ☕']
const ANSWERS = ['Abrimos às oito!', 'Tem sim, quentinho.']
/** The people who write to a page, unless one is named. */
const PEOPLE = { first: 9_000_000_000_000_000, count: 41 }
const SHUFFLED = 10

interface Message {
  at?: number
  personId?: string
  /** True for the page's own answer to the person. */
  isEcho?: boolean
  text?: string
  isSticker?: boolean
}

/** Since this day a sticker is an attachment of its own type; before, it was a picture. */
const STICKERS_SINCE = Date.parse('2026-08-30')
const STICKER = { url: 'https://scontent.example/sticker.png', sticker_id: 369239263222822 }

/** The webhooks of a Meta app: people's messages to a page or an Instagram account. */
export function createInbox({ secret }: Address, now: () => number, random: SeededRandom) {
  function toUpdate(
    { id: pageId }: SandboxPage,
    { at = now(), personId, isEcho = false, text, isSticker = false }: Message,
  ): object {
    const person = { id: personId ?? String(PEOPLE.first + random.integer(0, PEOPLE.count - 1)) }
    const page = { id: pageId }
    const [sender, recipient] = isEcho ? [page, person] : [person, page]
    const type = at < STICKERS_SINCE ? 'image' : 'sticker'
    const content = isSticker
      ? { attachments: [{ type, payload: STICKER }] }
      : { text: text ?? random.pick(isEcho ? ANSWERS : TEXTS) }
    const message = { mid: newId('m'), ...content, ...(isEcho && { is_echo: true, app_id: 700_000_000_000_001 }) }
    return { sender, recipient, timestamp: at, message }
  }

  function toDelivery(page: SandboxPage, title: string, messages: readonly Message[]): Delivery {
    const messaging = messages.map((message) => toUpdate(page, message))
    return toSigned(page, `${title} to ${page.name}`, { id: page.id, time: now(), messaging })
  }

  function toSigned({ platform }: SandboxPage, title: string, entry: object): Delivery {
    const body = toPhpJson({ object: platform === 'facebook' ? 'page' : 'instagram', entry: [entry] })
    return {
      title,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'facebookexternalua',
        'x-hub-signature': `sha1=${sign('sha1', secret, body, 'hex')}`,
        'x-hub-signature-256': `sha256=${sign('sha256', secret, body, 'hex')}`,
      },
    }
  }

  function toComments(page: SandboxPage, comments: readonly SandboxComment[]): Delivery {
    const title = comments.length === 1 ? `A comment on ${page.name}` : `${comments.length} comments on ${page.name}`
    const changes = comments.map((comment) => toChange(page, comment))
    return toSigned(page, title, { id: page.id, time: Math.floor(now() / 1000), changes })
  }

  return {
    comments: (
      page: SandboxPage,
      comments: readonly SandboxComment[],
      { isTogether = false, isShuffled = false },
    ): Delivery[] => {
      const listed = isShuffled ? random.shuffle(comments) : comments
      return isTogether ? [toComments(page, listed)] : listed.map((comment) => toComments(page, [comment]))
    },
    message: (page: SandboxPage, message: Message = {}): Delivery[] => [toDelivery(page, 'A message', [message])],
    sticker: (page: SandboxPage): Delivery[] => [toDelivery(page, 'A sticker', [{ isSticker: true }])],
    echo: (page: SandboxPage): Delivery[] => [toDelivery(page, 'A response (echo)', [{ isEcho: true }])],
    late: (page: SandboxPage): Delivery[] => [toDelivery(page, 'A message of yesterday', [{ at: now() - DAY_MS }])],
    shuffled(page: SandboxPage): Delivery[] {
      const messages = Array.from({ length: SHUFFLED }, (_, index) => ({ at: now() - index * 1000 }))
      return random.shuffle(messages).map((message) => toDelivery(page, 'A message', [message]))
    },
    /** In one delivery, as Meta does. */
    many: (page: SandboxPage, count: number): Delivery[] => [
      toDelivery(
        page,
        `${count} messages`,
        Array.from({ length: count }, (_, index) => ({ at: now() - index })),
      ),
    ],
  }
}

/** Describes a comment as a page's feed does, or as Instagram does: without a time. */
function toChange(page: SandboxPage, comment: SandboxComment): object {
  const { id, objectId, parentId, text, at } = comment
  const from = authorOf(comment, page)
  if (page.platform === 'instagram') {
    const media = { id: objectId, media_product_type: 'FEED' }
    return {
      field: 'comments',
      value: { id, text, from, media, ...(parentId !== undefined && { parent_id: parentId }) },
    }
  }
  const value = {
    ...{ item: 'comment', verb: 'add', comment_id: id, post_id: objectId, parent_id: parentId ?? objectId },
    ...{ message: text, created_time: Math.floor(at / 1000), from },
  }
  return { field: 'feed', value }
}

export type Inbox = ReturnType<typeof createInbox>
