import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { OPERATOR_TOKEN, startOwnTestApp, Tenant } from './harness.js'
import { startListening } from './listening.js'
import { talkRaw } from './raw-http.js'

// Time passes normally here, because the socket server checks for late requests each second.

/** Starts the app on its own port until the test ends. */
async function listen() {
  const app = await startListening()
  onTestFinished(() => app.close())
  return { ...app, port: Number(new URL(app.url).port) }
}

describe('descriptors', () => {
  const DESCRIPTORS = '/proc/self/fd'
  /** Database files are not counted, because the other thread's tests open some at the same time. */
  const count = (): number =>
    readdirSync(DESCRIPTORS).filter((name) => {
      try {
        return !readlinkSync(`${DESCRIPTORS}/${name}`).startsWith(tmpdir())
      } catch {
        // It belonged to this listing, or has been closed since.
        return false
      }
    }).length
  test.skipIf(!existsSync(DESCRIPTORS))('are all released when a caller disconnects before its responses', async () => {
    const { port } = await listen()
    const before = count()
    const socket = connect(port, '127.0.0.1').resume()
    await once(socket, 'connect')
    socket.pause().write('GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(60))
    await new Promise((resolve) => setTimeout(resolve, 200))
    socket.destroy()
    await vi.waitFor(() => expect(count()).toBeLessThan(before + 10))
  })
})

describe('a body', () => {
  test('that does not arrive in time gets a 408, and its connection is closed', async () => {
    const app = await listen()
    // The larger of the two applies.
    Object.assign(app.app.server, { requestTimeout: 100, headersTimeout: 100 })
    const head = ['POST /api/sign-in HTTP/1.1', 'host: localhost', 'sec-fetch-site: same-origin']
    const rest = ['content-type: application/json', 'content-length: 10', '', '{']
    const answer = await talkRaw(app.port, [...head, ...rest].join('\r\n'))
    expect(answer).toMatch(/^HTTP\/1\.1 408/)
  })

  test('of an import may take longer than any other', async () => {
    const app = await listen()
    const tenant = await Tenant.create(app)
    const path = `/api/organizations/${tenant.organizationId}/channels/${await tenant.channel()}/conversations`
    app.app.server.requestTimeout = 100
    const [first, second] = ['a', 'b'].map((id) => `${JSON.stringify({ conversationId: id, cuid: id })}\n`) as [
      string,
      string,
    ]
    const body = new ReadableStream({
      async start(body) {
        body.enqueue(Buffer.from(first))
        await new Promise((resolve) => setTimeout(resolve, 2_500))
        body.enqueue(Buffer.from(second))
        body.close()
      },
    })
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/x-ndjson' }
    const response = await fetch(app.url + path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
    expect(await response.json()).toMatchObject({ imported: 2 })
  })
})

describe('a connection', () => {
  test('with CONNECT behind unread responses is closed', async () => {
    const own = await startOwnTestApp()
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    own.app.server.setTimeout(200)
    const { port } = own.app.server.address() as { port: number }
    const document = 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'
    const socket = connect(port, '127.0.0.1').pause()
    socket.on('error', () => {}).write(`${document.repeat(20)}CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n`)
    await once(own.app.server, 'connect')
    const count = (): Promise<number> =>
      new Promise((resolve) => own.app.server.getConnections((_, connections) => resolve(connections)))
    expect(await count()).toBe(1)
    await expect.poll(count, { timeout: 10_000 }).toBe(0)
    socket.destroy()
    await own.app.close()
  })
})
