import { beforeAll, expect, test } from 'vitest'
import { Member, OPERATOR_TOKEN, operatorCall, send, startTestApp, Tenant, type TestApp } from './harness.js'
import { startListening } from './listening.js'
import { talkRaw } from './raw-http.js'

// After signing out, the browser's cache must contain nothing from the API, and a proxy must have nothing to share.

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp({ metrics: { token: 'token-of-the-metrics' } })
  tenant = await Tenant.create(app)
})

test('no cache keeps a response or an error of any surface', async () => {
  const { organizationId } = tenant
  const member = await Member.create(app, { organizationId, role: 'ADMIN' })
  const replies = [
    await tenant.get(200, '/workspaces'),
    await tenant.get(404, '/scheduled-posts/none'),
    await tenant.call(201, 'POST', '/scheduled-posts', { body: {} }),
    await tenant.call(422, 'POST', '/scheduled-posts', { body: { status: 'x' } }),
    await tenant.call(400, 'POST', '/scheduled-posts', { body: '{', headers: { 'content-type': 'application/json' } }),
    await tenant.get(403, '/workspaces', { headers: { 'x-signature': undefined } }),
    await tenant.callEarlier(422, 'GET', '/vip-users'),
    await operatorCall(app, 200, 'GET', `/organizations/${organizationId}/keys`),
    await operatorCall(app, 401, 'GET', '/organizations', { headers: { authorization: 'Bearer wrong' } }),
    await member.call(200, 'GET', '/me'),
    await member.call(200, 'GET', `/organizations/${organizationId}/members`),
    await send(app.app, 401, 'GET', '/api/me'),
    await send(app.app, 401, 'GET', '/api/review/posts'),
    await send(app.app, 404, 'GET', '/nowhere'),
    await send(app.app, 401, 'GET', '/status'),
    await send(app.app, 200, 'GET', '/status', { headers: { authorization: 'Bearer token-of-the-metrics' } }),
    await send(app.app, 200, 'GET', '/readyz'),
    await send(app.app, 401, 'GET', '/metrics'),
  ]
  for (const { headers } of replies) expect(headers['cache-control']).toBe('no-store')
})

test('no cache keeps a stream', async () => {
  const channelId = await tenant.channel()
  const { headers } = await app.app.inject({
    url: `/api/organizations/${tenant.organizationId}/channels/${channelId}/conversations`,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
  })
  expect(headers['cache-control']).toBe('no-store')
})

test('GET /vip-users may be cached, in full and as not modified, but its errors may not', async () => {
  const workspaceId = await tenant.workspace('VIP')
  const path = `/vip-users?workspaceId=${workspaceId}&mediumId=${await tenant.channel([workspaceId])}`
  const { headers } = await tenant.get(200, path)
  expect(headers['cache-control']).toBe('private, no-cache')
  expect((await tenant.get(422, '/vip-users')).headers['cache-control']).toBe('no-store')
})

test('no cache keeps the response to an invalid request', async () => {
  const listening = await startListening()
  try {
    for (const text of ['nonsense\r\n\r\n', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\nConnection: close\r\n\r\n']) {
      expect((await talkRaw(Number(new URL(listening.url).port), text)).toLowerCase()).toContain(
        'cache-control: no-store',
      )
    }
  } finally {
    await listening.close()
  }
})
