import { beforeAll, beforeEach, expect, test } from 'vitest'
import { Member, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { publishable } from '../../test/posts.js'

let app: TestApp
let tenant: Tenant
let channel: string
let person: Member
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  channel = await tenant.channel([], 'FB_PAGE', 'Our page')
  person = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR', mayApprove: true })
})

const path = (rest: string): string => `/organizations/${tenant.organizationId}/scheduled-posts${rest}`
const write = async (): Promise<string> => {
  const { media } = publishable(channel)
  const body = {
    status: 'WAITING_FOR_APPROVAL',
    scheduledFor: '2026-12-01T09:00:00.000Z',
    media,
    channels: { [channel]: { caption: 'Hello', superpower: { hashtag: '#hi', active: true } } },
  }
  return (await person.call(201, 'POST', path(''), { body })).body.id
}
const decide = async (id: string, what: 'approve' | 'reject', body?: unknown): Promise<void> => {
  const { headers } = await person.call(200, 'GET', path(`/${id}`))
  await person.call(200, 'POST', path(`/${id}/${what}`), { body, headers: { 'if-match': String(headers.etag) } })
}
const review = async (id: string) => (await person.call(200, 'GET', path(`/${id}/last-review`))).body.review

test("is null before the first decision, and afterwards the post's content at the last one", async () => {
  const id = await write()
  expect(await review(id)).toBeNull()
  const { mediumsData, media } = (await person.call(200, 'GET', path(`/${id}`))).body
  await decide(id, 'reject', { notes: 'The price is wrong.' })
  const returned = {
    decision: 'rejected',
    version: 1,
    at: '2026-11-20T09:00:00.000Z',
    content: { media, scheduledFor: '2026-12-01T09:00:00.000Z', mediumsData },
  }
  expect(await review(id)).toEqual(returned)

  const caption = 'Hello, 3 €'
  await person.call(200, 'PATCH', path(`/${id}`), { body: { channels: { [channel]: { caption } } } })
  await person.call(200, 'POST', path(`/${id}/submit-for-approval`))
  expect(await review(id)).toEqual(returned)
  await decide(id, 'approve')
  expect(await review(id)).toMatchObject({
    decision: 'approved',
    version: 4,
    content: { mediumsData: { [channel]: { caption, mediumName: 'Our page', superpower: { hashtag: '#hi' } } } },
  })
})

test('a refused decision keeps the previous one, and a deleted post has none', async () => {
  const id = await write()
  await person.call(412, 'POST', path(`/${id}/approve`), { headers: { 'if-match': '"7"' } })
  expect(await review(id)).toBeNull()
  await decide(id, 'reject', { notes: 'No.' })
  await person.call(200, 'DELETE', path(`/${id}`))
  await person.call(404, 'GET', path(`/${id}/last-review`))
})

test('another organization’s post looks like a missing one', async () => {
  const id = await write()
  const other = await Tenant.create(app)
  const stranger = await Member.create(app, { organizationId: other.organizationId, role: 'ADMIN' })
  await stranger.call(404, 'GET', `/organizations/${other.organizationId}/scheduled-posts/${id}/last-review`)
})
