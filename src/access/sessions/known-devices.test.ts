import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FROM_OWN_PAGE, Member, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { createPasswords } from '../people/passwords.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp({ http: { trustProxy: ['127.0.0.1'] } })
  // This is slow enough for a queue to form.
  Object.assign(app.context, { passwords: createPasswords({ ln: 11, r: 8, p: 1 }) })
  tenant = await Tenant.create(app)
})

const member = (on = app): Promise<Member> =>
  Member.create(on, { organizationId: tenant.organizationId, role: 'EDITOR' })

interface From {
  address?: string
  cookie?: string
  password?: string
  on?: TestApp
}

const WRONG = 'wrong words for it'

/** Sends the request at once: inject() waits until its result is awaited. */
const signIn = async (
  mail: string,
  { address = '192.0.2.1', cookie = '', password = Member.PASSWORD, on = app }: From = {},
) =>
  await on.app.inject({
    method: 'POST',
    url: '/api/sign-in',
    headers: { ...FROM_OWN_PAGE, 'x-forwarded-for': address, cookie },
    payload: { mail, password },
  })

const changePassword = async ({ cookie }: Member) =>
  await app.app.inject({
    method: 'PUT',
    url: '/api/me/password',
    headers: { ...FROM_OWN_PAGE, 'x-forwarded-for': '192.0.2.1', cookie },
    payload: { currentPassword: WRONG, newPassword: 'other long words for it' },
  })

/** Returns only the device cookie of these Set-Cookie headers. */
function deviceOf(reply: Awaited<ReturnType<typeof signIn>>): string {
  const set = [reply.headers['set-cookie'] ?? []].flat().find((cookie) => cookie.startsWith('__Host-greenroom-device='))
  expect(set).toMatch(/; Max-Age=15552000; Path=\/; Secure; HttpOnly; SameSite=Lax$/)
  return set!.split(';')[0]!
}

const statusesOf = async (replies: ReturnType<typeof signIn>[]): Promise<number[]> =>
  (await Promise.all(replies)).map(({ statusCode }) => statusCode)

const people = (count: number): Promise<Member[]> => Promise.all(Array.from({ length: count }, () => member()))
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

describe('places for passwords', () => {
  test('80 simultaneous sign-ins of one person leave room for ten others', async () => {
    const [one, ...others] = (await people(11)) as [Member, ...Member[]]
    const flood = times(80, () => signIn(one.mail, { address: '192.0.2.1', cookie: one.cookie }))
    expect(await statusesOf(others.map(({ mail }) => signIn(mail, { address: '192.0.2.9' })))).toEqual(
      Array(10).fill(200),
    )
    expect(new Set(await statusesOf(flood))).toEqual(new Set([200, 503]))
  })

  test('80 simultaneous sign-ins with made-up accounts use only the places of their address block', async () => {
    const others = await people(10)
    const flood = times(80, (n) => signIn(`no-one-${n}@example.com`, { address: `192.0.2.${n}` }))
    expect(await statusesOf(others.map(({ mail }) => signIn(mail, { address: '198.51.100.7' })))).toEqual(
      Array(10).fill(200),
    )
    const statuses = await statusesOf(flood)
    expect(statuses.filter((status) => status === 401)).toHaveLength(16)
  })

  test('sign-ins from different /64 networks count as one /48', async () => {
    const others = await people(10)
    const flood = times(80, (n) => signIn(`no-one-${n}@example.com`, { address: `2001:db8:7:${n.toString(16)}::1` }))
    expect(await statusesOf(others.map(({ mail }) => signIn(mail, { address: '2001:db8:8::1' })))).toEqual(
      Array(10).fill(200),
    )
    await statusesOf(flood)
  })

  test('80 simultaneous password changes of one person leave room for ten others', async () => {
    const [one, ...others] = (await people(11)) as [Member, ...Member[]]
    const devices = await Promise.all(
      others.map(async ({ mail }, n) => deviceOf(await signIn(mail, { address: `198.51.${n}.1` }))),
    )
    const flood = times(80, () => changePassword(one))
    const from = (n: number): From => (n % 2 === 0 ? { cookie: devices[n]! } : {})
    expect(await statusesOf(others.map(({ mail }, n) => signIn(mail, from(n))))).toEqual(Array(10).fill(200))
    // Four get the places of the account; a fifth, if it gets one, ends the session.
    const statuses = await statusesOf(flood)
    expect(statuses.filter((status) => status === 403)).toHaveLength(4)
    expect(statuses.filter((status) => status !== 401 && status !== 403 && status !== 503)).toEqual([])
  })

  test('a flood from everywhere does not lock out a browser that signed in before, and its cookie helps no other person', async () => {
    const others = await people(10)
    const devices: string[] = []
    for (const [n, { mail }] of others.entries())
      devices.push(deviceOf(await signIn(mail, { address: `198.51.${n}.1` })))
    const flood = times(200, (n) =>
      signIn(others[n % 10]!.mail, { address: `2001:db8:${n.toString(16)}::1`, password: WRONG }),
    )
    const strangers = others.map((_, n) => signIn(others[(n + 1) % 10]!.mail, { cookie: devices[n]! }))
    const known = others.map(({ mail }, n) => signIn(mail, { cookie: devices[n]! }))
    expect(await statusesOf(known)).toEqual(Array(10).fill(200))
    expect(await statusesOf(strangers)).toEqual(Array(10).fill(503))
    expect(new Set(await statusesOf(flood))).toEqual(new Set([401, 503]))
  })
})

