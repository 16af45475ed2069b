import { createHmac } from 'node:crypto'

/** A delivery as it is sent. Its repeats are byte for byte the same. */
export interface Delivery {
  /** A title for people: `orders/create 8209…`. */
  title: string
  headers: Record<string, string>
  body: string
}

/** The address to which a sender delivers, and the secret that both sides know. */
export interface Address {
  url: string
  secret: string
}

/** No sender waits longer; the real ones give up after 5 to 20 seconds. */
const ANSWER_MS_MAX = 60_000

export const sign = (algorithm: 'sha256' | 'sha1', secret: string, body: string, encoding: 'hex' | 'base64'): string =>
  createHmac(algorithm, secret).update(body).digest(encoding)

/**
 * Sends a delivery and returns the status of the response, or undefined without a response. Like real senders, it follows no
 * redirects.
 */
export async function deliver(url: string, { headers, body }: Delivery): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX)
    const answer = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return undefined
  }
}

/** Verifies an address, as Meta does before it delivers there: returns whether the response is `expected`. */
export async function isAnswered(url: string, query: Record<string, string>, expected: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}?${new URLSearchParams(query)}`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    return (await answer.text()) === expected && answer.status === 200
  } catch {
    return false
  }
}

/** JSON as PHP writes it, like Meta and WordPress: the signature covers different bytes than our own JSON would have. */
export const toPhpJson = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
