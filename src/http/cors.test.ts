import { beforeAll, describe, expect, test } from 'vitest'
import { randomDigits, startTestApp, Tenant, type TestApp } from '../../test/harness.js'

const ORIGIN = 'https://app.example'
let allowing: TestApp
beforeAll(async () => {
  allowing = await startTestApp({ http: { corsOrigins: [ORIGIN, 'http://127.0.0.1:5173'] } })
})

const preflight = (test: TestApp, origin: string, url = '/v1/workspaces') =>
  test.app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'x-api-key,x-api-version,x-date,x-signature,if-match,idempotency-key',
    },
  })

const listOf = (header: unknown): string[] => String(header).split(/, */)

describe('pages of other origins', () => {
  test('a preflight is answered without a key, and allows every header of a signed call', async () => {
    const { statusCode, headers, body } = await preflight(allowing, ORIGIN)
    expect([statusCode, body]).toEqual([204, ''])
    expect(headers['access-control-allow-origin']).toBe(ORIGIN)
    expect(listOf(headers['access-control-allow-methods'])).toEqual(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    expect(listOf(headers['access-control-allow-headers'])).toEqual(
      expect.arrayContaining(['x-api-key', 'x-date', 'x-signature', 'x-api-version', 'content-type', 'if-match']),
    )
    expect(Number(headers['access-control-max-age'])).toBeGreaterThan(0)
  })

  test.each([
    'https://evil.example',
    'https://app.example.evil.example',
    'http://app.example',
    'null',
  ])('the origin %s is not allowed', async (origin) => {
    for (const { headers } of [
      await preflight(allowing, origin),
      await allowing.app.inject({ url: '/v1/workspaces', headers: { origin } }),
    ]) {
      expect(headers['access-control-allow-origin']).toBeUndefined()
      expect(headers.vary).toMatch(/\borigin\b/i)
    }
  })

  test("a page can read refusals as well as answers, with their code, request id and the server's time", async () => {
    const tenant = await Tenant.create(allowing)
    const headers = { origin: ORIGIN }
    const replies = [
      await tenant.get(200, '/workspaces', { headers }),
      await tenant.get(403, '/workspaces', { headers: { ...headers, 'x-signature': 'wrong' } }),
      await tenant.get(404, '/no-such-route', { headers }),
      await tenant.get(422, '/vip-users', { headers }),
    ]
    for (const reply of replies) {
      expect(reply.headers['access-control-allow-origin']).toBe(ORIGIN)
      expect(listOf(reply.headers['access-control-expose-headers'])).toEqual(
        expect.arrayContaining(['date', 'etag', 'retry-after', 'x-error-code', 'x-request-id']),
      )
    }
  })

  test('a page of VIP users varies by the encoding and the origin', async () => {
    const tenant = await Tenant.create(allowing)
    const workspace = await tenant.workspace()
    const channel = await tenant.channel([workspace])
    await tenant.conversations(channel, [{ id: `t_${randomDigits(6)}` }])
    const { headers } = await tenant.get(200, `/vip-users?workspaceId=${workspace}&mediumId=${channel}&scope=all`, {
      headers: { origin: ORIGIN },
    })
    expect(listOf(headers.vary).map((name) => name.toLowerCase())).toEqual(['accept-encoding', 'origin'])
  })

  test('unless CORS_ORIGINS allows it, no page of another origin may call, and answers do not mention it', async () => {
    const closed = await startTestApp()
    const { statusCode, headers } = await preflight(closed, ORIGIN)
    expect(statusCode).toBe(404)
    const answer = await (await Tenant.create(closed)).get(200, '/workspaces', { headers: { origin: ORIGIN } })
    for (const name of [...Object.keys(headers), ...Object.keys(answer.headers)]) {
      expect(name).not.toMatch(/^access-control-|^vary$/)
    }
  })
})
