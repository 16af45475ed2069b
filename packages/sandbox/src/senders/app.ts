import type { Address, Delivery } from './delivery.js'

/** A purchase, or a full refund of it, as an app reports it. */
export interface AppEvent {
  event: 'Order Completed' | 'Order Refunded'
  userId: string
  messageId: string
  timestamp: string
  properties: Record<string, string | number>
}

/** Builds a batch as an SDK sends it. The address's secret is the write key. */
export const toBatch = ({ secret }: Address, events: readonly AppEvent[]): Delivery => ({
  title: events.length === 1 ? 'An event' : `${events.length} events`,
  body: JSON.stringify({ batch: events.map((event) => ({ type: 'track', ...event })) }),
  headers: {
    'content-type': 'application/json',
    authorization: `Basic ${Buffer.from(`${secret}:`).toString('base64')}`,
  },
})
