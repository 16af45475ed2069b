import { pino } from 'pino'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, send, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { insertPost, publishable } from '../../../test/posts.js'

let app: TestApp
let tenant: Tenant
let channel: string
let maker: Member
let post: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  channel = await tenant.channel([await tenant.workspace('STANDARD')], 'FB_PAGE', 'Mercado')
  maker = await person()
  post = await waiting()
})

const person = (mayApprove = true, role: 'VIEWER' | 'EDITOR' | 'ADMIN' = 'VIEWER'): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role, mayApprove })
const waiting = (): Promise<string> =>
  insertPost(tenant, {
    ...publishable(channel),
    status: 'WAITING_FOR_APPROVAL',
    notes: 'said inside',
    scheduledFor: new Date('2026-12-01T09:00:00Z'),
    channels: [{ channelId: channel, caption: 'Bread at eight' }],
  })
const path = (rest = '', id = post): string => `/organizations/${tenant.organizationId}/scheduled-posts/${id}${rest}`
const makeLink = async (body: object = {}, by = maker): Promise<{ id: string; token: string; path: string }> =>
  (await by.call(201, 'POST', path('/review-links'), { body: { name: 'Anna of the agency', ...body } })).body
const outside = (
  status: number,
  method: 'GET' | 'POST',
  rest: string,
  token: string,
  { body, etag, on = app }: { body?: unknown; etag?: string; on?: TestApp } = {},
): Promise<Reply> =>
  send(on.app, status, method, `/api/review${rest}`, {
    body,
    headers: { authorization: `Bearer ${token}`, ...(etag === undefined ? {} : { 'if-match': etag }) },
  })
const read = async (token: string): Promise<string> => String((await outside(200, 'GET', '/post', token)).headers.etag)
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const statusOf = async (id = post): Promise<string> => (await maker.call(200, 'GET', path('', id))).body.status
const historyOf = async (id = post): Promise<Reply['body']> =>
  (await maker.call(200, 'GET', path('/history', id))).body.items

