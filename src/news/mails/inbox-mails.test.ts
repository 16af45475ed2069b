import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Member, Tenant, type TestApp } from '../../../test/harness.js'
import { type MailServer, startMailServer } from '../../../test/mail-server.js'
import { moveAsPublisher, publishable } from '../../../test/posts.js'
import { takeEmptyApp } from '../../../test/test-app.js'
import { limit } from '../../lib/limits.js'
import { addInboxEntries } from '../inbox/inbox.store.js'
import { createNotifier } from '../notifier.js'

const PUBLIC_URL = 'https://greenroom.example/app'
const MINUTE = 60_000

let server: MailServer
let app: TestApp
let tenant: Tenant
let channel: string
let writer: Member
let approver: Member
beforeEach(async () => {
  server = await startMailServer()
  const from = 'Greenroom <greenroom@example.com>'
  app = await takeEmptyApp({ mail: { url: server.url, from }, http: { publicUrl: PUBLIC_URL } })
  tenant = await Tenant.create(app)
  channel = await tenant.channel([await tenant.workspace('STANDARD')], 'FB_PAGE', 'Mercado')
  writer = await member('EDITOR')
  approver = await member('VIEWER', true)
  // Emails about waiting posts are ignored here.
  await put(approver, { mails: false })
})
afterEach(() => Promise.all([server.close(), app.app.close()]))

const member = (role: 'VIEWER' | 'EDITOR' | 'ADMIN', mayApprove = false): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role, mayApprove })
const at = (rest: string): string => `/organizations/${tenant.organizationId}${rest}`
const put = (of: Member, body: object) => of.call(200, 'PUT', at('/own-notifications'), { body })
const write = async (by = writer, caption = 'Bread at eight'): Promise<string> => {
  const body = {
    status: 'WAITING_FOR_APPROVAL',
    scheduledFor: '2026-12-01T09:00:00Z',
    media: publishable(channel).media,
    channels: { [channel]: { caption } },
  }
  return (await by.call(201, 'POST', at('/scheduled-posts'), { body })).body.id
}
async function decide(id: string, what: string, body?: object, by = approver): Promise<void> {
  const { headers } = await by.call(200, 'GET', at(`/scheduled-posts/${id}`))
  const options = { body, headers: { 'if-match': String(headers.etag) } }
  await by.call(200, 'POST', at(`/scheduled-posts/${id}/${what}`), options)
}
const returned = (id: string, notes = 'The price is wrong') => decide(id, 'reject', { notes })
async function failed(id: string): Promise<void> {
  await decide(id, 'approve')
  await moveAsPublisher(tenant, id, 'claim')
  await moveAsPublisher(tenant, id, 'finishWithFailure')
}

/** Runs rounds as the service does, a second apart, for the given time. */
async function wait(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5_000) {
    app.clock.advance(5_000)
    await createNotifier(app.context, { jitter: (jittered) => jittered }).tick()
  }
}
const subjects = (): string[] => server.mails.map(({ subject }) => subject)

describe('a writer of a returned post', () => {
  test('learns within a minute why, by whom, and where', async () => {
    const id = await write()
    await returned(id, 'The price is wrong.\nIt is 3.50 now.')
    await wait(MINUTE)
    expect(subjects()).toEqual(['Your post was returned (Test)'])
    const [mail] = server.mails
    expect(mail!.to).toEqual([writer.mail])
    const body = mail!.text
    expect(body).toContain(`Your post "Bread at eight" was returned by Person ${approver.id}, for this reason:`)
    expect(body).toContain('\n\n  > The price is wrong.\n  > It is 3.50 now.\n\n')
    expect(body).toContain(`${PUBLIC_URL}/o/${tenant.organizationId}/posts/${id}\n`)
    expect(body).toContain(`${PUBLIC_URL}/o/${tenant.organizationId}/inbox`)
    await wait(10 * MINUTE)
    expect(server.mails).toHaveLength(1)
  })

  test('gets one email about several returns at once, and another within a minute of the next', async () => {
    const ids = [await write(), await write(), await write()]
    await returned(ids[0]!)
    await returned(ids[1]!)
    await wait(limit('inboxMailWaitMs'))
    expect(subjects()).toEqual(['2 of your posts were returned (Test)'])
    await returned(ids[2]!, 'Again')
    await wait(MINUTE)
    expect(subjects().slice(1)).toEqual(['Your post was returned (Test)'])
    expect(server.mails[1]!.text).not.toContain('The price is wrong')
  })

  test('gets no email about a return that is undone at once, or about what they have already read', async () => {
    const id = await write()
    await returned(id)
    await decide(id, 'undo-decision')
    await wait(MINUTE)
    expect(server.mails).toEqual([])
    await returned(id)
    await writer.call(200, 'POST', at('/inbox/read'), { body: { until: '2030-01-01T00:00:00Z' } })
    await wait(MINUTE)
    expect(server.mails).toEqual([])
  })

  test('gets nothing that people wrote at an address that may belong to someone else', async () => {
    await app.context.database.query('update people set mail_proven_at = null where person_id = $1', [writer.id])
    const id = await write(writer, 'Secret offer')
    await returned(id, 'A secret reason')
    await wait(MINUTE)
    const body = server.mails[0]!.text
    expect(body).toContain('Your post was returned by someone. The reason is in the console.')
    expect(body).toContain(`/posts/${id}`)
    expect(body).not.toMatch(/secret/i)
  })

  test('sees notes that imitate the email only as a quotation', async () => {
    const id = await write(writer, 'A "quoted" name\r\nBcc: all@example.com')
    await returned(id, `\u202EHello,\r\n\r\n${'long '.repeat(1_000)}`)
    await wait(MINUTE)
    const body = server.mails[0]!.text
    expect(body).toContain(`Your post "A 'quoted' name Bcc: all@example.com" was`)
    expect(body).not.toContain('\u202E')
    expect(body).toContain('  > Hello,\n  >\n  > long long')
    expect(body.length).toBeLessThan(4_000)
  })
})

