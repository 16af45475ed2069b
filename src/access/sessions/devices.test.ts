import { beforeAll, describe, expect, test } from 'vitest'
import {
  FROM_OWN_PAGE,
  Member,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  type TestApp,
  toCookie,
} from '../../../test/harness.js'

const MINUTE = 60_000

let app: TestApp
beforeAll(async () => {
  // Injected requests come from the loopback address, which plays the proxy.
  app = await startTestApp({ http: { trustProxy: ['127.0.0.1'] } })
})

const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })

/** Signs in from an address and returns the cookie of the new session. */
async function signIn(mail: string, address: string): Promise<string> {
  const reply = await send(app.app, 200, 'POST', '/api/sign-in', {
    body: { mail, password: Member.PASSWORD },
    headers: { ...FROM_OWN_PAGE, ...from(address), 'user-agent': 'A browser' },
  })
  return toCookie(reply.headers['set-cookie'])
}

describe('the list of devices', () => {
  const sessions = async (person: Member, address: string): Promise<Reply['body']> =>
    (await person.call(200, 'GET', '/me/sessions', { headers: from(address) })).body

  test('shows where a session began and was last used, considering TRUST_PROXY, to the minute', async () => {
    const person = await Member.create(app)
    person.cookie = await signIn(person.mail, '198.51.100.7, 203.0.113.9')
    const [own] = (await sessions(person, '2001:db8::1')).filter(({ current }: { current: boolean }) => current)
    expect(own).toMatchObject({ signInAddress: '203.0.113.9', address: '203.0.113.9', userAgent: 'A browser' })
    app.clock.advance(MINUTE)
    await person.call(200, 'GET', '/me', { headers: from('2001:db8::1') })
    app.clock.advance(MINUTE / 2)
    const later = await sessions(person, '192.0.2.1')
    expect(later.find(({ current }: { current: boolean }) => current)).toMatchObject({
      signInAddress: '203.0.113.9',
      address: '2001:db8::1',
      lastSeenAt: new Date(app.clock.now() - MINUTE / 2).toISOString(),
    })
    const forOperator = await operatorCall(app, 200, 'GET', `/server/people/${person.id}/sessions`)
    expect(forOperator.body[0]).toMatchObject({ signInAddress: '203.0.113.9', address: '2001:db8::1' })
  })

  test('shows the address of a change that gave the session a new token', async () => {
    const person = await Member.create(app)
    person.cookie = await signIn(person.mail, '203.0.113.9')
    await person.call(200, 'PUT', '/me/password', {
      body: { currentPassword: Member.PASSWORD, newPassword: 'other long words of the tests' },
      headers: from('192.0.2.1'),
    })
    expect(await sessions(person, '192.0.2.1')).toMatchObject([{ address: '192.0.2.1', current: true }])
  })

  test('shows no address for a session from before addresses were recorded', async () => {
    const person = await Member.create(app)
    await app.context.database.query('update sessions set address = null, last_address = null where person_id = $1', [
      person.id,
    ])
    const [own] = await sessions(person, '192.0.2.1')
    expect(own).not.toHaveProperty('address')
    expect(own).not.toHaveProperty('signInAddress')
  })

  test('limits the length of an address if the proxy sends something else', async () => {
    const person = await Member.create(app)
    person.cookie = await signIn(person.mail, 'x'.repeat(500))
    const [own] = await sessions(person, '192.0.2.1')
    expect(own.address.length).toBeLessThanOrEqual(64)
  })
})
