import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Key, OPERATOR_TOKEN, type Server, send, signedHeaders } from './shared.js'

const EVERY_MS = 2_000
const STAY_MS = 500

/** Runs a tenth of the attacks of test/hostile, one after another, until the signal. It ignores their responses. */
export async function attackUntil(signal: AbortSignal, server: Server, key: Key): Promise<void> {
  const attacks = [
    () => flood(server, toHead('GET', '/openapi.json').repeat(110)),
    () => flood(server, toHead('GET', '/metrics').repeat(30)),
    () => flood(server, toHead('POST', '/nowhere', { 'transfer-encoding': 'chunked' }) + '1\r\nx\r\n'.repeat(100_000)),
    () => flood(server, creation(key, { 'transfer-encoding': 'chunked' }) + '1\r\nx\r\n'.repeat(100_000)),
    () => flood(server, `${creation(key, { 'content-length': '1000' })}{`),
    () => flood(server, '', 30),
    () => ask(server, key, 'POST', '/v1/scheduled-posts', `{"x":[${'{},'.repeat(30_000)}{}]}`),
    () => ask(server, key, 'GET', `/v1/scheduled-posts?offset=1.${'0'.repeat(13_000)}`),
    () => ask(server, key, 'GET', '/v1/scheduled-posts?limit=200&offset=999'),
    () => flood(server, toHead('GET', '/api/organizations', { authorization: `Bearer ${OPERATOR_TOKEN}x` }).repeat(60)),
  ]
  for (let n = 0; !signal.aborted; n++) {
    await attacks[n % attacks.length]!().catch(() => {})
    await wait(EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

async function ask(server: Server, key: Key, method: string, path: string, body?: string): Promise<void> {
  const headers = { ...signedHeaders(key), ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  await send(server, path, { method, headers, ...(body === undefined ? {} : { body }) })
}

const creation = (key: Key, headers: Record<string, string>): string =>
  toHead('POST', '/v1/scheduled-posts', { 'content-type': 'application/json', ...signedHeaders(key), ...headers })

function toHead(method: string, path: string, headers: Record<string, string> = {}): string {
  const fields = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${fields.join('')}\r\n`
}

/** Sends raw bytes on some connections, reads nothing, and disconnects. */
async function flood({ port }: Server, bytes: string, connections = 2): Promise<void> {
  const sockets = Array.from({ length: connections }, () =>
    connect(port, '127.0.0.1')
      .pause()
      .on('error', () => {}),
  )
  for (const socket of sockets) socket.write(bytes)
  await wait(STAY_MS)
  for (const socket of sockets) socket.destroy()
}
