import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { api, SURFACES, v0, v1 } from '../src/access/surfaces.js'
import { holdsAny } from '../src/http/principal.js'
import { type Route, routesOf } from '../src/http/surfaces.js'
import { operations } from '../src/operations.js'
import { operatorCall, send, signedHeaders, startOwnTestApp, startTestApp, Tenant, type TestApp } from './harness.js'
import { talkRaw } from './raw-http.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
})

/** Returns the path with an unknown id in each place. */
const urlOf = ({ path }: Route): string => path.replaceAll(/\{\w+\}/g, 'unknown')
const currentRoutes = routesOf(v1, operations)
const apiRoutes = routesOf(api, operations).filter(
  ({ operation }) => !['sign-in', 'device'].includes(String(operation.permission)),
)
const readsJson = ({ operation }: Route): boolean => operation.body !== undefined
const readsNothing = ({ operation }: Route): boolean => operation.body === undefined && operation.streams === undefined

/** Returns a body for operations that read JSON, so that a refusal is never about a missing body. */
const bodyOf = (route: Route): unknown => (readsJson(route) ? {} : undefined)

/** The statuses that the interface documents for its three operations. */
const DOCUMENTED: Record<string, number[]> = {
  // 304 is only for a caller who sent If-None-Match.
  listVipUsers: [200, 304, 400, 402, 403, 404, 422],
  listDailyInsights: [200, 400, 402, 403, 422],
  // 412 is only for a caller who sent If-Match.
  updateScheduledPost: [200, 400, 402, 403, 404, 409, 412, 422],
}

describe('every operation', () => {
  test('has a unique name on each surface, and the documented statuses', () => {
    const names = SURFACES.flatMap((surface) => routesOf(surface, operations)).map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(names.length)
    for (const [operationId, statuses] of Object.entries(DOCUMENTED)) {
      const route = currentRoutes.find((candidate) => candidate.operationId === operationId)
      expect(route?.answers, operationId).toEqual(statuses)
    }
  })

  test('is offered somewhere, and a caller of one of its surfaces can hold its permission', () => {
    const closed = operations.filter(
      ({ surfaces, permission }) =>
        !SURFACES.some(({ name, permissions }) => surfaces.includes(name) && holdsAny(permissions, permission)),
    )
    // The publisher publishes; this operation only explains that.
    expect(closed.map(({ operationId }) => operationId)).toEqual(['publishScheduledPost'])
  })

  test.each([
    '/openapi.json',
    '/v1/openapi.json',
  ])('%s is served without a key, and contains each status', async (url) => {
    const { body } = await send(app.app, 200, 'GET', url)
    expect(body.openapi).toBe('3.1.0')
    for (const { path, operation, operationId, answers, isOpen } of currentRoutes) {
      const described = body.paths[path][operation.method.toLowerCase()]
      expect(described.operationId).toBe(operationId)
      expect(described['x-permission']).toEqual(operation.permission)
      expect(Object.keys(described.responses).sort()).toEqual(
        [...new Set(['default', ...(isOpen ? [] : ['200']), ...answers.map(String)])].sort(),
      )
    }
  })
})

test('/v0 refuses calls without a key, and calls with a date in the form of /v1', async () => {
  const headers = { 'x-date': new Date(app.clock.now()).toUTCString() }
  for (const route of routesOf(v0, operations)) {
    const { method } = route.operation
    const url = urlOf(route).slice('/v0'.length)
    await tenant.callEarlier(403, method, url, { body: bodyOf(route), headers })
    await tenant.callEarlier(403, method, url, { body: bodyOf(route), headers: { 'x-api-key': undefined } })
  }
})

