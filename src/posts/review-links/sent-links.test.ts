import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Member, operatorCall, type Reply, Tenant, type TestApp } from '../../../test/harness.js'
import { startMailServer } from '../../../test/mail-server.js'
import { publishable } from '../../../test/posts.js'
import { Holder } from '../../../test/review-links.js'
import { takeApp, takeEmptyApp } from '../../../test/test-app.js'
import { createNotifier } from '../../news/notifier.js'

const REVIEWER = 'anna@agency.example'
const PUBLIC_URL = 'https://greenroom.example/app'
let app: TestApp
let tenant: Tenant
let channel: string
let writer: Member
let posts: string[]
let mails: Awaited<ReturnType<typeof startMailServer>>
beforeEach(async () => {
  mails = await startMailServer()
  onTestFinished(() => mails.close())
  const mail = { url: mails.url, from: 'Greenroom <greenroom@example.com>' }
  app = await takeEmptyApp({ mail, http: { publicUrl: PUBLIC_URL } })
  tenant = await Tenant.create(app)
  channel = await tenant.channel([await tenant.workspace('STANDARD')], 'FB_PAGE', 'Mercado')
  writer = await person('EDITOR')
  posts = [await writeOne('Bread'), await writeOne('Wine')]
  await operatorCall(app, 200, 'PATCH', at(''), { body: { reviewers: ['Anna@agency.example'] } })
})

const person = (role: 'VIEWER' | 'EDITOR' | 'ADMIN'): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role })
const at = (rest: string): string => `/organizations/${tenant.organizationId}${rest}`
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const writeOne = async (caption: string): Promise<string> => {
  const content = { media: publishable(channel).media, channels: { [channel]: { caption } } }
  const body = { ...content, status: 'WAITING_FOR_APPROVAL', scheduledFor: '2026-12-01T09:00:00Z' }
  return (await writer.call(201, 'POST', at('/scheduled-posts'), { body })).body.id
}
const sendLink = (status: number, body: object = {}, by = writer): Promise<Reply> =>
  by.call(status, 'POST', at('/review-links/send'), {
    body: { name: 'Anna', mail: REVIEWER, scheduledPostIds: posts, ...body },
  })
/** The reader of the last email. */
const received = async (): Promise<Holder> => {
  await createNotifier(app.context, { jitter: (ms) => ms }).tick()
  const { source, to } = mails.mails.at(-1)!
  expect(to).toEqual([REVIEWER])
  const text = source.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')
  return new Holder(app, new RegExp(`${PUBLIC_URL}/review#link=([\\w-]{43})`).exec(text)![1]!)
}

describe('a link that a writer sends', () => {
  test('goes to the reviewer by email, and is in no response, so its maker cannot use it', async () => {
    await operatorCall(app, 200, 'PATCH', at(''), { body: { fourEyes: true } })
    app.clock.advance(3_600_000)
    await writer.signInAgain()
    const { body } = await sendLink(201, { mail: 'ANNA@agency.example' })
    expect(Object.keys(body).toSorted()).toEqual(['createdAt', 'expiresAt', 'id', 'madeBy', 'mail', 'name'])
    expect(body.mail).toBe(REVIEWER)
    const anna = await received()
    const listed = (await writer.call(200, 'GET', at('/review-links'))).body
    expect(JSON.stringify([body, listed])).not.toContain(anna.token)
    const { rows } = await app.context.database.query(
      `select t::text from audit_trail t union all select t::text from review_links t union all select t::text from mails t`,
    )
    expect(JSON.stringify(rows)).not.toContain(anna.token)
    await anna.approve(1)
    await anna.giveBack(2)
    expect(await anna.states()).toEqual(['approved', 'returned'])
    const history = (await writer.call(200, 'GET', at(`/scheduled-posts/${posts[0]}/history`))).body.items
    expect(history.at(-1)).toMatchObject({
      actor: `outsider:${body.id}`,
      detail: { outsider: { name: 'Anna', linkOf: `user:${writer.id}` } },
    })
  })

  test("needs an address that an administrator has listed and that is not a member's, and the permission to write", async () => {
    expect(codeOf(await sendLink(400, { mail: 'writer@home.example' }))).toBe('reviewer_unknown')
    await operatorCall(app, 200, 'PATCH', at(''), { body: { reviewers: [REVIEWER, writer.mail] } })
    expect(codeOf(await sendLink(400, { mail: writer.mail }))).toBe('reviewer_unknown')
    expect(codeOf(await sendLink(403, {}, await person('VIEWER')))).toBe('permission_missing')
    await sendLink(422, { mail: 'nobody' })
    const { rows } = await app.context.database.query('select 1 from review_links where organization_id = $1', [
      tenant.organizationId,
    ])
    expect(rows).toEqual([])
    await writer.call(403, 'PATCH', at(''), { body: { reviewers: ['writer@home.example'] } })
  })

  test('is off at first, and on a server without email', async () => {
    await operatorCall(app, 200, 'PATCH', at(''), { body: { reviewers: [] } })
    expect(codeOf(await sendLink(400))).toBe('reviewer_unknown')
    const silent = await takeApp({}, { database: app.context.database })
    expect(codeOf(await sendLink(409, {}, writer.on(silent)))).toBe('mail_off')
  })

  test("ends at once when the address is no longer listed, becomes a member's, or its maker may not write", async () => {
    await sendLink(201)
    const anna = await received()
    await anna.call(200, 'GET', '/posts')
    await operatorCall(app, 200, 'PATCH', at(''), { body: { reviewers: [] } })
    await anna.call(401, 'GET', '/posts')
    await operatorCall(app, 200, 'PATCH', at(''), { body: { reviewers: [REVIEWER] } })
    const { etag } = await anna.post(1)
    await operatorCall(app, 200, 'PATCH', at(`/members/${writer.id}`), { body: { role: 'VIEWER' } })
    await anna.call(401, 'POST', '/posts/1/approve', { etag })
    await operatorCall(app, 200, 'PATCH', at(`/members/${writer.id}`), { body: { role: 'EDITOR' } })
    await anna.call(401, 'GET', '/posts')
    await writer.signInAgain()
    await sendLink(201)
    const second = await received()
    await second.call(200, 'GET', '/posts')
    await app.context.database.query('update people set mail = $2 where person_id = $1', [writer.id, REVIEWER])
    await second.call(401, 'GET', '/posts')
  })

  test('cannot approve posts of a writer who has listed the reviewer within the hour', async () => {
    const admin = await person('ADMIN')
    await admin.call(200, 'PATCH', at(''), { body: { reviewers: ['me@home.example', REVIEWER] } })
    writer = admin
    posts = [await writeOne('Own')]
    await sendLink(201)
    const anna = await received()
    expect(codeOf(await anna.approve(1, 403))).toBe('approval_too_new')
    app.clock.advance(3_600_000)
    await anna.approve(1)
  })

  test('can be revoked by its maker and by people who approve, not by another writer', async () => {
    const { body } = await sendLink(201)
    const anna = await received()
    const other = await person('EDITOR')
    expect(codeOf(await other.call(404, 'DELETE', at(`/review-links/${body.id}`)))).toBe('review_link_not_found')
    await anna.call(200, 'GET', '/posts')
    await writer.call(200, 'DELETE', at(`/review-links/${body.id}`))
    await anna.call(401, 'GET', '/posts')
  })
})
