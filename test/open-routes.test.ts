import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SURFACES } from '../src/access/surfaces.js'
import { routesOf } from '../src/http/surfaces.js'
import { validateParts } from '../src/http/validation.js'
import { operations } from '../src/operations.js'
import { newPostSchema } from '../src/posts/post-schema.js'
import { FROM_OWN_PAGE, Member, send, startTestApp, Tenant, type TestApp } from './harness.js'

// Calls that need no credential, and what they may cost.

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ limits: { failedAttemptsPerMinute: 20 } })
})
beforeEach(() => app.clock.advance(3_600_000))

const openRoutes = SURFACES.flatMap((surface) => routesOf(surface, operations)).filter(
  ({ operation }) => operation.permission === 'sign-in' && operation.method !== 'GET',
)
const unknownFields = (count: number): string =>
  `{${Array.from({ length: count }, (_, n) => `"field${n}":1`).join(',')}}`

const post = async (path: string, body: string, headers: Record<string, string> = FROM_OWN_PAGE) => {
  const options = { headers: { ...headers, 'content-type': 'application/json' }, payload: body }
  const { statusCode, headers: answered } = await app.app.inject({ method: 'POST', url: path, ...options })
  return { status: statusCode, code: answered['x-error-code'] }
}

describe('a call without a credential', () => {
  test('accepts 4 KiB, or what its operation says', async () => {
    expect(openRoutes.length).toBeGreaterThanOrEqual(6)
    for (const { path, operation } of openRoutes) {
      app.clock.advance(3_600_000)
      const bytesMax = operation.bodyBytesMax ?? 4_096
      const { status } = await post(path, `{"x":"${'x'.repeat(bytesMax - 8)}"}`)
      // An operation without a body does not look at it.
      expect([path, status]).toEqual([path, operation.body === undefined ? 200 : 422])
      expect([path, await post(path, `{"x":"${'x'.repeat(bytesMax)}"}`)]).toEqual([
        path,
        { status: 413, code: 'body_too_large' },
      ])
    }
  })

  test('accepts the longest query of a provider', async () => {
    const body = JSON.stringify({ query: `state=${'€'.repeat(7_990)}` })
    expect((await post('/api/sign-in/oidc/finish', body)).code).toBe('oidc_off')
  })

  test.each([
    ['a wrong shape', '{"mail":1}', 422],
    ['unknown fields', unknownFields(100), 422],
    ['too long a body', unknownFields(19_900), 413],
    ['no JSON', '{', 400],
  ])('with %s counts against the address, with four as one attempt', async (_kind, body, status) => {
    for (let i = 0; i < 80; i++) expect((await post('/api/sign-in', body)).status).toBe(status)
    expect(await post('/api/sign-in', body)).toEqual({ status: 429, code: 'too_many_failures' })
  })

  test('that another site makes a browser send does not count', async () => {
    for (let i = 0; i < 100; i++) {
      expect((await post('/api/sign-in', '{}', { 'sec-fetch-site': 'cross-site' })).code).toBe('cross_site')
    }
    expect((await post('/api/sign-in', '{}')).status).toBe(422)
  })

  test('that only checks for a session does not count', async () => {
    for (let i = 0; i < 100; i++) {
      await send(app.app, 401, 'GET', '/api/me')
      await send(app.app, 200, 'GET', '/api/sign-in')
    }
    expect((await post('/api/sign-in', '{}')).status).toBe(422)
  })
})

describe('unknown keys', () => {
  const msOf = (work: () => unknown): number => {
    const startedAt = performance.now()
    work()
    return performance.now() - startedAt
  }
  const detailsOf = (value: unknown): { path: unknown[]; type: string; message: string }[] => {
    try {
      validateParts([{ schema: newPostSchema, value, convert: false }])
    } catch (error) {
      return (error as { details: never[] }).details
    }
    return []
  }
  const wide = (count: number): Record<string, number> => JSON.parse(unknownFields(count))

  test('are all reported by Joi with the other mistakes if there are fewer than ten', () => {
    const details = detailsOf({ ...wide(8), notes: 5, channels: { page: { caption: 1, other: 2 } } })
    expect(details.map(({ type }) => type).toSorted()).toEqual([
      ...Array(9).fill('object.unknown'),
      'string.base',
      'string.base',
    ])
  })

  test.each([
    ['at the top', wide(19_900), ['field0']],
    ['in a channel', { channels: { page: wide(19_900) } }, ['channels', 'page', 'field0']],
    [
      'in a list',
      { channels: { page: { superpower: { conditionGroups: [{}, wide(19_900)] } } } },
      ['channels', 'page', 'superpower', 'conditionGroups', '1', 'field0'],
    ],
    [
      'one in each of many',
      { channels: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`c${n}`, { x: 1 }])) },
      ['channels', 'c0', 'x'],
    ],
  ])('end validation at the tenth: %s', (_where, value, first) => {
    const details = detailsOf(value)
    expect(details).toHaveLength(10)
    expect(details[0]).toMatchObject({
      path: first,
      type: 'object.unknown',
      message: `"${first.join('.')}" is not allowed`,
    })
  })

  test('cost a small part of reporting each of them', () => {
    const value = wide(19_900)
    const ratios = Array.from({ length: 9 }, () => {
      const [ours, all] = [() => detailsOf(value), () => newPostSchema.validate(value, { abortEarly: false })].map(msOf)
      return ours! / all!
    })
    expect(ratios.toSorted((a, b) => a - b)[4]).toBeLessThan(0.25)
  })

  test('in a query also end validation, even if no field is allowed there', async () => {
    const query = Array.from({ length: 2_000 }, (_, n) => `f${n}=1`).join('&')
    const tenant = await Tenant.create(app)
    const member = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
    for (const path of ['/workspaces', '/channels']) {
      const { body } = await tenant.get(422, `${path}?${query}`)
      expect(body.error).toHaveLength(10)
    }
    const { body } = await member.call(422, 'GET', `/me?${query}`)
    expect(body.error).toHaveLength(10)
  })
})