describe('every operation of /v1', () => {
  const call = (status: number, route: Route, headers: Record<string, string | undefined>, query = '') =>
    tenant.call(status, route.operation.method, `${urlOf(route).slice('/v1'.length)}${query}`, {
      headers,
      body: bodyOf(route),
    })

  test('refuses calls without a key, with a bad signature, a stale date, no version or an unknown one', async () => {
    for (const route of currentRoutes) {
      await call(403, route, { 'x-api-key': undefined })
      await call(403, route, { 'x-signature': '0'.repeat(64) })
      await call(403, route, { 'x-date': new Date(app.clock.now() - 31_000).toUTCString() })
      await call(400, route, { 'x-api-version': undefined })
      await call(400, route, { 'x-api-version': '2' })
    }
  })

  test('refuses an unknown query parameter', async () => {
    for (const route of currentRoutes) {
      const { body } = await call(422, route, {}, '?unknownParameter=1')
      expect(body.error, route.operationId).toContainEqual(
        expect.objectContaining({ path: ['unknownParameter'], type: 'object.unknown' }),
      )
    }
  })

  test('that is forbidden to keys answers every key with 403 and approval_is_human, whatever the post', async () => {
    for (const route of currentRoutes.filter(({ isOpen }) => !isOpen)) {
      const reply = await call(403, route, {})
      expect(reply.headers['x-error-code'], route.operationId).toBe('approval_is_human')
    }
  })

  test.each(
    currentRoutes.filter(readsJson).map((route) => [route.operationId, route] as const),
  )('%s refuses a body that is not JSON or is too large', async (_name, route) => {
    const url = urlOf(route).slice('/v1'.length)
    const send = (status: number, type: string | undefined, body: string | Buffer) =>
      tenant.call(status, route.operation.method, url, { headers: { 'content-type': type }, body })
    await send(415, 'text/plain', 'hello')
    await send(415, 'application/xml', '<a/>')
    await send(415, 'application/x-ndjson', '{}')
    await send(415, 'application/x-www-form-urlencoded', 'a=1')
    await send(413, 'application/json', Buffer.alloc(1024 * 1024 + 1, 32))
    for (const body of [
      '',
      ' ',
      '{',
      '{"a":1}x',
      'undefined',
      '{"__proto__":{"a":1}}',
      Buffer.from([0x7b, 0xff, 0x7d]),
    ]) {
      const reply = await send(400, 'application/json', body)
      expect(reply.headers['x-error-code']).toBe('body_malformed')
    }
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    await send(400, 'application/json', deep)
    for (const body of ['[]', 'null', '"text"', '5']) await send(422, 'application/json', body)
  })
})

describe('every operation of /api', () => {
  const urlBelow = (route: Route): string => urlOf(route).slice('/api'.length)

  test('refuses calls without the token or with another', async () => {
    for (const route of apiRoutes) {
      for (const authorization of [undefined, 'Bearer wrong', 'Basic b3BlcmF0b3I6', 'Bearer ']) {
        const reply = await send(app.app, 401, route.operation.method, urlOf(route), { headers: { authorization } })
        expect(reply.headers['www-authenticate'], route.operationId).toBe('Bearer')
      }
    }
  })

  const ofDays = '?startDate=2026-11-01&endDate=2026-11-02'
  const ofChannel = '?workspaceId=a&channelId=a'
  const QUERIES: Record<string, string> = {
    searchPeople: '?search=a',
    listAudience: ofChannel,
    listOrganizationVipUsers: '?workspaceId=a&mediumId=a',
    exportVipUsers: '?workspaceId=a&mediumId=a',
    listOrganizationDailyInsights: ofDays,
    getOrganizationCampaignDailyInsights: ofDays,
    listScheduledPostNames: '?ids=a',
    listMediaUses: '?ids=a',
    exportAudience: ofChannel,
  }

  // Valid bodies differ by operation; operations that read no body show this case.
  test('answers 404 for an unknown organization', async () => {
    for (const route of apiRoutes.filter(readsNothing)) {
      const query = QUERIES[route.operationId] ?? ''
      if (route.operation.scope === 'organization')
        await operatorCall(app, 404, route.operation.method, `${urlBelow(route)}${query}`)
    }
  })

  test('refuses invalid JSON although it reads no body, as documented', async () => {
    const headers = { 'content-type': 'application/json' }
    for (const route of apiRoutes.filter(readsNothing)) {
      if (route.operation.method === 'GET') continue
      const reply = await operatorCall(app, 400, route.operation.method, urlBelow(route), { headers, body: '{' })
      expect(reply.headers['x-error-code'], route.operationId).toBe('body_malformed')
      expect(route.answers, route.operationId).toContain(400)
    }
  })
})

test('ids of any length are merely unknown, and a content type without a body is not an error', async () => {
  const long = 'p'.repeat(2_000)
  const reply = await tenant.get(404, `/scheduled-posts/${long}`)
  expect(reply.headers['x-error-code']).toBe('post_not_found')
  const headers = { 'content-type': 'application/json' }
  const { body } = await tenant.call(201, 'POST', '/scheduled-posts', { body: {} })
  expect(
    (await tenant.call(400, 'POST', `/scheduled-posts/${body.id}/submit-for-approval`, { headers })).headers,
  ).toMatchObject({
    'x-error-code': 'publish_check_failed',
  })
  await tenant.call(200, 'DELETE', `/scheduled-posts/${body.id}`, { headers })
})

