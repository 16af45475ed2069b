import { beforeAll, beforeEach, expect, test } from 'vitest'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { publishable } from '../../test/posts.js'

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

test('no one approves what they made, and another person does', async () => {
  const [writer, approver] = [await editor(), await editor()]
  const id = await write(writer)
  expect(await approve(403, writer, id)).toBe('own_post')
  await approve(200, approver, id)
  const history = await approver.call(200, 'GET', path(`/${id}/history`))
  expect(history.body.map(({ actor, action }: { actor: string; action: string }) => [actor, action])).toEqual([
    [`user:${writer.id}`, 'created'],
    [`user:${approver.id}`, 'approved'],
  ])
})

test('nor what they were the last to change; one who changed it before that may', async () => {
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

test('a loop of changes that the history cuts short hides no one', async () => {
  const [writer, second] = [await editor(), await editor()]
  const id = await write(writer)
  for (let i = 0; i < 30; i++) {
    await second.call(200, 'PATCH', path(`/${id}`), { body: { channels: { [channel]: { caption: `Hello ${i}` } } } })
  }
  expect(await approve(403, second, id)).toBe('own_post')
})

test('without the setting one approves what one wrote, if one may approve', async () => {
  const [writer, other] = [await editor(), await editor(false)]
  const id = await write(writer)
  expect(await approve(403, other, id)).toBe('permission_missing')
  await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { fourEyes: false } })
  await approve(200, writer, id)
})

test("a key's post is approved by any person who may", async () => {
  const approver = await editor()
  const { body } = await tenant.call(201, 'POST', '/scheduled-posts', { body: content() })
  await approve(200, approver, body.id)
})

test('a viewer who may approve rejects as well; one who may not does neither', async () => {
  const viewer = (mayApprove: boolean) =>
    Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER', mayApprove })
  const [writer, approver, reader] = [await editor(), await viewer(true), await viewer(false)]
  const id = await write(writer)
  const reject = (status: number, person: Member) =>
    person.call(status, 'POST', path(`/${id}/reject`), { body: { notes: 'Not yet' } })
  const refused = await reject(403, reader)
  expect(refused.headers['x-error-code']).toBe('permission_missing')
  expect(refused.body.message).toBe('This takes the permission posts:write or posts:approve, which you do not hold.')
  expect((await reject(200, approver)).body).toMatchObject({ status: 'REJECTED', notes: 'Not yet' })
  await approver.call(403, 'PATCH', path(`/${id}`), { body: { notes: 'Mine' } })
})
