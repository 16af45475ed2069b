import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { limit } from '../../lib/limits.js'
import {
  addressOf,
  isPrivateAddress,
  PrivateAddressError,
  publicLookup,
  type Resolve,
} from '../../lib/public-addresses.js'
import type { StartTimer } from '../../lib/wait.js'

const ANSWER_MS = limit('webhookMs')
const BODY_MS = 1_000

/** The outcome of an attempt. `error` is a sentence that does not quote the answer; undefined if it was delivered. */
export interface Attempt {
  status?: number
  error?: string
  /** The beginning of the answer's body, for people who look for the cause. It is never logged. */
  answer?: string
}

export interface WebhookRequest {
  url: string
  headers: Record<string, string>
  body: string
}

export interface SendOptions {
  allowsPrivate: boolean
  signal: AbortSignal
  resolve?: Resolve | undefined
  startTimer: StartTimer
}

/**
 * Posts once, and checks the address while connecting. Follows no redirects, keeps no connection, and reads at most
 * the first 2 kB of the answer. Throws only the reason of an aborted signal.
 */
export async function sendWebhook(
  { url, headers, body }: WebhookRequest,
  { allowsPrivate, signal, resolve, startTimer }: SendOptions,
): Promise<Attempt> {
  const timeout = new AbortController()
  const cancelTimer = startTimer(() => timeout.abort(), ANSWER_MS)
  try {
    const target = new URL(url)
    const address = addressOf(target.hostname)
    // An IP address is not looked up, so it is checked here.
    if (!allowsPrivate && address !== undefined && isPrivateAddress(address)) {
      throw new PrivateAddressError(target.hostname)
    }
    const request = target.protocol === 'http:' ? httpRequest : httpsRequest
    const answer = await new Promise<IncomingMessage>((answered, failed) => {
      const sent = request(
        target,
        {
          method: 'POST',
          agent: false,
          ...(allowsPrivate ? {} : { lookup: publicLookup(resolve) }),
          signal: AbortSignal.any([timeout.signal, signal]),
          headers: {
            ...headers,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'user-agent': 'Greenroom',
          },
        },
        answered,
      )
      sent.on('error', failed)
      sent.end(body)
    })
    const { statusCode: status = 0 } = answer
    const text = await readBeginning(answer)
    signal.throwIfAborted()
    const shown = text === '' ? {} : { answer: text }
    if (status >= 200 && status < 300) return { status, ...shown }
    const isRedirect = status >= 300 && status < 400
    return { status, ...shown, error: `It answered ${status}${isRedirect ? ': redirects are not followed' : ''}.` }
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.signal.aborted) return { error: `It did not answer within ${ANSWER_MS / 1000} s.` }
    return { error: reasonOf(error) }
  } finally {
    cancelTimer()
  }
}

/**
 * Reads the beginning of an answer for at most a second, then closes the connection. The status has already decided
 * the outcome, so a body that breaks off or never ends changes nothing. Invalid bytes become U+FFFD.
 */
async function readBeginning(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  await new Promise<void>((ended) => {
    const patience = setTimeout(ended, BODY_MS)
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= limit('webhookAnswerBytes')) ended()
    })
    answer
      .on('end', ended)
      .on('error', () => ended())
      .on('close', ended)
    answer.on('close', () => clearTimeout(patience))
  })
  answer.destroy()
  // Drops a character that the limit cuts in two. PostgreSQL cannot store U+0000.
  const beginning = Buffer.concat(chunks).subarray(0, limit('webhookAnswerBytes'))
  return new TextDecoder().decode(beginning, { stream: true }).replaceAll('\0', '\ufffd')
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'It refuses connections.',
  ECONNRESET: 'It closed the connection without an answer.',
  ENOTFOUND: 'Its name has no address.',
  ENODATA: 'Its name has no address.',
  EAI_AGAIN: 'Its name could not be looked up.',
  ETIMEOUT: 'Its name could not be looked up.',
  ESERVFAIL: 'Its name could not be looked up.',
}

function reasonOf(error: unknown): string {
  if (error instanceof PrivateAddressError) return 'Its address is private: see WEBHOOK_PRIVATE.'
  const { code = '' } = error as NodeJS.ErrnoException
  return REASONS[code] ?? `The connection failed${code === '' ? '' : ` (${code})`}.`
}
