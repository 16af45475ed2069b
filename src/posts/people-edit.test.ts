import { beforeAll, beforeEach, expect, test } from 'vitest'
import { Member, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost, listPublications, moveAsPublisher, publishable, readHistory } from '../../test/posts.js'

/** The changes that people make in the console, beyond those of interface 4.3. */

let app: TestApp
let tenant: Tenant
let channel: string
let writer: Member
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  channel = await tenant.channel([await tenant.workspace('STANDARD')])
  writer = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR', mayApprove: true })
})

const path = (id: string, rest = ''): string => `/organizations/${tenant.organizationId}/scheduled-posts/${id}${rest}`
const edit = (status: number, id: string, body: object) => writer.call(status, 'PATCH', path(id), { body })
async function decide(status: number, person: Member, id: string, what: string, body?: object) {
  const { headers } = await person.call(200, 'GET', path(id))
  return person.call(status, 'POST', path(id, what), { body, headers: { 'if-match': String(headers.etag) } })
}
const code = (reply: { headers: Record<string, unknown> }): unknown => reply.headers['x-error-code']

const insert = (status: 'DRAFT' | 'WAITING_FOR_APPROVAL' | 'SCHEDULED', more: object = {}): Promise<string> =>
  insertPost(tenant, { ...publishable(channel), status, ...more })

async function failed(): Promise<string> {
  const id = await insert('SCHEDULED')
  await moveAsPublisher(tenant, id, 'expire')
  return id
}

test('the time and the media of a draft can be cleared and set again', async () => {
  const id = await insert('DRAFT')
  const { body } = await edit(200, id, { scheduledFor: null, media: null })
  expect(body).not.toHaveProperty('scheduledFor')
  expect(body).not.toHaveProperty('media')
  expect(body).not.toHaveProperty('mediaType')
  const { media } = publishable(channel)
  const again = await edit(200, id, { scheduledFor: '2026-12-02T09:00:00Z', media, mediaType: 'IMAGE' })
  expect(again.body).toMatchObject({ scheduledFor: '2026-12-02T09:00:00.000Z', media })
  expect((await readHistory(tenant, id)).at(-1)?.detail).toMatchObject({
    changed: ['scheduledFor', 'media', 'mediaType'],
  })
})

test.each(['WAITING_FOR_APPROVAL', 'SCHEDULED'] as const)('a post that is %s needs both', async (status) => {
  const id = await insert(status)
  expect(code(await edit(400, id, { scheduledFor: null }))).toBe('publish_check_failed')
  expect(code(await edit(400, id, { media: null }))).toBe('publish_check_failed')
  expect((await writer.call(200, 'GET', path(id))).body.status).toBe(status)
})

test('a key cannot clear either: the wire of /v1 has no null', async () => {
  const id = await insert('DRAFT')
  await tenant.call(422, 'PATCH', `/scheduled-posts/${id}`, { body: { scheduledFor: null } })
  await tenant.call(422, 'PATCH', `/scheduled-posts/${id}`, { body: { media: null } })
})

test('a failed post can be repaired while it is published nowhere: it waits for approval again', async () => {
  const id = await failed()
  expect(code(await edit(400, id, { channels: { [channel]: { caption: 'Mended' } } }))).toBe('publish_check_failed')
  const body = { scheduledFor: '2026-12-03T09:00:00Z', channels: { [channel]: { caption: 'Mended' } } }
  const repaired = await edit(200, id, body)
  expect(repaired.body).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
  expect(repaired.body.mediumsData[channel]).toMatchObject({ caption: 'Mended', failedToPublish: false })
  expect((await readHistory(tenant, id)).at(-1)).toMatchObject({ action: 'updated', fromStatus: 'FAILED' })
  await decide(200, writer, id, '/approve')
  const publications = await listPublications(app.context.database, tenant.organizationId, id)
  expect(publications.filter(({ state }) => state === 'FAILED')).toEqual([])
})

test('interface 3.2: for a key a failed post is final', async () => {
  const id = await failed()
  const body = { scheduledFor: '2026-12-03T09:00:00Z' }
  expect(code(await tenant.call(400, 'PATCH', `/scheduled-posts/${id}`, { body }))).toBe('wrong_state')
})

test('a call that changes nothing leaves a failed post as it is', async () => {
  const id = await failed()
  expect((await edit(200, id, {})).body.status).toBe('FAILED')
})

test('a post that failed on one channel and is published on another cannot be changed', async () => {
  const other = await tenant.channel([], 'INSTAGRAM_ACCOUNT')
  const both = [channel, other].map((channelId) => ({ channelId, caption: 'Hello' }))
  const id = await insert('SCHEDULED', { channels: both })
  await moveAsPublisher(tenant, id, 'claim')
  await moveAsPublisher(tenant, id, 'finishWithFailure')
  await app.context.database.query(
    `insert into publications (organization_id, scheduled_post_id, channel_id, state)
     values ($1, $2, $3, 'PUBLISHED'), ($1, $2, $4, 'FAILED')
         on conflict (organization_id, scheduled_post_id, channel_id) do update set state = excluded.state`,
    [tenant.organizationId, id, channel, other],
  )
  const refused = await edit(400, id, { scheduledFor: '2026-12-03T09:00:00Z' })
  expect(code(refused)).toBe('already_published')
  expect(refused.body.message).toContain(channel)
})

