import { createHmac } from 'node:crypto'
import type { GreenroomOperator } from '../client/index.js'
import type { Source, SourceWithSecrets } from '../interface/intake.js'
import { newSecret } from '../lib/ids.js'

const APP = "The shop's app"
const INBOX = 'The inbox of the page'
/** The currency of the shop. */
export const CURRENCY = 'BRL'

/** A purchase, or a refund of all of it where `refunds` is set. */
export interface DemoEvent {
  event: 'Order Completed' | 'Order Refunded'
  userId: string
  messageId: string
  timestamp: string
  properties: Record<string, string | number>
}

/** Sends what an app and Meta send, over HTTP, as they do. */
export interface Senders {
  sendEvents(events: readonly DemoEvent[]): Promise<void>
  /** A message of a person to the page. */
  sendMessage(pageId: string, personId: string, at: number): Promise<void>
}

/**
 * Makes the sources of the demo, or finds those of an earlier start: their key and secret are replaced, because no one
 * can read them again.
 */
export async function openSenders(
  operator: GreenroomOperator,
  organizationId: string,
  baseUrl: string,
): Promise<Senders> {
  const root = new URL(baseUrl).origin
  await operator.organizations.update(organizationId, { currency: CURRENCY })
  const { items } = await operator.sources.list(organizationId)
  const secret = newSecret()
  const app = await open(items, APP, {
    make: () => operator.sources.create(organizationId, { type: 'EVENTS', name: APP }),
    renew: ({ id }) => operator.sources.rotateSecret(organizationId, id, {}),
  })
  const inbox = await open(items, INBOX, {
    make: () => operator.sources.create(organizationId, { type: 'META', name: INBOX, secret }),
    renew: ({ id }) => operator.sources.rotateSecret(organizationId, id, { secret }),
  })
  const send = async (path: string, body: string, headers: Record<string, string>): Promise<void> => {
    const answer = await fetch(`${root}${path}`, { method: 'POST', body, headers })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
  }
  return {
    async sendEvents(events) {
      const batch = events.map((event) => ({ type: 'track', ...event }))
      const authorization = `Basic ${Buffer.from(`${app.writeKey}:`).toString('base64')}`
      await send('/ingest/v1/batch', JSON.stringify({ batch }), { authorization, 'content-type': 'application/json' })
    },
    async sendMessage(pageId, personId, at) {
      const messaging = [
        {
          ...{ sender: { id: personId }, recipient: { id: pageId }, timestamp: at },
          message: { mid: `m_${personId}_${at}`, text: 'Oi! Vocês abrem hoje?' },
        },
      ]
      const body = JSON.stringify({ object: 'page', entry: [{ id: pageId, time: at, messaging }] })
      const signature = createHmac('sha256', secret).update(body).digest('hex')
      await send(`/hooks/${inbox.id}`, body, {
        'content-type': 'application/json',
        'x-hub-signature-256': `sha256=${signature}`,
      })
    },
  }
}

const open = (
  sources: readonly Source[],
  name: string,
  ways: { make(): Promise<SourceWithSecrets>; renew(source: Source): Promise<SourceWithSecrets> },
): Promise<SourceWithSecrets> => {
  const known = sources.find((source) => source.name === name)
  return known === undefined ? ways.make() : ways.renew(known)
}
