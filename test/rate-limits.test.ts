import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FailedAttempts } from '../src/http/failed-attempts.js'
import { Bucket, ratePerMinute, ratePerSecond } from '../src/http/rate-limits.js'
import { groupAddress } from '../src/lib/addresses.js'
import {
  FROM_OWN_PAGE,
  issueTestKey,
  type Key,
  Member,
  OPERATOR_TOKEN,
  operatorCall,
  type Reply,
  signedHeaders,
  startTestApp,
  Tenant,
  type TestApp,
  TestClock,
} from './harness.js'

let app: TestApp
let tenant: Tenant
const LIMITS = {
  keyRequestsPerSecond: 10,
  importsPerMinute: 6,
  insightsPerMinute: 30,
  failedAttemptsPerMinute: 20,
} as const

beforeAll(async () => {
  app = await startTestApp({ limits: LIMITS })
})
beforeEach(async () => {
  app.clock.set('2026-11-20T09:00:00Z')
  tenant = await Tenant.create(app)
})

const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
/** Returns the statuses of this many calls, one after another. */
async function statuses(count: number, call: () => Promise<{ statusCode: number }>): Promise<number[]> {
  const found: number[] = []
  for (let time = 0; time < count; time++) found.push((await call()).statusCode)
  return found
}

interface From {
  key?: Key
  from?: string
  secret?: string
  on?: TestApp
  path?: string
}
const list = ({
  key = tenant.key,
  from = '192.0.2.1',
  secret = key.secret,
  on = app,
  path = '/workspaces',
}: From = {}) =>
  on.app.inject({
    method: 'GET',
    url: `/v1${path}`,
    remoteAddress: from,
    headers: {
      ...signedHeaders({ ...key, secret }, new Date(on.clock.now()).toUTCString()),
      'x-api-version': '1',
    },
  })

describe('a bucket', () => {
  test('allows a burst at once, then what refills, and returns the exact wait', () => {
    const bucket = new Bucket(ratePerSecond(10))
    const now = 1_000_000
    for (let taken = 0; taken < 20; taken++) expect(bucket.take(now)).toBe(0)
    expect(bucket.take(now)).toBe(100)
    expect(bucket.take(now + 99)).toBe(1)
    expect(bucket.take(now + 100)).toBe(0)
    expect(bucket.take(now + 100)).toBe(100)
    for (let taken = 0; taken < 20; taken++) expect(bucket.take(now + 60_000)).toBe(0)
    expect(bucket.take(now + 60_000)).toBe(100)
  })

  test('refills to the burst and no further, and allows any number without a limit', () => {
    const bucket = new Bucket(ratePerMinute(6))
    expect(bucket.take(0)).toBe(0)
    expect(bucket.state(0)).toEqual({ left: 5, fullInMs: 10_000 })
    expect(bucket.state(3_600_000)).toEqual({ left: 6, fullInMs: 0 })
    const free = new Bucket(ratePerSecond(0))
    for (let taken = 0; taken < 10_000; taken++) expect(free.take(5)).toBe(0)
    expect(free.isLow(5)).toBe(false)
  })

  test('loses at most a burst when the clock is set back, and gains nothing when it leaps ahead', () => {
    const bucket = new Bucket(ratePerSecond(10))
    for (let taken = 0; taken < 5; taken++) bucket.take(3_600_000)
    expect(bucket.take(0)).toBe(100)
    expect(bucket.take(100)).toBe(0)
    for (let taken = 0; taken < 20; taken++) expect(bucket.take(10_000_000)).toBe(0)
    expect(bucket.take(10_000_000)).toBe(100)
  })
})

