import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost, moveAsPublisher, publishable, readHistory } from '../../test/posts.js'
import { Holder } from '../../test/review-links.js'

/** The alt text of a post's picture, which only people see and set. */

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

const TEXT = 'Two loaves of dark bread on a board 🍞'
const path = (id: string, rest = ''): string => `/organizations/${tenant.organizationId}/scheduled-posts/${id}${rest}`
const edit = (status: number, id: string, body: object) => writer.call(status, 'PATCH', path(id), { body })
const read = async (id: string) => writer.call(200, 'GET', path(id))
const insert = (status: 'DRAFT' | 'WAITING_FOR_APPROVAL' | 'SCHEDULED' = 'DRAFT'): Promise<string> =>
  insertPost(tenant, { ...publishable(channel), status })
async function approve(id: string) {
  const { headers } = await read(id)
  return writer.call(200, 'POST', path(id, '/approve'), { headers: { 'if-match': String(headers.etag) } })
}

test('a person sets it with a new post, changes it and clears it', async () => {
  const body = { ...publishable(channel), altText: `  ${TEXT}\n`, channels: { [channel]: { caption: 'Bread' } } }
  const { body: post } = await writer.call(201, 'POST', path('').slice(0, -1), { body })
  expect(post).toMatchObject({ status: 'DRAFT', altText: TEXT })
  expect((await edit(200, post.id, { altText: 'A bun' })).body.altText).toBe('A bun')
  for (const none of [null, '', '  ']) {
    await edit(200, post.id, { altText: 'A bun' })
    expect((await edit(200, post.id, { altText: none })).body).not.toHaveProperty('altText')
  }
  expect((await readHistory(tenant, post.id)).at(-1)?.detail).toEqual({ changed: ['altText'] })
  const list = await writer.call(200, 'GET', `/organizations/${tenant.organizationId}/scheduled-posts`)
  expect(list.body.items).toHaveLength(1)
})

test('it has at most 1,000 characters', async () => {
  const id = await insert()
  await edit(200, id, { altText: 'x'.repeat(1_000) })
  await edit(422, id, { altText: 'x'.repeat(1_001) })
})

test('it ends with its picture, unless it is sent with another one', async () => {
  const id = await insert()
  await edit(200, id, { altText: TEXT })
  expect((await edit(200, id, { notes: 'Look' })).body.altText).toBe(TEXT)
  const other = { media: 'https://cdn.example.com/cropped.jpg' }
  expect((await edit(200, id, { ...other, altText: TEXT })).body.altText).toBe(TEXT)
  await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { media: 'https://cdn.example.com/new.jpg' } })
  expect((await read(id)).body).not.toHaveProperty('altText')
})

describe('it is part of the approved content', () => {
  test('a change returns a SCHEDULED post to approval, where the reviewer sees the earlier value', async () => {
    const id = await insert('WAITING_FOR_APPROVAL')
    await edit(200, id, { altText: TEXT })
    const approved = await approve(id)
    expect(approved.body).toMatchObject({ status: 'SCHEDULED', altText: TEXT })
    expect((await edit(200, id, { altText: TEXT })).headers.etag).toBe(approved.headers.etag)
    const changed = await edit(200, id, { altText: 'Other bread' })
    expect(changed.body.status).toBe('WAITING_FOR_APPROVAL')
    expect(changed.headers.etag).not.toBe(approved.headers.etag)
    const { body } = await writer.call(200, 'GET', path(id, '/last-review'))
    expect(body.review.content.altText).toBe(TEXT)
    const again = await writer.call(412, 'PATCH', path(id), {
      body: { altText: 'Mine' },
      headers: { 'if-match': String(approved.headers.etag) },
    })
    expect(again.headers['x-error-code']).toBe('post_changed')
  })

  test('the database protects it from every writer', async () => {
    const id = await insert('SCHEDULED')
    const key = [tenant.organizationId, id]
    const statement = `update scheduled_posts set alt_text = 'x' where organization_id = $1 and scheduled_post_id = $2`
    await expect(app.context.database.query(statement, key)).rejects.toThrow('approved post cannot change')
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finish')
    await expect(app.context.database.query(statement, key)).rejects.toThrow('cannot change')
    // Retention removes it with the content.
    const removal = `update scheduled_posts set media = null, alt_text = null, media_type = null, notes = null, content_removed_at = now() where organization_id = $1 and scheduled_post_id = $2 returning alt_text`
    expect((await app.context.database.query(removal, key)).rows).toEqual([{ alt_text: null }])
  })

  test('an outside link shows it', async () => {
    const id = await insert('WAITING_FOR_APPROVAL')
    await edit(200, id, { altText: TEXT })
    const anna = await Holder.of(writer, tenant.organizationId, [id])
    expect((await anna.post()).content!.altText).toBe(TEXT)
  })
})

test('the wire of /v1 and of the operator does not have it: it is neither returned nor accepted', async () => {
  const id = await insert('WAITING_FOR_APPROVAL')
  const before = await tenant.call(200, 'GET', `/scheduled-posts/${id}`)
  await edit(200, id, { altText: TEXT })
  const { body } = await tenant.call(200, 'GET', `/scheduled-posts/${id}`)
  expect(body).toEqual(before.body)
  const patched = await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'A' } })
  expect(Object.keys(patched.body).sort()).toEqual([...Object.keys(before.body), 'notes'].sort())
  expect((await tenant.call(200, 'GET', '/scheduled-posts')).body[0]).not.toHaveProperty('altText')
  for (const [method, url] of [
    ['PATCH', `/scheduled-posts/${id}`],
    ['POST', '/scheduled-posts'],
  ] as const) {
    const refused = await tenant.call(422, method, url, { body: { altText: 'From a key' } })
    expect(JSON.stringify(refused.body)).toContain('altText')
  }
  expect((await read(id)).body.altText).toBe(TEXT)
})
