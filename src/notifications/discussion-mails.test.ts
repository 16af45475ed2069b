import { afterEach, beforeEach, expect, test } from 'vitest'
import { Member, operatorCall, send, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { type MailServer, type ReceivedMail, startMailServer } from '../../test/mail-server.js'
import { insertPost } from '../../test/posts.js'
import { limit } from '../lib/limits.js'
import { createNotifier } from './notifier.js'

const PUBLIC_URL = 'https://greenroom.example/app'

let server: MailServer
let app: TestApp
let tenant: Tenant
let post: string
let writer: Member
let other: Member
beforeEach(async () => {
  server = await startMailServer()
  app = await startTestApp({
    mail: { url: server.url, from: 'Greenroom <greenroom@example.com>' },
    http: { publicUrl: PUBLIC_URL },
  })
  await app.context.database.execute(
    'delete from mails; delete from events; delete from person_mails; delete from discussion_mails',
  )
  tenant = await Tenant.create(app)
  ;[writer, other] = [await person(), await person()]
  post = await insertPost(tenant)
})
afterEach(() => server.close())

const person = (): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER', mayApprove: true })
const tick = (): Promise<void> => createNotifier(app.context, { jitter: (ms) => ms }).tick()
const base = (): string => `/organizations/${tenant.organizationId}`
const write = async (by: Member, body: object, to = post): Promise<string> =>
  (await by.call(201, 'POST', `${base()}/scheduled-posts/${to}/discussion`, { body: { text: 'A text', ...body } })).body
    .id
const subjectOf = ({ source }: ReceivedMail): string => /^Subject: (.*)$/im.exec(source)![1]!
const received = (): [to: string, subject: string][] =>
  server.mails.map((mail) => [mail.to[0]!, subjectOf(mail)] as [string, string])

test('a mention is mailed to the person at once, with the way to the post and without the text', async () => {
  await write(writer, { text: 'A private text', mentions: [other.id] })
  await tick()
  expect(received()).toEqual([[other.mail, 'A message for you in Test']])
  const { source } = server.mails[0]!
  expect(source.replaceAll('=\r\n', '')).toContain(
    `${PUBLIC_URL}/o/${tenant.organizationId}/posts/${post}`.replaceAll('=', '=3D'),
  )
  expect(source).not.toContain('private')
})

test('who wrote before is told of each message but their own, in one mail for ten minutes', async () => {
  await write(writer, {})
  await tick()
  expect(received()).toEqual([])
  await write(other, {})
  await tick()
  expect(received()).toEqual([[writer.mail, 'A message for you in Test']])
  const others = [await insertPost(tenant), await insertPost(tenant)]
  for (const to of others) await write(other, { mentions: [writer.id] }, to)
  await write(other, { mentions: [writer.id] }, others[0])
  await tick()
  expect(server.mails).toHaveLength(1)
  app.clock.advance(limit('mailGatherMs'))
  await tick()
  expect(received().at(-1)).toEqual([writer.mail, '3 messages for you in Test'])
  const text = server.mails[1]!.source.replaceAll('=\r\n', '')
  // Each post once, the latest first.
  expect([...text.matchAll(/post_[\w-]+/g)].map(([id]) => id)).toEqual(others)
  await tick()
  expect(server.mails).toHaveLength(2)
})

test('an edit is mailed only to those whom it mentions for the first time', async () => {
  const third = await person()
  const id = await write(writer, { mentions: [other.id] })
  await tick()
  app.clock.advance(limit('mailGatherMs'))
  const body = { text: 'Another text', mentions: [other.id, third.id] }
  await writer.call(200, 'PATCH', `${base()}/scheduled-posts/${post}/discussion/${id}`, { body })
  await tick()
  expect(received().slice(1)).toEqual([[third.mail, 'A message for you in Test']])
})

test('a person who switched mails off, or was removed before it is sent, gets none', async () => {
  await other.call(200, 'PUT', `${base()}/own-notifications`, { body: { mails: false } })
  await write(writer, { mentions: [other.id] })
  await tick()
  const third = await person()
  await write(writer, { mentions: [third.id] })
  await operatorCall(app, 200, 'DELETE', `${base()}/members/${third.id}`)
  await tick()
  expect(received()).toEqual([])
})

test('the person whose link was used is told of what came by it', async () => {
  const waiting = await insertPost(tenant, { status: 'WAITING_FOR_APPROVAL' })
  const links = `${base()}/scheduled-posts/${waiting}/review-links`
  const { token } = (await other.call(201, 'POST', links, { body: { name: 'Anna' } })).body
  const headers = { authorization: `Bearer ${token}` }
  await send(app.app, 201, 'POST', '/review/api/discussion', { body: { text: 'A question' }, headers })
  await tick()
  // The others are about the post that waits.
  const ofDiscussion = received().filter(([, subject]) => subject.includes('message'))
  expect(ofDiscussion).toEqual([[other.mail, 'A message for you in Test']])
})

test('without a mail server nothing is stored', async () => {
  const plain = await startTestApp()
  await write(writer.on(plain), { mentions: [other.id] })
  expect((await app.context.database.query('select from discussion_mails')).rows).toHaveLength(0)
})
