import { createHmac } from 'node:crypto'
import { newSecret } from '../../lib/ids.js'

/** The prefix of webhook secrets (Standard Webhooks). */
const PREFIX = 'whsec_'

/** Makes a secret of 256 random bits: `whsec_` and base64. */
export const newWebhookSecret = (): string => `${PREFIX}${Buffer.from(newSecret(), 'hex').toString('base64')}`

export interface SignedContent {
  id: string
  /** In seconds since the epoch. */
  timestamp: number
  body: string
}

/** Returns the headers of Standard Webhooks, with a signature for each secret. */
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
