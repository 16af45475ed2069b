import { createServer as createHttpsServer } from 'node:https'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { gate } from '../../test/gate.js'
import { makePages, PAGE_ACCESS_TOKEN, PAGE_ID, startGraph } from '../../test/graph-harness.js'
import type { GraphAccess } from './graph-call.js'

const FEED = `/${PAGE_ID}/feed`
const POST = { message: 'Hello' }
const ACCESS: GraphAccess = { accessToken: PAGE_ACCESS_TOKEN, limitKey: PAGE_ID, useCase: 'pages' }
const REFUSED = { name: 'GraphError', outcome: 'refused' }

/** That package contains a key and a self-signed certificate for tests. */
const SELF_SIGNED = createRequire(import.meta.url)('smtp-server/lib/tls-options.js')({}) as {
  key: string
  cert: string
}

const startAt = (baseUrl: string) => startGraph([], { config: { baseUrl, timeoutMs: 500 }, pages: makePages() })
const clientOf = async (baseUrl: string) => (await startAt(baseUrl)).graph

/** Listens on a free port of this machine until the test ends. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

describe('a call without a connection was certainly not carried out', () => {
  test.each<[string, () => Promise<string> | string]>([
    ['an address that refuses', async () => `http://127.0.0.1:${await freePort()}`],
    ['a name for which every address refuses', async () => `http://localhost:${await freePort()}`],
    ['no such name', () => 'http://nowhere.invalid'],
    // Linux answers ENETUNREACH or EHOSTUNREACH, other systems EACCES or EADDRNOTAVAIL.
    ['no route to the address', () => 'http://255.255.255.255:10009'],
    ['no TLS', async () => `https://127.0.0.1:${await listen(createServer((socket) => void socket.end('no')))}`],
    [
      'a cut handshake',
      async () => `https://127.0.0.1:${await listen(createServer((socket) => void socket.destroy()))}`,
    ],
    ['an untrusted certificate', async () => `https://localhost:${await listen(createTlsServer(SELF_SIGNED))}`],
  ])('%s', async (_name, url) => {
    const graph = await clientOf(await url())
    await expect(graph.post(FEED, POST, ACCESS)).rejects.toMatchObject({
      ...REFUSED,
      kind: 'network',
      userText: expect.stringMatching(/^no connection: \w+/),
    })
  })

  test('several addresses that fail for different reasons', async () => {
    const cause = new AggregateError(
      ['EHOSTUNREACH', 'ENETUNREACH'].map((code) => Object.assign(new Error(code), { code })),
    )
    const name = Symbol.for('undici.globalDispatcher.1')
    const before = Reflect.get(globalThis, name)
    onTestFinished(() => void Reflect.set(globalThis, name, before))
    Reflect.set(globalThis, name, {
      dispatch(_: unknown, handler: { onError(error: Error): void }) {
        handler.onError(cause)
        return true
      },
    })
    const graph = await clientOf('http://127.0.0.1:10009')
    const failure = graph.post(FEED, POST, ACCESS)
    await expect(failure).rejects.toMatchObject({ ...REFUSED, userText: 'no connection: EHOSTUNREACH' })
  })

  test('our own timeout in the handshake: nothing is sent when that ends later', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    const received: string[] = []
    const platform = createHttpsServer(SELF_SIGNED, async (request, response) => {
      for await (const chunk of request) received.push(String(chunk))
      response.end('{}')
    })
    platform.on('tlsClientError', () => {})
    let held: Socket[] | undefined = []
    const connected = gate()
    const port = await listen(
      createServer((socket) => {
        if (held === undefined) platform.emit('connection', socket)
        else held.push(socket)
        connected.open()
      }),
    )
    const url = `https://localhost:${port}`
    const { graph, patience } = await startAt(url)
    const failure = expect(graph.post(FEED, POST, ACCESS)).rejects.toMatchObject({
      ...REFUSED,
      kind: 'timeout',
      userText: 'no connection within 500 ms',
    })
    await connected.opened
    patience.end()
    await failure
    for (const socket of held) platform.emit('connection', socket)
    held = undefined
    await (await clientOf(url)).post(FEED, { message: 'The next one' }, ACCESS)
    expect(received).toEqual([JSON.stringify({ message: 'The next one' })])
  })
})

test('with a connection the same timeout leaves the outcome unknown', async () => {
  const received = gate()
  const port = await listen(createServer((socket) => socket.once('data', received.open)))
  const { graph, patience } = await startAt(`http://127.0.0.1:${port}`)
  const failure = expect(graph.post(FEED, POST, ACCESS)).rejects.toMatchObject({
    ...{ kind: 'timeout', outcome: 'unknown', userText: 'no whole response within 500 ms' },
  })
  await received.opened
  patience.end()
  await failure
})

test('so does a connection that ends before a byte of the response', async () => {
  const graph = await clientOf(
    `http://127.0.0.1:${await listen(createServer((socket) => socket.once('data', () => socket.destroy())))}`,
  )
  await expect(graph.post(FEED, POST, ACCESS)).rejects.toMatchObject({ kind: 'network', outcome: 'unknown' })
})