describe('per key', () => {
  test('after its burst a key gets a 429 with Retry-After and the RateLimit fields, while another key continues', async () => {
    expect(await statuses(20, () => list())).toEqual(Array(20).fill(200))
    const refused = await tenant.get(429, '/workspaces')
    expect(codeOf(refused)).toBe('rate_limited')
    expect(refused.body).toEqual({ message: expect.stringContaining('Retry-After') })
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-policy': '"key";q=20;w=2',
      ratelimit: '"key";r=0;t=1',
    })
    await tenant.withKey(await issueTestKey(app, tenant.organizationId)).get(200, '/workspaces')
    app.clock.advance(100)
    await tenant.get(200, '/workspaces')
    await tenant.get(429, '/workspaces')
    app.clock.advance(1_000)
    expect(await statuses(11, () => list())).toEqual([...Array(10).fill(200), 429])
  })

  test('a response shows the remaining calls only when few are left', async () => {
    for (let taken = 0; taken < 18; taken++) expect((await list()).headers).not.toHaveProperty('ratelimit')
    expect((await list()).headers).toMatchObject({ ratelimit: '"key";r=1;t=2', 'ratelimit-policy': '"key";q=20;w=2' })
  })

  test('both forms of the interface share the limit, and a refused request does not count', async () => {
    const query = '/vip-users?workspaceId=none&mediumId=none'
    for (let time = 0; time < 10; time++) await tenant.callEarlier(404, 'GET', query)
    for (let time = 0; time < 10; time++) await tenant.get(200, '/workspaces')
    for (let time = 0; time < 5; time++) await tenant.callEarlier(429, 'GET', query)
    app.clock.advance(100)
    await tenant.get(200, '/workspaces')
  })

  test('a key can have its own rate, and 0 means none; other changes do not affect it', async () => {
    const path = `/organizations/${tenant.organizationId}/keys`
    const issue = async (requestsPerSecond: number): Promise<Key> =>
      (await operatorCall(app, 201, 'POST', path, { body: { requestsPerSecond } })).body
    const slow = await issue(1)
    const free = await issue(0)
    expect(await statuses(3, () => list({ key: slow }))).toEqual([200, 200, 429])
    // Changed access data is read again, and what was used stays used.
    await tenant.workspace()
    expect((await list({ key: slow })).statusCode).toBe(429)
    expect(await statuses(50, () => list({ key: free }))).toEqual(Array(50).fill(200))
  })

  test("a flood with a wrong signature uses nothing of the key's rate", async () => {
    const own = await startTestApp({ limits: { ...LIMITS, failedAttemptsPerMinute: 0 } })
    const caller = await Tenant.create(own)
    for (let time = 0; time < 50; time++) {
      await caller.get(403, '/workspaces', { headers: { 'x-signature': '0'.repeat(64) } })
    }
    await caller.get(200, '/workspaces')
  })
})

describe('costly operations', () => {
  test('imports have a limit per organization, and nothing else is delayed', async () => {
    const channelId = await tenant.channel()
    const path = `/organizations/${tenant.organizationId}/channels/${channelId}/conversations`
    const upload = (status: number): Promise<Reply> =>
      operatorCall(app, status, 'POST', path, { headers: { 'content-type': 'application/x-ndjson' }, body: '\n' })
    for (let time = 0; time < 6; time++) await upload(200)
    const refused = await upload(429)
    expect(codeOf(refused)).toBe('too_many_imports')
    expect(refused.headers).toMatchObject({
      'retry-after': '10',
      'ratelimit-policy': '"imports";q=6;w=60',
      ratelimit: '"imports";r=0;t=10',
    })
    app.clock.advance(9_999)
    expect((await upload(429)).headers['retry-after']).toBe('1')
    app.clock.advance(1)
    await upload(200)
    await operatorCall(app, 200, 'GET', `/organizations/${tenant.organizationId}/channels`)
  })

  test('insights have one too, whichever key asks; another organization continues', async () => {
    const path = '/ad-accounts/1/campaigns/daily-insights?startDate=2026-11-01&endDate=2026-11-02'
    const keys = [await issueTestKey(app, tenant.organizationId), await issueTestKey(app, tenant.organizationId)]
    for (let time = 0; time < 30; time++) await tenant.withKey(keys[time % 2]!).get(400, path)
    const refused = await tenant.get(429, path)
    expect(codeOf(refused)).toBe('too_many_insights')
    expect(refused.headers['retry-after']).toBe('2')
    await tenant.get(429, '/campaigns/1/daily-insights?startDate=2026-11-01&endDate=2026-11-02')
    await (await Tenant.create(app)).get(400, path)
    await tenant.get(200, '/workspaces')
  })
})