describe('a link to a post', () => {
  test('shows it as the channels will, and nothing that is said inside', async () => {
    const { token, path: link, id } = await makeLink()
    expect(link).toBe(`/review#link=${token}`)
    expect(token).toMatch(/^[\w-]{43}$/)
    const { body } = await outside(200, 'GET', '/post', token)
    expect(body).toMatchObject({
      name: 'Anna of the agency',
      madeBy: `Person ${maker.id}`,
      organizationName: 'Test',
      timeZone: 'UTC',
      expiresAt: '2026-11-27T09:00:00.000Z',
      scheduledFor: '2026-12-01T09:00:00.000Z',
      channels: [{ caption: 'Bread at eight', mediumType: 'FB_PAGE', mediumName: 'Mercado' }],
    })
    const text = JSON.stringify(body)
    for (const inside of ['said inside', post, tenant.organizationId, channel, id]) expect(text).not.toContain(inside)
  })

  test('is sent once to a page that asks again and again, until it changes', async () => {
    const { token } = await makeLink()
    const etag = await read(token)
    const again = () =>
      app.app.inject({
        url: '/api/review/post',
        headers: { authorization: `Bearer ${token}`, 'if-none-match': etag },
      })
    expect(await again()).toMatchObject({ statusCode: 304, body: '', headers: { etag } })
    await tenant.call(200, 'PATCH', `/scheduled-posts/${post}`, { body: { notes: 'Another' } })
    const changed = await again()
    expect(changed.statusCode).toBe(200)
    expect(changed.headers.etag).not.toBe(etag)
  })

  test('approves the version that was seen, under the name and by whose link', async () => {
    const { id, token } = await makeLink()
    expect(codeOf(await outside(428, 'POST', '/approve', token))).toBe('precondition_required')
    const seen = await read(token)
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { name: 'Test' } })
    await tenant.call(200, 'PATCH', `/scheduled-posts/${post}`, { body: { notes: 'Another' } })
    expect(codeOf(await outside(412, 'POST', '/approve', token, { etag: seen }))).toBe('post_changed')
    await outside(200, 'POST', '/approve', token, { etag: await read(token) })
    expect(await statusOf()).toBe('SCHEDULED')
    expect((await historyOf()).at(-1)).toMatchObject({
      actor: `outsider:${id}`,
      action: 'approved',
      detail: { outsider: { name: 'Anna of the agency', linkOf: `user:${maker.id}` } },
    })
    const { body } = await operatorCall(app, 200, 'GET', `/organizations/${tenant.organizationId}/audit?limit=1`)
    expect(body.items[0]).toMatchObject({
      actor: { type: 'outsider', id, name: 'Anna of the agency' },
      operation: 'approveByLink',
    })
    expect(codeOf(await outside(401, 'GET', '/post', token))).toBe('link_token_wrong')
  })

  test('returns it with notes', async () => {
    const { id, token } = await makeLink()
    const etag = await read(token)
    const body = { notes: 'The price is wrong.' }
    await outside(428, 'POST', '/return', token, { body })
    await outside(422, 'POST', '/return', token, { body: { notes: ' ' }, etag })
    await outside(200, 'POST', '/return', token, { body, etag })
    expect((await maker.call(200, 'GET', path())).body).toMatchObject({ status: 'REJECTED' })
    expect((await tenant.get(200, `/scheduled-posts/${post}`)).body.notes).toBe(body.notes)
    expect((await historyOf()).at(-1)).toMatchObject({
      actor: `outsider:${id}`,
      action: 'rejected',
      detail: { notes: body.notes, outsider: { name: 'Anna of the agency' } },
    })
  })

  test('is for one post, whatever is asked with it', async () => {
    const { token } = await makeLink()
    const authorization = `Bearer ${token}`
    for (const url of [
      `/api${path()}`,
      `/v1/scheduled-posts/${post}`,
      `/api${path()}`,
      `/api/review/scheduled-posts/${post}`,
    ]) {
      const { statusCode } = await app.app.inject({ url, headers: { authorization, 'x-api-version': '1' } })
      expect([401, 403, 404], url).toContain(statusCode)
    }
    // Nor does a session, or the token of an invitation, count for a link.
    await send(app.app, 401, 'GET', '/api/review/post', { headers: { cookie: maker.cookie } })
    await outside(401, 'GET', '/post', 'A'.repeat(43))
    await outside(401, 'GET', '/post', '')
  })

  test('ends at its time, and when it is revoked', async () => {
    const [short, revoked, other] = [
      await makeLink({ expiresAt: new Date(app.clock.now() + 1_000).toISOString() }),
      await makeLink(),
      await makeLink({ name: 'Zoë' }),
    ]
    const names = async () =>
      (await maker.call(200, 'GET', path('/review-links'))).body.map(({ name }: { name: string }) => name).toSorted()
    expect(await names()).toEqual(['Anna of the agency', 'Anna of the agency', 'Zoë'])
    app.clock.advance(1_000)
    await outside(401, 'GET', '/post', short.token)
    const viewer = await person(false)
    await viewer.call(403, 'DELETE', path(`/review-links/${revoked.id}`))
    await (await person(false, 'ADMIN')).call(200, 'DELETE', path(`/review-links/${revoked.id}`))
    await maker.call(404, 'DELETE', path(`/review-links/${revoked.id}`))
    await outside(401, 'GET', '/post', revoked.token)
    await outside(200, 'GET', '/post', other.token)
    expect(await names()).toEqual(['Zoë'])
    expect(
      codeOf(
        await maker.call(400, 'POST', path('/review-links'), {
          body: { name: 'A', expiresAt: '2026-11-01T00:00:00Z' },
        }),
      ),
    ).toBe('expiry_past')
  })

  test('ends with what it is about: decided, changed back, or deleted', async () => {
    const links = [await makeLink(), await makeLink({ name: 'Zoë' })]
    const { headers } = await maker.call(200, 'GET', path())
    await maker.call(200, 'POST', path('/approve'), { headers: { 'if-match': String(headers.etag) } })
    for (const { token } of links) await outside(401, 'GET', '/post', token)
    // Another round is another link.
    await tenant.call(200, 'POST', `/scheduled-posts/${post}/revert`)
    await tenant.call(200, 'POST', `/scheduled-posts/${post}/submit-for-approval`)
    for (const { token } of links) await outside(401, 'GET', '/post', token)
    const again = await makeLink()
    await outside(200, 'GET', '/post', again.token)
    await tenant.call(200, 'DELETE', `/scheduled-posts/${post}`)
    await outside(401, 'GET', '/post', again.token)
  })

  test('ends for good with the right of its maker, also between reading and deciding', async () => {
    const { token } = await makeLink()
    let etag = await read(token)
    const change = (body: object) =>
      operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}/members/${maker.id}`, { body })
    await change({ mayApprove: false })
    await outside(401, 'GET', '/post', token)
    await outside(401, 'POST', '/approve', token, { etag })
    await change({ mayApprove: true })
    await outside(401, 'GET', '/post', token)
    const second = await makeLink()
    etag = await read(second.token)
    await operatorCall(app, 200, 'PATCH', `/server/people/${maker.id}`, { body: { active: false } })
    await outside(401, 'GET', '/post', second.token)
    await operatorCall(app, 200, 'PATCH', `/server/people/${maker.id}`, { body: { active: true } })
    await outside(401, 'GET', '/post', second.token)
    await maker.signInAgain()
    const third = await makeLink()
    etag = await read(third.token)
    await operatorCall(app, 200, 'DELETE', `/organizations/${tenant.organizationId}/members/${maker.id}`)
    await outside(401, 'POST', '/approve', third.token, { etag })
    expect((await tenant.call(200, 'GET', `/scheduled-posts/${post}`)).body.status).toBe('WAITING_FOR_APPROVAL')
  })

  test('of an inactive organization is refused', async () => {
    const { token } = await makeLink()
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { active: false } })
    expect(codeOf(await outside(402, 'GET', '/post', token))).toBe('organization_inactive')
  })

  test('of two decisions at the same instant one holds', async () => {
    const [one, two] = [await makeLink(), await makeLink()]
    const etag = await read(one.token)
    const answers = await Promise.all(
      [one, two, one].map(({ token }) =>
        app.app.inject({
          method: 'POST',
          url: '/api/review/approve',
          headers: { authorization: `Bearer ${token}`, 'if-match': etag },
        }),
      ),
    )
    const statuses = answers.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    for (const status of statuses) expect([200, 400, 401, 412]).toContain(status)
    expect((await historyOf()).filter(({ action }: { action: string }) => action === 'approved')).toHaveLength(1)
  })

  test('revoked while it decides: either the one or the other', async () => {
    for (let round = 0; round < 5; round += 1) {
      post = await waiting()
      const { id, token } = await makeLink()
      const etag = await read(token)
      const [approved, revoked] = await Promise.all([
        app.app.inject({
          method: 'POST',
          url: '/api/review/approve',
          headers: { authorization: `Bearer ${token}`, 'if-match': etag },
        }),
        app.app.inject({
          method: 'DELETE',
          url: `/api${path(`/review-links/${id}`)}`,
          headers: { cookie: maker.cookie, 'sec-fetch-site': 'same-origin' },
        }),
      ])
      const isApproved = (await statusOf()) === 'SCHEDULED'
      expect([approved.statusCode === 200, revoked.statusCode === 200]).toEqual([isApproved, !isApproved])
    }
  })

  test('a wrong token waits like other wrong credentials, and a right one goes on', async () => {
    const limited = await startTestApp({ limits: { failedAttemptsPerMinute: 3 } })
    const { token } = await makeLink()
    await outside(200, 'GET', '/post', token, { on: limited })
    for (let tries = 0; tries < 3; tries += 1) await outside(401, 'GET', '/post', 'A'.repeat(43), { on: limited })
    expect(codeOf(await outside(429, 'GET', '/post', 'A'.repeat(43), { on: limited }))).toBe('too_many_failures')
    await outside(200, 'GET', '/post', token, { on: limited })
  })

  test('its token is in no log, table, trail or list', async () => {
    const lines: string[] = []
    const loud = await startTestApp({}, pino({ level: 'debug' }, { write: (line: string) => lines.push(line) }))
    const { token, id } = (await maker.on(loud).call(201, 'POST', path('/review-links'), { body: { name: 'Anna' } }))
      .body
    const { headers } = await outside(200, 'GET', '/post', token, { on: loud })
    const listed = await maker.call(200, 'GET', path('/review-links'))
    await outside(401, 'GET', '/post', `${token}x`, { on: loud })
    await outside(200, 'POST', '/return', token, { on: loud, etag: String(headers.etag), body: { notes: 'No' } })
    const { database } = loud.context
    const rows = await Promise.all(
      ['audit_trail', 'review_links'].map(
        async (table) => (await database.query(`select t::text from ${table} t`)).rows,
      ),
    )
    const written = JSON.stringify([lines, listed, rows])
    expect(written).toContain(id)
    expect(written).not.toContain(token)
  })
})

describe('making a link', () => {
  test('takes the right to approve, and a post that waits', async () => {
    const editor = await person(false, 'EDITOR')
    const body = { name: 'Anna' }
    expect(codeOf(await editor.call(403, 'POST', path('/review-links'), { body }))).toBe('permission_missing')
    const draft = await insertPost(tenant, { status: 'DRAFT' })
    expect(codeOf(await maker.call(400, 'POST', path('/review-links', draft), { body }))).toBe('wrong_state')
    await maker.call(404, 'POST', path('/review-links', 'post_unknown'), { body })
    await maker.call(422, 'POST', path('/review-links'), { body: { name: ' ' } })
    await maker.call(422, 'POST', path('/review-links'), { body: {} })
    const stranger = await Tenant.create(app)
    const foreign = await Member.create(app, {
      organizationId: stranger.organizationId,
      role: 'ADMIN',
      mayApprove: true,
    })
    await foreign.call(404, 'POST', path('/review-links'), { body })
    await foreign.call(404, 'POST', `/organizations/${stranger.organizationId}/scheduled-posts/${post}/review-links`, {
      body,
    })
  })

  test('there are twenty at most', async () => {
    for (let made = 0; made < 20; made += 1) await makeLink()
    const full = await maker.call(409, 'POST', path('/review-links'), { body: { name: 'Anna' } })
    expect(codeOf(full)).toBe('review_links_full')
    expect((await maker.call(200, 'GET', path('/review-links'))).body).toHaveLength(20)
  })

  test('under four eyes takes another than the one who wrote the post, then as when the link is used', async () => {
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { fourEyes: true } })
    const writer = await person(true, 'EDITOR')
    const content = {
      status: 'WAITING_FOR_APPROVAL',
      scheduledFor: '2026-12-01T09:00:00Z',
      media: publishable(channel).media,
      channels: { [channel]: { caption: 'Hello' } },
    }
    post = (
      await writer.call(201, 'POST', `/organizations/${tenant.organizationId}/scheduled-posts`, { body: content })
    ).body.id
    const own = await writer.call(403, 'POST', path('/review-links'), { body: { name: 'Myself' } })
    expect(codeOf(own)).toBe('own_post')
    const second = await person(true, 'EDITOR')
    const { token } = await makeLink({}, second)
    await second.call(200, 'PATCH', path(), { body: { channels: { [channel]: { caption: 'Hello there' } } } })
    const etag = await read(token)
    expect(codeOf(await outside(403, 'POST', '/approve', token, { etag }))).toBe('own_post')
    const { token: third } = await makeLink()
    await outside(200, 'POST', '/approve', third, { etag })
  })
})
