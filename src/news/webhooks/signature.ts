import { createHmac } from 'node:crypto'
import { newSecret } from '../../lib/ids.js'

/** Secrets of webhooks begin with it (Standard Webhooks). */
const PREFIX = 'whsec_'

/** 256 random bits: `whsec_` and base64. */
export const newWebhookSecret = (): string => `${PREFIX}${Buffer.from(newSecret(), 'hex').toString('base64')}`

export interface SignedContent {
  id: string
  /** In seconds since the epoch. */
  timestamp: number
  body: string
}

/** The headers of Standard Webhooks: a signature by each of the secrets. */
export function signedHeaders(
  secrets: readonly string[],
  { id, timestamp, body }: SignedContent,
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets
      .map((secret) => {
        const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
        return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
      })
      .join(' '),
  }
}
