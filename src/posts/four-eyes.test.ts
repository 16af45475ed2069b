import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  FROM_OWN_PAGE,
  keyCall,
  Member,
  operatorCall,
  send,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { moveAsPublisher, publishable } from '../../test/posts.js'
import { newId } from '../lib/ids.js'

let app: TestApp
let tenant: Tenant
let channel: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  channel = await tenant.channel([await tenant.workspace('STANDARD')])
  await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { fourEyes: true } })
})

const editor = (mayApprove = true): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR', mayApprove })
const path = (rest: string): string => `/organizations/${tenant.organizationId}/scheduled-posts${rest}`
const content = () => ({
  status: 'WAITING_FOR_APPROVAL',
  scheduledFor: '2026-12-01T09:00:00Z',
  media: publishable(channel).media,
  channels: { [channel]: { caption: 'Hello' } },
})
const write = async (person: Member): Promise<string> =>
  (await person.call(201, 'POST', path(''), { body: content() })).body.id

async function approve(status: number, person: Member, id: string): Promise<unknown> {
  const { headers } = await person.call(200, 'GET', path(`/${id}`))
  const reply = await person.call(status, 'POST', path(`/${id}/approve`), {
    headers: { 'if-match': String(headers.etag) },
  })
  return reply.headers['x-error-code']
}

test('people cannot approve what they created, and others can', async () => {
  const [writer, approver] = [await editor(), await editor()]
  const id = await write(writer)
  expect(await approve(403, writer, id)).toBe('own_post')
  await approve(200, approver, id)
  const history = await approver.call(200, 'GET', path(`/${id}/history`))
  expect(history.body.items.map(({ actor, action }: { actor: string; action: string }) => [actor, action])).toEqual([
    [`user:${writer.id}`, 'created'],
    [`user:${approver.id}`, 'approved'],
  ])
})

test('people cannot approve what they were the last to change; a person who changed it earlier can', async () => {
  const [writer, second, third] = [await editor(), await editor(), await editor()]
  const id = await write(writer)
  const caption = (person: Member, text: string) =>
    person.call(200, 'PATCH', path(`/${id}`), { body: { channels: { [channel]: { caption: text } } } })
  await caption(second, 'Hello there')
  expect(await approve(403, second, id)).toBe('own_post')
  await caption(third, 'Hello, you there')
  expect(await approve(403, third, id)).toBe('own_post')
  expect(await approve(403, writer, id)).toBe('own_post')
  await approve(200, second, id)
})

test('repeated changes that the history shortens hide nobody', async () => {
  const [writer, second] = [await editor(), await editor()]
  const id = await write(writer)
  for (let i = 0; i < 30; i++) {
    await second.call(200, 'PATCH', path(`/${id}`), { body: { channels: { [channel]: { caption: `Hello ${i}` } } } })
  }
  expect(await approve(403, second, id)).toBe('own_post')
})

test('without the setting, people with the right can approve what they wrote', async () => {
  const [writer, other] = [await editor(), await editor(false)]
  const id = await write(writer)
  expect(await approve(403, other, id)).toBe('permission_missing')
  await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { fourEyes: false } })
  await approve(200, writer, id)
})

test("a key's post can be approved by any person with the right", async () => {
  const approver = await editor()
  const { body } = await tenant.call(201, 'POST', '/scheduled-posts', { body: content() })
  await approve(200, approver, body.id)
})

test('a viewer who may approve can also reject; one who may not can do neither', async () => {
  const viewer = (mayApprove: boolean) =>
    Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER', mayApprove })
  const [writer, approver, reader] = [await editor(), await viewer(true), await viewer(false)]
  const id = await write(writer)
  const reject = (status: number, person: Member) =>
    person.call(status, 'POST', path(`/${id}/reject`), { body: { notes: 'Not yet' } })
  const refused = await reject(403, reader)
  expect(refused.headers['x-error-code']).toBe('permission_missing')
  expect(refused.body.message).toBe('This requires the permission posts:write or posts:approve, which you do not hold.')
  expect((await reject(200, approver)).body).toMatchObject({ status: 'REJECTED' })
  expect((await tenant.get(200, `/scheduled-posts/${id}`)).body.notes).toBe('Not yet')
  await approver.call(403, 'PATCH', path(`/${id}`), { body: { notes: 'Mine' } })
})

