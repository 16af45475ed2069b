import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { code } from '../../../test/people.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp({ limits: { personChangesPerMinute: 30, invitationsPerHour: 10, invitationsPerAddress: 3 } })
})
beforeEach(async () => {
  app.clock.advance(3_600_000)
  tenant = await Tenant.create(app)
})
afterAll(() => app.app.close())

const admin = (of = tenant): Promise<Member> => Member.create(app, { organizationId: of.organizationId, role: 'ADMIN' })

const invite = (status: number, by: Member, mail: string, of = tenant): Promise<Reply> =>
  by.call(status, 'POST', `/organizations/${of.organizationId}/invitations`, { body: { mail, role: 'VIEWER' } })
const toggle = (status: number, by: Member, mails: boolean): Promise<Reply> =>
  by.call(status, 'PUT', `/organizations/${tenant.organizationId}/own-notifications`, { body: { mails } })

describe('changes by a person', () => {
  test('of any kind are limited per minute; reading and signing out do not count', async () => {
    const [person, other] = [await admin(), await admin()]
    for (let n = 0; n < 30; n++) await toggle(200, person, n % 2 === 0)
    const refused = await toggle(429, person, true)
    expect(code(refused)).toBe('too_many_changes')
    expect(refused.headers).toMatchObject({ 'retry-after': '2', ratelimit: '"changes";r=0;t=2' })
    for (let n = 0; n < 100; n++) await person.call(200, 'GET', '/me')
    await person.call(404, 'DELETE', '/me/sessions/ses_none')
    await toggle(200, other, true)
    app.clock.advance(2_000)
    await toggle(200, person, true)
    await toggle(429, person, true)
    await person.call(200, 'POST', '/sign-out')
  })

  test('count across all sessions, and are refused before their body is read', async () => {
    const person = await admin()
    const first = person.cookie
    await Promise.all(Array.from({ length: 30 }, () => toggle(200, person, true)))
    const path = `/organizations/${tenant.organizationId}/own-notifications`
    await person.call(429, 'PUT', path, { body: 'x'.repeat(100_000), headers: { cookie: first } })
  })
})

describe('invitations', () => {
  test('are limited per hour and organization, across all its members', async () => {
    const [one, two] = [await admin(), await admin()]
    for (let n = 0; n < 10; n++) await invite(201, n % 2 === 0 ? one : two, `someone-${n}@example.org`)
    const refused = await invite(429, two, 'one-more@example.org')
    expect([code(refused), refused.headers['retry-after']]).toEqual(['too_many_invitations', '360'])
    const other = await Tenant.create(app)
    await invite(201, await admin(other), 'one-more@example.org', other)
    app.clock.advance(360_000)
    await invite(201, one, 'one-more@example.org')
  })

  test('are limited per hour and address, across all organizations', async () => {
    const stranger = `stranger-${tenant.organizationId}@example.org`
    for (let n = 0; n < 3; n++) {
      const from = await Tenant.create(app)
      await invite(201, await admin(from), n === 1 ? stranger.toUpperCase() : stranger, from)
    }
    const person = await admin()
    expect(code(await invite(429, person, stranger))).toBe('too_many_invitations')
    await invite(201, person, `another-${stranger}`)
    app.clock.advance(1_200_000)
    await invite(201, person, stranger)
  })

  test('by the operator are not limited', async () => {
    const path = `/organizations/${tenant.organizationId}/invitations`
    for (let n = 0; n < 12; n++) {
      await operatorCall(app, 201, 'POST', path, { body: { mail: 'the-same@example.org', role: 'VIEWER' } })
    }
  })
})