describe('the news that is mailed', () => {
  test('is what the person chose, and nothing if emails are off', async () => {
    expect((await writer.call(200, 'GET', at('/own-notifications'))).body).toEqual({
      mails: true,
      kinds: ['returned', 'approved', 'failed', 'mentioned', 'replied'],
      available: true,
    })
    const { body } = await put(writer, { mails: true, kinds: ['published', 'failed'] })
    expect(body).toMatchObject({ mails: true, kinds: ['failed', 'published'] })
    await returned(await write())
    await decide(await write(), 'approve')
    await wait(MINUTE)
    expect(server.mails).toEqual([])
    await failed(await write())
    await wait(MINUTE)
    expect(subjects()).toEqual(['Your post was not published (Test)'])
    expect(server.mails[0]!.text).toContain('was not published on every channel, for this reason:\n\n  > Refused\n')
    // Kinds that are left out stay.
    expect((await put(writer, { mails: false })).body.kinds).toEqual(['failed', 'published'])
    await failed(await write())
    await wait(MINUTE)
    expect(server.mails).toHaveLength(1)
    await writer.call(422, 'PUT', at('/own-notifications'), { body: { mails: true, kinds: ['nothing'] } })
    await writer.call(422, 'PUT', at('/own-notifications'), { body: { mails: true, kinds: ['failed', 'failed'] } })
  })

  test('notifies an admin only once that their own post failed, and about other posts as before', async () => {
    const [admin, other] = [await member('ADMIN'), await member('ADMIN')]
    await failed(await write(admin))
    await wait(MINUTE)
    const sent = server.mails.map((mail, index) => [mail.to[0], subjects()[index]])
    expect(sent).toHaveLength(2)
    expect(sent).toContainEqual([other.mail, 'A post of Test was not published'])
    expect(sent).toContainEqual([admin.mail, expect.stringContaining('(Test)')])
  })

  test('has a sentence for each kind, several in one email', async () => {
    const id = await write()
    const news = { personId: writer.id, scheduledPostId: id, actor: { type: 'user', id: approver.id } as const }
    const now = new Date(app.clock.now())
    await app.context.database.transaction((tx) =>
      addInboxEntries(tx, tenant.organizationId, [
        { ...news, kind: 'mentioned', at: now, detail: { text: 'Look, please' } },
        { ...news, kind: 'replied', at: now, detail: { text: 'Done' } },
        { ...news, kind: 'approved', at: now, actor: { type: 'operator' } },
      ]),
    )
    await wait(MINUTE)
    expect(subjects()).toEqual(['News about your posts: 3 (Test)'])
    const body = server.mails[0]!.text
    const by = `Person ${approver.id}`
    expect(body).toContain(`${by} mentioned you in the discussion of the post "Bread at eight":\n\n  > Look, please\n`)
    expect(body).toContain(`${by} wrote in the discussion of the post "Bread at eight":\n\n  > Done\n`)
    expect(body).toContain('Your post "Bread at eight" was approved by the operator of the server. It')
  })

  test('is not mailed to a person who has left', async () => {
    await returned(await write())
    const admin = await member('ADMIN')
    await admin.call(200, 'DELETE', at(`/members/${writer.id}`))
    await wait(MINUTE)
    expect(server.mails).toEqual([])
  })
})

test('an email is delayed but not lost while the mail server is unavailable', async () => {
  const id = await write()
  await server.close()
  await returned(id)
  await wait(MINUTE)
  server = await startMailServer({}, Number(new URL(server.url).port))
  await wait(10 * MINUTE)
  expect(subjects()).toEqual(['Your post was returned (Test)'])
})
