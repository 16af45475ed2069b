import { once } from 'node:events'
import http from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { signedHeaders, startTestApp, Tenant, type TestApp } from '../test/harness.js'
import { listen, type RunningServer } from './serve.js'

let app: TestApp
let tenant: Tenant
let server: RunningServer
beforeAll(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
})
afterEach(() => server.close())

const start = async (stopTimeoutMs: number): Promise<RunningServer> => {
  const config = { ...app.context.config, host: '127.0.0.1', port: 0, stopTimeoutMs }
  return listen({ ...app.context, config, close: async () => {} })
}

/** A signed PATCH whose headers are with the server and whose body is not. */
async function startRequest(url: string): Promise<http.ClientRequest> {
  const headers = {
    ...signedHeaders(tenant.key, new Date(app.clock.now()).toUTCString()),
    'x-api-version': '1',
    'content-type': 'application/json',
    expect: '100-continue',
  }
  const request = http.request(`${url}/v1/scheduled-posts/post_x`, {
    method: 'PATCH',
    agent: new http.Agent({ keepAlive: true }),
    headers,
  })
  request.flushHeaders()
  await once(request, 'continue')
  return request
}

test('a stop waits for a running request and for nothing else', async () => {
  server = await start(20_000)
  const silent = connect(Number(new URL(server.url).port), '127.0.0.1')
  await once(silent, 'connect')
  const request = await startRequest(server.url)
  const answered = once(request, 'response')
  const startedAt = performance.now()
  const closed = server.close()
  request.end('{}')
  const [response] = await answered
  expect(response.statusCode).toBe(404)
  response.resume()
  await closed
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})

test('a stop cuts a request that does not end', async () => {
  server = await start(50)
  const request = await startRequest(server.url)
  const cut = once(request, 'error')
  await server.close()
  expect((await cut)[0].code).toBe('ECONNRESET')
})