describe('failed attempts', () => {
  let own: TestApp
  beforeAll(async () => {
    own = await startTestApp({ limits: { ...LIMITS, keyRequestsPerSecond: 0 } })
  })
  beforeEach(() => {
    // The attempts of an address are forgotten by then.
    own.clock.advance(2 * 86_400_000)
    tenant = tenant.on(own)
  })
  const fail = (from: string) => list({ from, secret: 'wrong', on: own })

  test('20 a minute are answered, then the address waits, twice as long after each further one', async () => {
    expect(await statuses(20, () => fail('192.0.2.9'))).toEqual(Array(20).fill(403))
    for (const wait of [1, 2, 4, 8, 16]) {
      const refused = await fail('192.0.2.9')
      expect(refused.statusCode).toBe(429)
      expect(refused.headers).toMatchObject({
        'retry-after': String(wait),
        'x-error-code': 'too_many_failures',
        'ratelimit-policy': '"failures";q=20;w=60',
        ratelimit: `"failures";r=0;t=${wait}`,
      })
      own.clock.advance(wait * 1_000 - 1)
      expect((await fail('192.0.2.9')).statusCode).toBe(429)
      own.clock.advance(1)
      expect((await fail('192.0.2.9')).statusCode).toBe(403)
    }
    // The address was quiet for its wait and a minute.
    own.clock.advance(32_000 + 60_000)
    expect(await statuses(21, () => fail('192.0.2.9'))).toEqual([...Array(20).fill(403), 429])
  })

  test('slower attempts never have to wait, and a clock that is set back blocks nobody', async () => {
    for (let time = 0; time < 60; time++) {
      expect((await fail('192.0.2.9')).statusCode).toBe(403)
      own.clock.advance(3_200)
    }
    await statuses(20, () => fail('192.0.2.10'))
    expect((await fail('192.0.2.10')).statusCode).toBe(429)
    own.clock.advance(-3_600_000)
    expect((await fail('192.0.2.10')).statusCode).toBe(403)
  })

  test('an accepted key continues from that address, but its wrong signatures do not; a new key waits', async () => {
    const fresh = await issueTestKey(own, tenant.organizationId)
    expect((await list({ on: own })).statusCode).toBe(200)
    await statuses(20, () => fail('192.0.2.1'))
    expect((await list({ on: own })).statusCode).toBe(200)
    await tenant.workspace()
    expect((await list({ on: own })).statusCode).toBe(200)
    expect((await fail('192.0.2.1')).statusCode).toBe(429)
    expect((await list({ on: own, key: fresh })).statusCode).toBe(429)
    expect((await list({ on: own, key: fresh, from: '192.0.2.2' })).statusCode).toBe(200)
    expect((await list({ on: own, key: fresh })).statusCode).toBe(200)
  })

  test('nothing is read from the database for an address that waits', async () => {
    let reads = 0
    const { database } = own.context
    const watched = await startTestApp({ limits: LIMITS }, undefined, {
      ...database,
      query(text, values) {
        if (/api_keys|operator_tokens/.test(text)) reads += 1
        return database.query(text, values)
      },
    })
    await statuses(20, () => list({ on: watched, secret: 'wrong' }))
    reads = 0
    const unknown = { id: 'key_nobody', secret: 'none' }
    expect(await statuses(50, () => list({ on: watched, key: unknown }))).toEqual(Array(50).fill(429))
    expect(reads).toBe(0)
  })

  test('wrong tokens block the operator, except for the token of the environment and tokens accepted before', async () => {
    const issued = await operatorCall(own, 201, 'POST', '/server/operator-tokens', {
      body: { name: tenant.organizationId },
    })
    const call = async (token: string | undefined): Promise<number> => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      return (await own.app.inject({ url: '/api/organizations', headers })).statusCode
    }
    expect(await call(issued.body.token)).toBe(200)
    for (let time = 0; time < 20; time++) expect(await call(`greenroom_operator_${time}`)).toBe(401)
    expect(await call('anything')).toBe(429)
    expect(await call(undefined)).toBe(401)
    expect(await call(issued.body.token)).toBe(200)
    expect(await call(OPERATOR_TOKEN)).toBe(200)
    await operatorCall(own, 200, 'DELETE', `/server/operator-tokens/${tenant.organizationId}`)
    expect(await call(issued.body.token)).toBe(401)
    expect(await call(issued.body.token)).toBe(429)
  })

  test('wrong passwords and links count too: the address waits, but people who are signed in continue', async () => {
    const person = await Member.create(own, { organizationId: tenant.organizationId, role: 'VIEWER' })
    const post = async (path: string, payload: object, from = '192.0.2.9'): Promise<number> => {
      const headers = { ...FROM_OWN_PAGE, cookie: person.cookie }
      const url = `/api${path}`
      return (await own.app.inject({ method: 'POST', url, headers, payload, remoteAddress: from })).statusCode
    }
    const right = { mail: person.mail, password: Member.PASSWORD }
    for (let time = 0; time < 10; time++) {
      expect(await post('/sign-in', { ...right, password: `not the right one ${time}` })).toBe(401)
      expect(await post('/sign-in/link', { token: `${time}`.repeat(43) })).toBe(400)
    }
    expect(await post('/sign-in', right)).toBe(429)
    expect(await post('/sign-in', right, '2001:db8::1')).toBe(200)
    await statuses(20, () => fail('127.0.0.1'))
    await person.signInAgain()
    await person.call(200, 'GET', '/me')
    await person.call(200, 'GET', '/sign-in')
    own.clock.advance(1_000)
    expect(await post('/sign-in', right)).toBe(200)
  })

  test('10,000 attempts from many addresses take bounded memory, and a good key from another address continues', async () => {
    for (let time = 0; time < 10_000; time++) {
      own.context.failedAttempts.note(`198.${18 + (time >> 14)}.${(time >> 6) & 255}.${time & 255}`)
    }
    for (let address = 0; address < 500; address++) await fail(`2001:db8:${address.toString(16)}::1`)
    expect(own.context.failedAttempts.size).toBeLessThanOrEqual(10_000)
    expect((await list({ on: own, from: '203.0.113.7' })).statusCode).toBe(200)
    const clock = new TestClock()
    const attempts = new FailedAttempts(20, clock)
    for (let time = 0; time < 50_000; time++) attempts.note(`10.${time >> 16}.${(time >> 8) & 255}.${time & 255}`)
    expect(attempts.size).toBe(10_000)
  })

  test('an address waits, however a proxy spells it', async () => {
    const behind = await startTestApp({ limits: LIMITS, http: { trustProxy: ['10.0.0.0/8'] } })
    const spellings = [
      '192.0.2.1',
      '192.0.2.1:1',
      '192.0.2.1:2',
      '::ffff:192.0.2.1',
      '::ffff:c000:201',
      '[::ffff:c000:201]:7',
    ]
    const failFrom = (forwardedFor: string) =>
      behind.app.inject({
        url: '/v1/workspaces',
        remoteAddress: '10.0.0.1',
        headers: {
          ...signedHeaders({ id: 'key_nobody', secret: 'none' }, new Date(behind.clock.now()).toUTCString()),
          ...{ 'x-api-version': '1', 'x-forwarded-for': forwardedFor },
        },
      })
    for (let time = 0; time < 20; time++) await failFrom(spellings[time % spellings.length]!)
    expect(behind.context.failedAttempts.size).toBe(1)
    for (const spelling of spellings) expect((await failFrom(spelling)).statusCode).toBe(429)
    expect((await failFrom('192.0.2.2:1')).statusCode).toBe(403)
  })

  test('an expired date or a missing header does not count as an attempt', async () => {
    const before = own.context.failedAttempts.size
    for (let time = 0; time < 30; time++) {
      await tenant.get(403, '/workspaces', { headers: { 'x-signature': undefined } })
      await tenant.get(403, '/workspaces', {
        headers: signedHeaders(tenant.key, new Date(own.clock.now() - 60_000).toUTCString()),
      })
    }
    expect(own.context.failedAttempts.size).toBe(before)
  })

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:FFFF:c000:0201', '192.0.2.1'],
    ['0000:0000:0000:0000:0000:ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:4711', '192.0.2.1'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1%eth0', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['nonsense', 'nonsense'],
    ['x'.repeat(500), 'x'.repeat(64)],
  ])('%s counts as %s', (address, group) => {
    expect(groupAddress(address)).toBe(group)
  })
})
