import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost, moveAsPublisher, publishable, readHistory } from '../../test/posts.js'
import { Holder } from '../../test/review-links.js'

/** A post states whether it was made with AI. Only people see and declare this. */

let app: TestApp
let tenant: Tenant
let channel: string
let writer: Member
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  channel = await tenant.channel([])
  writer = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR', mayApprove: true })
})

const DECLARED = { aiGenerated: true }
const posts = (rest = ''): string => `/organizations/${tenant.organizationId}/scheduled-posts${rest}`
const edit = (status: number, id: string, body: object) => writer.call(status, 'PATCH', posts(`/${id}`), { body })
const read = async (id: string) => writer.call(200, 'GET', posts(`/${id}`))
const insert = (status: 'DRAFT' | 'WAITING_FOR_APPROVAL' | 'SCHEDULED' = 'DRAFT'): Promise<string> =>
  insertPost(tenant, { ...publishable(channel), status })
async function approve(id: string) {
  const { headers } = await read(id)
  return writer.call(200, 'POST', posts(`/${id}/approve`), { headers: { 'if-match': String(headers.etag) } })
}

test('a person declares it with a new post, and withdraws it', async () => {
  const { body: post } = await writer.call(201, 'POST', posts(), { body: DECLARED })
  expect(post).toMatchObject({ status: 'DRAFT', aiGenerated: true })
  for (const none of [null, false]) {
    await edit(200, post.id, DECLARED)
    expect((await edit(200, post.id, { aiGenerated: none })).body).not.toHaveProperty('aiGenerated')
  }
  expect((await readHistory(tenant, post.id)).at(-1)?.detail).toEqual({ changed: ['aiGenerated'] })
  const { body: plain } = await writer.call(201, 'POST', posts(), { body: { aiGenerated: false } })
  expect(plain).not.toHaveProperty('aiGenerated')
})

test.each(['yes', 'true', 1, {}])('%j is not a valid declaration', async (aiGenerated) => {
  const id = await insert()
  const refused = await edit(422, id, { aiGenerated })
  expect(JSON.stringify(refused.body)).toContain('aiGenerated')
  await writer.call(422, 'POST', posts(), { body: { aiGenerated } })
})

test('it stays when the media change, because a declaration must not disappear silently', async () => {
  const id = await insert()
  await edit(200, id, DECLARED)
  expect((await edit(200, id, { notes: 'Look' })).body.aiGenerated).toBe(true)
  await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { media: 'https://cdn.example.com/new.jpg' } })
  expect((await read(id)).body).toMatchObject({ media: 'https://cdn.example.com/new.jpg', aiGenerated: true })
})

test('the posts of a series inherit it', async () => {
  const id = await insert()
  await edit(200, id, DECLARED)
  const { body } = await writer.call(201, 'POST', posts(`/${id}/series`), {
    body: { frequency: 'DAILY', time: '10:00', from: '2026-12-01', count: 2 },
  })
  for (const { id: copy } of body.posts) expect((await read(copy)).body.aiGenerated).toBe(true)
})

describe('it is part of the approved content', () => {
  test('a change returns a SCHEDULED post to approval, where the reviewer sees the earlier value', async () => {
    const id = await insert('WAITING_FOR_APPROVAL')
    await edit(200, id, DECLARED)
    const approved = await approve(id)
    expect(approved.body).toMatchObject({ status: 'SCHEDULED', ...DECLARED })
    expect((await edit(200, id, DECLARED)).headers.etag).toBe(approved.headers.etag)
    const changed = await edit(200, id, { aiGenerated: false })
    expect(changed.body.status).toBe('WAITING_FOR_APPROVAL')
    const { body } = await writer.call(200, 'GET', posts(`/${id}/last-review`))
    expect(body.review.content.aiGenerated).toBe(true)
    await approve(id)
    expect((await edit(200, id, DECLARED)).body.status).toBe('WAITING_FOR_APPROVAL')
    const again = await writer.call(200, 'GET', posts(`/${id}/last-review`))
    expect(again.body.review.content).not.toHaveProperty('aiGenerated')
  })

  test('the database protects it from every writer', async () => {
    const id = await insert('SCHEDULED')
    const key = [tenant.organizationId, id]
    const at = 'where organization_id = $1 and scheduled_post_id = $2'
    const declare = `update scheduled_posts set ai_generated = true ${at}`
    await expect(app.context.database.query(declare, key)).rejects.toThrow('approved post cannot change')
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finish')
    await expect(app.context.database.query(declare, key)).rejects.toThrow('cannot change')
  })

  test('retention removes it with the content', async () => {
    const at = 'where organization_id = $1 and scheduled_post_id = $2'
    const removed = 'ai_generated = false, media = null, media_type = null, notes = null, content_removed_at = now()'
    const id = await insert('WAITING_FOR_APPROVAL')
    await edit(200, id, DECLARED)
    await approve(id)
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finish')
    expect((await read(id)).body).toMatchObject({ status: 'PUBLISHED', aiGenerated: true })
    await app.context.database.query(`update scheduled_posts set ${removed} ${at}`, [tenant.organizationId, id])
    expect((await read(id)).body).not.toHaveProperty('aiGenerated')
  })

  test('an outside link shows it', async () => {
    const ids = [await insert('WAITING_FOR_APPROVAL'), await insert('WAITING_FOR_APPROVAL')]
    await edit(200, ids[0]!, DECLARED)
    const anna = await Holder.of(writer, tenant.organizationId, ids)
    expect((await anna.posts()).map(({ content }) => content!.aiGenerated)).toEqual([true, undefined])
  })
})

test('the wire of /v1, /v0 and the operator does not have it: it is neither returned nor accepted', async () => {
  const id = await insert('WAITING_FOR_APPROVAL')
  const before = await tenant.call(200, 'GET', `/scheduled-posts/${id}`)
  await edit(200, id, DECLARED)
  const { body } = await tenant.call(200, 'GET', `/scheduled-posts/${id}`)
  expect(body).toEqual(before.body)
  const patched = await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'A' } })
  expect(Object.keys(patched.body).sort()).toEqual([...Object.keys(before.body), 'notes'].sort())
  expect((await tenant.call(200, 'GET', '/scheduled-posts')).body[0]).not.toHaveProperty('aiGenerated')
  const earlier = await tenant.callEarlier(200, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'B' } })
  expect(earlier.body).not.toHaveProperty('aiGenerated')
  await tenant.callEarlier(422, 'PATCH', `/scheduled-posts/${id}`, { body: DECLARED })
  const { body: ofOperator } = await operatorCall(app, 200, 'GET', posts(`/${id}`))
  expect(ofOperator).not.toHaveProperty('aiGenerated')
  for (const [method, url] of [
    ['PATCH', `/scheduled-posts/${id}`],
    ['POST', '/scheduled-posts'],
  ] as const) {
    const refused = await tenant.call(422, method, url, { body: DECLARED })
    expect(JSON.stringify(refused.body)).toContain('aiGenerated')
  }
  expect((await read(id)).body.aiGenerated).toBe(true)
})