describe('within an hour', () => {
  const HOUR = 3_600_000
  const organization = (): string => `/organizations/${tenant.organizationId}`
  const member = (role: 'ADMIN' | 'EDITOR' | 'VIEWER', mayApprove: boolean): Promise<Member> =>
    Member.create(app, { organizationId: tenant.organizationId, role, mayApprove })
  const setFourEyes = (by: Member, fourEyes: boolean) => by.call(200, 'PATCH', organization(), { body: { fourEyes } })
  const grant = (by: Member, to: Member, mayApprove = true) =>
    by.call(200, 'PATCH', `${organization()}/members/${to.id}`, { body: { mayApprove } })
  const invite = async (by: Member): Promise<Member> => {
    const approver = await Member.create(app)
    const body = { mail: approver.mail, role: 'VIEWER', mayApprove: true }
    const { token } = (await by.call(201, 'POST', `${organization()}/invitations`, { body })).body
    await send(app.app, 200, 'POST', '/api/invitation/accept', {
      body: { token, password: Member.PASSWORD },
      headers: FROM_OWN_PAGE,
    })
    await approver.signInAgain()
    return approver
  }

  test('a person who switched four eyes off still cannot approve their own posts', async () => {
    const admin = await member('ADMIN', true)
    const id = await write(admin)
    await setFourEyes(admin, false)
    expect(await approve(403, admin, id)).toBe('approval_too_new')
    const again = await write(admin)
    expect(await approve(403, admin, again)).toBe('approval_too_new')
    const link = await admin.call(403, 'POST', `/organizations/${tenant.organizationId}/review-links`, {
      body: { name: 'Myself', scheduledPostIds: [id] },
    })
    expect(link.headers['x-error-code']).toBe('approval_too_new')
    expect(link.body.message).toContain(new Date(app.clock.now() + HOUR).toISOString())
    app.clock.advance(HOUR - 1)
    expect(await approve(403, admin, id)).toBe('approval_too_new')
    app.clock.advance(1)
    await approve(200, admin, id)
  })

  test('others can approve what they wrote as soon as it is off', async () => {
    const [admin, writer] = [await member('ADMIN', false), await member('EDITOR', true)]
    const id = await write(writer)
    await setFourEyes(admin, false)
    await setFourEyes(admin, false)
    await approve(200, writer, id)
  })

  test('a person who grants themselves approval cannot approve their own posts, but those of others', async () => {
    const [admin, other] = [await member('ADMIN', false), await member('ADMIN', true)]
    await setFourEyes(other, false)
    const [own, foreign] = [await write(admin), await write(await member('EDITOR', false))]
    await grant(admin, admin)
    await admin.call(200, 'GET', '/me')
    expect(await approve(403, admin, own)).toBe('approval_too_new')
    await approve(200, admin, foreign)
    await grant(admin, admin)
    app.clock.advance(HOUR)
    await approve(200, admin, own)
  })

  test('a grant by another person counts at once', async () => {
    const [admin, other] = [await member('ADMIN', false), await member('ADMIN', true)]
    await setFourEyes(other, false)
    const own = await write(admin)
    await grant(admin, admin)
    await grant(other, admin, false)
    await grant(other, admin)
    await approve(200, admin, own)
  })

  test('under four eyes, a person whom the writer let approve cannot approve what the writer wrote', async () => {
    const [admin, other] = [await member('ADMIN', false), await member('EDITOR', false)]
    const id = await write(admin)
    await grant(admin, other)
    expect(await approve(403, other, id)).toBe('approval_too_new')
    const second = await invite(admin)
    expect(await approve(403, second, id)).toBe('approval_too_new')
    const foreign = await write(await member('EDITOR', false))
    await approve(200, other, foreign)
    await setFourEyes(admin, false)
    expect(await approve(403, second, id)).toBe('approval_too_new')
    app.clock.advance(HOUR)
    await approve(200, second, id)
  })

  test('an operator token that the writer has issued counts as the writer', async () => {
    const owner = await Member.create(app, { owner: true })
    const id = await write(owner)
    const name = newId('t').replace('_', '-')
    const { token } = (await owner.call(201, 'POST', '/server/operator-tokens', { body: { name } })).body
    const headers = { authorization: `Bearer ${token}` }
    const { headers: read } = await owner.call(200, 'GET', path(`/${id}`))
    const byToken = (status: number) =>
      operatorCall(app, status, 'POST', path(`/${id}/approve`), {
        headers: { ...headers, 'if-match': String(read.etag) },
      })
    expect((await byToken(403)).headers['x-error-code']).toBe('approval_too_new')
    // An act of the token is also an act of the writer.
    await operatorCall(app, 200, 'PATCH', organization(), { body: { fourEyes: false }, headers })
    expect(await approve(403, owner, id)).toBe('approval_too_new')
    app.clock.advance(HOUR)
    await byToken(200)
  })

  test('a key that the writer has issued counts as the writer, and so does a key issued with it', async () => {
    const admin = await member('ADMIN', true)
    const body = { permissions: ['settings:write', 'api'] }
    const first = (await admin.call(201, 'POST', `${organization()}/keys`, { body })).body
    const second = (await keyCall(app, first, 201, 'POST', `${organization()}/keys`, body)).body
    for (const key of [first, second]) {
      const id = await write(admin)
      await keyCall(app, key, 200, 'PATCH', organization(), { fourEyes: false })
      expect(await approve(403, admin, id)).toBe('approval_too_new')
      app.clock.advance(HOUR)
      await approve(200, admin, id)
      await setFourEyes(await member('ADMIN', false), true)
    }
  })

  test('switching it off and approving at the same instant approves nothing', async () => {
    for (let round = 0; round < 2; round += 1) {
      const admin = await member('ADMIN', true)
      const id = await write(admin)
      const { headers } = await admin.call(200, 'GET', path(`/${id}`))
      const [, approved] = await Promise.all([
        setFourEyes(admin, false),
        app.app.inject({
          method: 'POST',
          url: `/api${path(`/${id}/approve`)}`,
          headers: { ...FROM_OWN_PAGE, cookie: admin.cookie, 'if-match': String(headers.etag) },
        }),
      ])
      expect(approved.statusCode).toBe(403)
      await setFourEyes(await member('ADMIN', false), true)
    }
  })
})