test('a failed post can be retried at once', async () => {
  const id = await failed()
  const { body } = await decide(200, writer, id, '/retry', {})
  expect(body).toMatchObject({
    status: 'SCHEDULED',
    scheduledFor: new Date(app.clock.now() + 1_000).toISOString(),
  })
})

test("the notes of a return are separate from the writer's; a key sees those written last", async () => {
  const id = await insert('WAITING_FOR_APPROVAL', { notes: 'For the market' })
  await decide(200, writer, id, '/reject', { notes: 'Shorter, please' })
  const ofPeople = async () => (await writer.call(200, 'GET', path(id))).body.notes
  const ofKeys = async () => (await tenant.get(200, `/scheduled-posts/${id}`)).body.notes
  expect([await ofPeople(), await ofKeys()]).toEqual(['For the market', 'Shorter, please'])
  expect((await readHistory(tenant, id)).at(-1)?.detail).toEqual({ notes: 'Shorter, please' })
  await writer.call(200, 'POST', path(id, '/submit-for-approval'))
  expect([await ofPeople(), await ofKeys()]).toEqual(['For the market', 'Shorter, please'])
  await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'Shorter now' } })
  expect([await ofPeople(), await ofKeys()]).toEqual(['Shorter now', 'Shorter now'])
})

test('an approval can be undone by the person who gave it, until the publisher has the post', async () => {
  const other = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR', mayApprove: true })
  const id = await insert('WAITING_FOR_APPROVAL')
  await decide(200, writer, id, '/approve')
  expect(code(await decide(400, other, id, '/undo-decision'))).toBe('decision_not_yours')
  // Another time does not make another approval.
  await edit(200, id, { scheduledFor: '2026-12-05T09:00:00Z' })
  const { body } = await decide(200, writer, id, '/undo-decision')
  expect(body).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
  expect(body).not.toHaveProperty('taskId')
  expect((await readHistory(tenant, id)).at(-1)).toMatchObject({
    action: 'reverted',
    fromStatus: 'SCHEDULED',
    toStatus: 'WAITING_FOR_APPROVAL',
    detail: { decision: 'approved' },
  })
  expect(code(await decide(400, writer, id, '/undo-decision'))).toBe('wrong_state')
  await decide(200, writer, id, '/approve')
  await moveAsPublisher(tenant, id, 'claim')
  expect(code(await decide(400, writer, id, '/undo-decision'))).toBe('wrong_state')
})

test('a return can be undone with its notes while the post is unchanged, and the previous review applies again', async () => {
  const id = await insert('WAITING_FOR_APPROVAL')
  const review = async () => (await writer.call(200, 'GET', path(id, '/last-review'))).body.review
  await decide(200, writer, id, '/reject', { notes: 'First' })
  await writer.call(200, 'POST', path(id, '/submit-for-approval'))
  const first = await review()
  await decide(200, writer, id, '/reject', { notes: 'By mistake' })
  expect((await review()).version).not.toBe(first.version)
  const { body } = await decide(200, writer, id, '/undo-decision')
  expect(body.status).toBe('WAITING_FOR_APPROVAL')
  expect(await review()).toEqual(first)
  expect((await tenant.get(200, `/scheduled-posts/${id}`)).body.notes).toBe('First')
  await decide(200, writer, id, '/reject', { notes: 'Really' })
  await edit(200, id, { notes: 'I see' })
  expect(code(await decide(400, writer, id, '/undo-decision'))).toBe('decision_not_yours')
})

test('a decision about a post that has failed since cannot be undone: the post may be published somewhere', async () => {
  const id = await insert('WAITING_FOR_APPROVAL')
  await decide(200, writer, id, '/approve')
  await moveAsPublisher(tenant, id, 'expire')
  await decide(200, writer, id, '/retry', { scheduledFor: '2026-12-05T09:00:00Z' })
  expect(code(await decide(400, writer, id, '/undo-decision'))).toBe('decision_not_yours')
})

test('the 409 of a hashtag names the post that has it in the console, but not on /v1', async () => {
  const superpower = { name: 'Sale', hashtag: '#sale', active: true }
  const holder = await insert('DRAFT', { channels: [{ channelId: channel, caption: 'One', superpower }] })
  const id = await insert('DRAFT')
  const body = { channels: { [channel]: { superpower } } }
  const [inConsole] = (await edit(409, id, body)).body.conflicts
  expect(inConsole).toEqual({ mediumId: channel, hashtag: '#sale', reason: 'already-in-use', scheduledPostId: holder })
  const [onV1] = (await tenant.call(409, 'PATCH', `/scheduled-posts/${id}`, { body })).body.conflicts
  expect(onV1).toEqual({ mediumId: channel, hashtag: '#sale', reason: 'already-in-use' })
})