describe('every response is JSON', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/v1'],
    ['GET', '/v1/vip-users/'],
    ['GET', '/v2/vip-users'],
    ['POST', '/v1/vip-users'],
    ['DELETE', '/v1/workspaces'],
    ['OPTIONS', '/v1/workspaces'],
  ] as const)('%s %s is an unknown route', async (method, url) => {
    const reply = await send(app.app, 404, method, url)
    expect(reply.body).toEqual({ message: expect.any(String) })
    expect(reply.headers['x-error-code']).toBe('route_not_found')
  })

  test('a path that cannot be decoded is a malformed request', async () => {
    const reply = await send(app.app, 400, 'GET', '/v1/scheduled-posts/%zz')
    expect(reply.headers['x-error-code']).toBe('request_malformed')
  })

  test('data that is not HTTP, and headers over 16 KiB, are answered in JSON over the socket', async () => {
    const own = await startOwnTestApp()
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = own.app.server.address() as { port: number }
    expect(await talkRaw(port, 'HELLO\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 [\s\S]*x-error-code: request_malformed[\s\S]*\{"message":/,
    )
    const long = `GET /v1/workspaces HTTP/1.1\r\nhost: x\r\nx-api-key: ${'k'.repeat(20_000)}\r\n\r\n`
    expect(await talkRaw(port, long)).toMatch(
      /^HTTP\/1.1 431 [\s\S]*x-error-code: headers_too_large[\s\S]*\{"message":/,
    )
    await own.app.close()
  })

  test('a request without a Host, and CONNECT, are answered in JSON over the socket', async () => {
    const own = await startOwnTestApp()
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = own.app.server.address() as { port: number }
    expect(await talkRaw(port, 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 [\s\S]*x-error-code: request_malformed[\s\S]*\{"message":"The request names no host/,
    )
    expect(await talkRaw(port, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /)
    expect(await talkRaw(port, 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n')).toMatch(
      /^HTTP\/1.1 404 [\s\S]*x-error-code: route_not_found[\s\S]*x-request-id: req_[\s\S]*\{"message":/,
    )
    await own.app.close()
  })

  test('a caller who disconnects during CONNECT does not end the process', async () => {
    const own = await startOwnTestApp()
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = own.app.server.address() as { port: number }
    const connects = 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n'
    for (let n = 0; n < 50; n++) {
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(connects, () => socket.resetAndDestroy()))
        socket.on('close', () => resolve())
      })
    }
    expect((await own.app.inject('/healthz')).statusCode).toBe(200)
    await own.app.close()
  })

  test('an unreadable request is answered after the pending responses, and never inside one', async () => {
    const own = await startOwnTestApp()
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = own.app.server.address() as { port: number }
    const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`
    for (const [last, status] of [
      ['CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', 404],
      ['garbage\r\n\r\n', 400],
    ] as const) {
      const received = await talkRaw(port, `${get('/openapi.json')}${get('/healthz')}${last}`)
      expect(received.match(/HTTP\/1\.1 \d{3}/g)).toEqual([200, 200, status].map((code) => `HTTP/1.1 ${code}`))
      const [, document] = received.split('\r\n\r\n')
      expect(JSON.parse(document!.slice(0, document!.lastIndexOf('HTTP/1.1')))).toHaveProperty('openapi')
      // Nothing follows the last response that the caller asked for.
      const alone = await talkRaw(port, `${get('/healthz', 'connection: close\r\n')}${last}`)
      expect(alone.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200'])
    }
    await own.app.close()
  })

  test('an unknown Expect header is answered with 417 in JSON over the socket, and 100-continue is honoured', async () => {
    const own = await startOwnTestApp()
    const tenant = await Tenant.create(own)
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = own.app.server.address() as { port: number }
    const date = new Date(own.clock.now()).toUTCString()
    const body = JSON.stringify({ notes: 'Later' })
    const post = (headers: Record<string, string>): string => {
      const all = {
        host: 'localhost',
        'content-type': 'application/json',
        'content-length': String(body.length),
        'x-api-version': '1',
        ...signedHeaders(tenant.key, date),
        ...headers,
      }
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
      return `POST /v1/scheduled-posts HTTP/1.1\r\n${lines.join('')}\r\n${body}`
    }
    // The body of a refused request is read to its end, so that the next request on the connection is understood.
    const refused = post({ expect: 'something-unknown' })
    const answers = await talkRaw(port, refused + post({ expect: '100-continue', connection: 'close' }))
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 417', 'HTTP/1.1 100', 'HTTP/1.1 201'])
    const [head, message] = answers.split('HTTP/1.1 100')[0]!.split('\r\n\r\n')
    expect(head).toMatch(/^x-error-code: expectation_failed$/im)
    expect(head).toMatch(/^x-request-id: req_[\w-]+$/im)
    expect(head).toMatch(/^content-type: application\/json/im)
    expect(JSON.parse(message!)).toEqual({ message: expect.stringContaining('100-continue') })
    await own.app.close()
  })
})
