import { beforeEach, expect, test } from 'vitest'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { insertPost } from '../../../test/posts.js'
import { Holder } from '../../../test/review-links.js'
import type { InboxEntry } from '../../interface/generated/types.js'

let app: TestApp
let tenant: Tenant
let post: string
let writer: Member
let other: Member
beforeEach(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
  ;[writer, other] = [await person(), await person()]
  post = await insertPost(tenant)
})

const person = (): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER', mayApprove: true })
const base = (): string => `/organizations/${tenant.organizationId}`
const write = async (by: Member, body: object, to = post): Promise<string> =>
  (await by.call(201, 'POST', `${base()}/scheduled-posts/${to}/discussion`, { body: { text: 'A text', ...body } })).body
    .id
const inboxOf = async (of: Member): Promise<InboxEntry[]> =>
  (await of.call(200, 'GET', `${base()}/inbox`)).body.items as InboxEntry[]
const kindsOf = async (of: Member): Promise<string[]> => (await inboxOf(of)).map(({ kind }) => kind)

test('a mention notifies the person, with the beginning of the text and a link to the post', async () => {
  const text = `Look, ${'🍞'.repeat(600)}`
  const messageId = await write(writer, { text, mentions: [other.id] })
  const [entry] = await inboxOf(other)
  expect(entry).toMatchObject({ kind: 'mentioned', isRead: false, post: { id: post }, detail: { messageId } })
  expect(entry!.actorName).toBe(`Person ${writer.id}`)
  expect([...entry!.detail.text!]).toHaveLength(500)
  expect(text.startsWith(entry!.detail.text!)).toBe(true)
})

test('a message notifies earlier writers, but not its own author', async () => {
  await write(writer, {})
  expect(await inboxOf(other)).toEqual([])
  await write(other, {})
  expect(await kindsOf(writer)).toEqual(['replied'])
  expect(await inboxOf(other)).toEqual([])
})

test('an edit notifies only the people it mentions for the first time', async () => {
  const third = await person()
  const id = await write(writer, { mentions: [other.id] })
  const body = { text: 'Another text', mentions: [other.id, third.id] }
  await writer.call(200, 'PATCH', `${base()}/scheduled-posts/${post}/discussion/${id}`, { body })
  expect(await kindsOf(other)).toEqual(['mentioned'])
  expect(await kindsOf(third)).toEqual(['mentioned'])
})

test('a notification quotes the current text of its message, and is deleted with it', async () => {
  const id = await write(writer, { text: 'The price is 12', mentions: [other.id] })
  const kept = await write(writer, { text: 'Another message', mentions: [other.id] })
  const path = `${base()}/scheduled-posts/${post}/discussion/${id}`
  await writer.call(200, 'PATCH', path, { body: { text: `The price is 13 ${'🍞'.repeat(600)}`, mentions: [other.id] } })
  const texts = async () => (await inboxOf(other)).map(({ detail }) => detail.text).toSorted()
  expect(await texts()).toEqual(['Another message', `The price is 13 ${'🍞'.repeat(484)}`])
  await writer.call(200, 'DELETE', path)
  expect(await inboxOf(other)).toMatchObject([{ detail: { messageId: kept, text: 'Another message' } }])
})

test('a message sent through a review link notifies the person who created the link, and has the name on the link', async () => {
  const waiting = await insertPost(tenant, { status: 'WAITING_FOR_APPROVAL' })
  const anna = await Holder.of(other, tenant.organizationId, [waiting])
  await anna.call(201, 'POST', '/posts/1/discussion', { body: { text: 'A question' } })
  expect(await inboxOf(other)).toMatchObject([{ kind: 'replied', detail: { outsider: 'Anna', text: 'A question' } }])
  expect(await inboxOf(writer)).toEqual([])
})

test('a removed member is not notified', async () => {
  await write(other, {})
  await operatorCall(app, 200, 'DELETE', `${base()}/members/${other.id}`)
  await write(writer, {})
  expect((await app.context.database.query('select from inbox_entries where person_id = $1', [other.id])).rows).toEqual(
    [],
  )
})
