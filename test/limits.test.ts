import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startListening } from './listening.js'
import { talkRaw } from './raw-http.js'

/** The app on a port of its own until the test ends. */
async function listen(env?: Record<string, string>) {
  const app = await startListening(env)
  onTestFinished(() => app.close())
  return { ...app, port: Number(new URL(app.url).port) }
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
    .resume()
    .on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n')
const statuses = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

describe('descriptors', () => {
  const DESCRIPTORS = '/proc/self/fd'
  test.skipIf(!existsSync(DESCRIPTORS))('are all given back when a caller goes before its answers', async () => {
    const { port } = await listen()
    const before = readdirSync(DESCRIPTORS).length
    const socket = await open(port)
    socket.pause().write(get('/docs/static/swagger-ui-bundle.js').repeat(60))
    await new Promise((resolve) => setTimeout(resolve, 200))
    socket.destroy()
    await vi.waitFor(() => expect(readdirSync(DESCRIPTORS).length).toBeLessThan(before + 10))
  })
})

describe('a connection', () => {
  test('with more requests than may wait for their answers gets a 429 and is closed', async () => {
    const { port } = await listen()
    const answers = await talkRaw(port, get('/healthz').repeat(200))
    expect(statuses(answers)).toEqual([...Array(64).fill(200), 429])
    expect(answers).toContain('x-error-code: too_many_waiting')
    expect(answers).toContain('connection: close')
  })

  // An unreadable URL is answered before any route is known.
  test.each([
    ['/healthz', 200],
    ['/nowhere', 404],
    ['/%zz', 400],
  ])('may ask for %s any number of times, one after the other', async (path, status) => {
    const { port } = await listen()
    const socket = await open(port)
    for (let i = 0; i < 70; i++) {
      socket.write(get(path))
      const [answer] = await once(socket, 'data')
      expect(statuses(String(answer))).toEqual([status])
    }
    socket.destroy()
  })

  test('finds room when silent ones have taken it all', async () => {
    const { port, app } = await listen({ MAX_CONNECTIONS: '10' })
    const silent = await Promise.all(Array.from({ length: 10 }, () => open(port)))
    const connections = promisify(app.server.getConnections.bind(app.server))
    await vi.waitFor(async () => expect(await connections()).toBe(10))
    await vi.waitFor(async () => expect(await talkRaw(port, get('/healthz', 'connection: close'))).toContain('alive'))
    for (const socket of silent) socket.destroy()
  })
})