test('a change of the notes, or by a key, hides nobody who changed the content', async () => {
  const [writer, second, third] = [await editor(), await editor(), await editor()]
  const id = await write(writer)
  await second.call(200, 'PATCH', path(`/${id}`), { body: { channels: { [channel]: { caption: 'Mine' } } } })
  await third.call(200, 'PATCH', path(`/${id}`), { body: { notes: 'Fine' } })
  expect(await approve(403, second, id)).toBe('own_post')
  await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { channels: { [channel]: { caption: 'Mine.' } } } })
  expect(await approve(403, second, id)).toBe('own_post')
  await approve(200, third, id)
})

describe('another change does not let people approve what they wrote', () => {
  const patch = (person: Member, id: string, body: object) => person.call(200, 'PATCH', path(`/${id}`), { body })
  const caption = (text: string) => ({ channels: { [channel]: { caption: text } } })
  const later = '2026-12-02T09:00:00Z'

  test.each<[string, (third: Member, id: string) => Promise<unknown>]>([
    ['a note', (third, id) => patch(third, id, { notes: 'Fine' })],
    ["a key's note", (_, id) => tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'Fine' } })],
    ['another time', (third, id) => patch(third, id, { scheduledFor: later })],
    ['other media', (third, id) => patch(third, id, { media: 'https://cdn.example.com/other.jpg' })],
    [
      'a superpower there',
      (third, id) => patch(third, id, { channels: { [channel]: { superpower: { hashtag: '#a' } } } }),
    ],
    [
      'a caption elsewhere',
      async (third, id) => {
        const other = await tenant.channel([await tenant.workspace('STANDARD')], 'INSTAGRAM_ACCOUNT')
        await patch(third, id, { channels: { [other]: { caption: 'There' } } })
      },
    ],
    [
      'a rejection and a new submission',
      async (third, id) => {
        await third.call(200, 'POST', path(`/${id}/reject`), { body: { notes: 'No' } })
        await patch(third, id, { status: 'DRAFT' })
        await third.call(200, 'POST', path(`/${id}/submit-for-approval`))
      },
    ],
  ])('%s', async (_what, change) => {
    const [writer, second, third] = [await editor(), await editor(), await editor()]
    const id = await write(writer)
    await patch(second, id, caption('Of the second'))
    await change(third, id)
    expect(await approve(403, second, id)).toBe('own_post')
    await approve(200, await editor(), id)
  })

  test('the last writer of each part counts, whatever else was changed since, and earlier ones do not', async () => {
    const [writer, second, third, fourth] = [await editor(), await editor(), await editor(), await editor()]
    const id = await write(writer)
    await patch(second, id, { ...caption('Of the second'), scheduledFor: later })
    await patch(third, id, { channels: { [channel]: { superpower: { hashtag: '#third' } } } })
    await patch(fourth, id, caption('Of the fourth'))
    for (const person of [writer, second, third, fourth]) expect(await approve(403, person, id)).toBe('own_post')
    await patch(fourth, id, { scheduledFor: '2026-12-03T09:00:00Z' })
    for (const person of [writer, third, fourth]) expect(await approve(403, person, id)).toBe('own_post')
    await approve(200, second, id)
  })

  test('a channel that is removed and added again belongs to the person who added it', async () => {
    const [writer, second, third] = [await editor(), await editor(), await editor()]
    const id = await write(writer)
    await patch(second, id, caption('Of the second'))
    await patch(third, id, { channels: { [channel]: null, ...(await elsewhere('There')) } })
    await patch(third, id, caption('Of the third'))
    expect(await approve(403, third, id)).toBe('own_post')
    await approve(200, second, id)
  })
  const elsewhere = async (text: string) => {
    const other = await tenant.channel([await tenant.workspace('STANDARD')], 'INSTAGRAM_ACCOUNT')
    return { [other]: { caption: text } }
  }

  test('repeated changes without entries hide no part', async () => {
    const [writer, second, third] = [await editor(), await editor(), await editor()]
    const id = await write(writer)
    for (let i = 0; i < 25; i++) await patch(second, id, caption(`Hello ${i}`))
    await patch(second, id, { channels: { [channel]: { superpower: { hashtag: '#second' } } } })
    await patch(third, id, caption('Of the third'))
    for (const person of [second, third]) expect(await approve(403, person, id)).toBe('own_post')
    await patch(third, id, { channels: { [channel]: { superpower: { hashtag: '#third' } } } })
    await approve(200, second, id)
  })

  test('a new time by a retry counts too', async () => {
    const [writer, second, third] = [await editor(), await editor(), await editor()]
    const id = await write(writer)
    const { headers } = await second.call(200, 'GET', path(`/${id}`))
    await second.call(200, 'POST', path(`/${id}/approve`), { headers: { 'if-match': String(headers.etag) } })
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finishWithFailure')
    await second.call(200, 'POST', path(`/${id}/retry`), { body: { scheduledFor: later } })
    await second.call(200, 'POST', path(`/${id}/revert`))
    await writer.call(200, 'POST', path(`/${id}/submit-for-approval`))
    expect(await approve(403, second, id)).toBe('own_post')
    await approve(200, third, id)
  })
})
