import { Greenroom, type GreenroomOptions } from '../src/client/index.js'

const NOW = Date.parse('2026-11-20T09:00:00.250Z')
export const SECRET = 'the-secret-of-the-key'
export const QUERY = { workspaceId: 'w', mediumId: 'm' }

export type Step = Response | Error | ((init: RequestInit, url: string) => Response | Promise<Response>)

export const answer = (status: number, body: unknown = {}, headers: Record<string, string> = {}): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })

export const page = (nextOffset: unknown, mayHaveMore: boolean, ...ids: string[]): Response =>
  answer(200, {
    items: ids.map((conversationId) => ({ conversationId })),
    returned: ids.length,
    mayHaveMore,
    nextOffset,
  })

/** Returns a client whose requests meet these steps in order, with what it sent and how long it waited. */
export function script(steps: Step[], options: Partial<GreenroomOptions> = {}) {
  const sent: { url: string; headers: Record<string, string> }[] = []
  const waits: number[] = []
  const clock = { nowMs: NOW }
  const client = new Greenroom(
    {
      baseUrl: 'http://127.0.0.1:8080/v1',
      key: 'key_1',
      secret: SECRET,
      async fetch(url, init) {
        sent.push({ url, headers: Object.fromEntries(new Headers(init.headers)) })
        const step = steps.shift()
        if (step === undefined) throw new Error('no further request was expected')
        if (step instanceof Error) throw step
        return typeof step === 'function' ? step(init, url) : step
      },
      ...options,
    },
    {
      now: () => clock.nowMs,
      random: () => 0,
      async wait(ms, signal) {
        signal?.throwIfAborted()
        waits.push(ms)
      },
    },
  )
  return { client, sent, waits, clock, steps }
}

export const lost = (): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