describe('a known device', () => {
  let limited: TestApp
  beforeAll(async () => {
    limited = await startTestApp({ http: { trustProxy: ['127.0.0.1'] }, limits: { failedAttemptsPerMinute: 5 } })
  })
  afterAll(() => limited.app.close())

  test('is not locked out by guesses from its address, and is limited by its own', async () => {
    const { mail } = await member(limited)
    const at: From = { on: limited, address: '192.0.2.77' }
    const cookie = deviceOf(await signIn(mail, at))
    for (let i = 0; i < 5; i++) expect((await signIn(mail, { ...at, password: WRONG })).statusCode).toBe(401)
    expect((await signIn(mail, at)).headers['x-error-code']).toBe('too_many_failures')
    expect((await signIn(mail, { ...at, cookie })).statusCode).toBe(200)
    const elsewhere: From = { on: limited, cookie, password: WRONG }
    for (let i = 0; i < 5; i++) {
      expect((await signIn(mail, { ...elsewhere, address: `198.51.${i}.1` })).statusCode).toBe(401)
    }
    const refused = await signIn(mail, { on: limited, cookie, address: '203.0.113.1' })
    expect(refused.headers['x-error-code']).toBe('too_many_failures')
  })

  test('is unknown to every other account, and after 180 days to its own', async () => {
    const [{ mail }, other] = [await member(limited), await member(limited)]
    const at: From = { on: limited, address: '192.0.2.78' }
    const cookie = deviceOf(await signIn(mail, at))
    for (let i = 0; i < 5; i++) await signIn(mail, { ...at, password: WRONG })
    expect((await signIn(other.mail, { ...at, cookie })).headers['x-error-code']).toBe('too_many_failures')
    expect((await signIn(mail, { ...at, cookie: '__Host-greenroom-device=v1.made.up' })).statusCode).toBe(429)
    limited.clock.advance(180 * 86_400_000)
    for (let i = 0; i < 5; i++) await signIn(mail, { ...at, password: WRONG })
    expect((await signIn(mail, { ...at, cookie })).statusCode).toBe(429)
  })

  test('has a cookie that signs no one in', async () => {
    const { mail } = await member()
    const cookie = deviceOf(await signIn(mail))
    const me = await app.app.inject({ method: 'GET', url: '/api/me', headers: { cookie } })
    expect(me.statusCode).toBe(401)
    expect(cookie).not.toContain(mail)
  })
})
