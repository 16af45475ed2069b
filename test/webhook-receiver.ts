import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Queryable } from '../src/database/database.js'
import type { EventType } from '../src/interface/generated/types.js'
import { EVENTS } from '../src/news/events.js'

export interface Received {
  headers: IncomingHttpHeaders
  body: string
}

/** A receiver of webhooks on a real socket. It accepts from the service only bodies that match the documents. */
export interface Receiver {
  url: string
  received: Received[]
  /** Sets the response from now on. */
  answerWith(answer: (response: ServerResponse, request: IncomingMessage) => void): void
  close(): Promise<void>
}

/** A notifier sends the pending deliveries of every test in its database. */
export async function forgetWebhooks(database: Queryable): Promise<void> {
  for (const table of ['webhook_deliveries', 'webhooks', 'events']) await database.query(`delete from ${table}`)
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let answer = (response: ServerResponse, _: IncomingMessage): void => void response.writeHead(204).end()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    // Shops of the sandbox send here too, in their own formats.
    const problem = request.headers['webhook-signature'] === undefined ? undefined : findUnlike(body)
    if (problem !== undefined) return void response.writeHead(500).end(problem)
    received.push({ headers: request.headers, body })
    answer(response, request)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answerWith(given) {
      answer = given
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** Describes how a body differs from the schema of its event; undefined if it matches. */
export function findUnlike(body: string): string | undefined {
  const event = JSON.parse(body) as { type: EventType }
  return EVENTS[event.type].body.validate(event, { convert: false }).error?.message
}

/** Returns whether the secret has signed it, by the text of Standard Webhooks and without the service's code. */
export function isSignedBy(secret: string, { headers, body }: Received): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const expected = createHmac('sha256', key).update(content).digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .some((signature) => {
      const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
}
