import { pino } from 'pino'
import { expect, test } from 'vitest'
import { TABLE_ENTRIES } from '../src/database/tables.js'
import {
  FROM_OWN_PAGE,
  Member,
  OPERATOR_TOKEN,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  Tenant,
  toCookie,
} from './harness.js'
import { addPasskey, addTotp, signInHalf, totpCode } from './second-factors.js'
import { openOwnDatabase } from './test-database.js'

/** Tables of secrets that this run leaves empty. */
const UNUSED: Record<string, string> = {
  finished_visits: 'there is no identity provider',
  mails: 'there is no mail server',
  review_links: 'there is no post',
}

test('the log, refusals, audit trail and tables contain no secret of the run', async () => {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  // The test has its own database, because it reads all rows and others leave theirs in the shared one.
  const own = await openOwnDatabase()
  const app = await startTestApp({}, log, own)
  const { database } = app.context
  const tenant = await Tenant.create(app)
  const { organizationId } = tenant
  const secrets: string[] = [OPERATOR_TOKEN, tenant.key.secret, Member.PASSWORD]
  const refusals: unknown[] = []
  const operator = async (
    status: number,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ) => {
    const reply = await operatorCall(app, status, method, path, { body })
    if (status >= 400) refusals.push(reply)
    return reply.body
  }
  const console_ = async (
    status: number,
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
    cookie = '',
  ) => {
    const headers = { ...FROM_OWN_PAGE, cookie }
    const reply: Reply = await send(app.app, status, method, `/api${path}`, { body, headers })
    const set = reply.headers['set-cookie']
    const token = set === undefined ? '' : toCookie(set).split('=')[1]!
    if (token !== '') secrets.push(token)
    if (status >= 400) refusals.push(reply)
    return reply
  }

  const key = await operator(201, 'POST', `/organizations/${organizationId}/keys`)
  const token = await operator(201, 'POST', '/server/operator-tokens', { name: 'secrets-of-a-run' })
  const page = {
    type: 'FB_PAGE',
    platformId: '770077',
    name: 'Page',
    accessToken: 'EAAB-page-of-the-run',
    check: false,
  }
  await operator(201, 'POST', `/organizations/${organizationId}/channels`, page)
  await operator(422, 'POST', `/organizations/${organizationId}/channels`, { ...page, accessToken: ['EAAB-in-a-list'] })
  const account = {
    id: '77',
    name: 'Ads',
    currency: 'EUR',
    timezone: 'UTC',
    accessToken: 'EAAB-account-of-the-run',
    check: false,
  }
  await operator(201, 'POST', `/organizations/${organizationId}/ad-accounts`, account)
  secrets.push(key.secret, token.token, page.accessToken, account.accessToken)

  const hook = 'https://example.com/hook?token=that-of-the-receiver'
  const webhook = await operator(201, 'POST', `/organizations/${organizationId}/webhooks`, { url: hook })
  const rotated = await operator(201, 'POST', `/organizations/${organizationId}/webhooks/${webhook.id}/secret`)
  await operator(400, 'POST', `/organizations/${organizationId}/webhooks`, {
    url: 'https://u:pass-of-a-hook@example.com/',
  })
  secrets.push(webhook.secret, rotated.secret, 'pass-of-a-hook')

  const sources = `/organizations/${organizationId}/sources`
  const app_ = await operator(201, 'POST', sources, { type: 'EVENTS', name: 'App' })
  const shop = { type: 'SHOPIFY', name: 'Shop', secret: 'secret-of-the-shop' }
  await operator(201, 'POST', sources, shop)
  const inbox = await operator(201, 'POST', sources, { ...shop, type: 'META', instagramSecret: 'secret-of-instagram' })
  await operator(422, 'POST', sources, { ...shop, secret: ['secret-in-a-list'] })
  const again = await operator(201, 'POST', `${sources}/${app_.id}/rotate-secret`, {})
  const wrong = { authorization: `Basic ${Buffer.from(`${again.writeKey}x:`).toString('base64')}` }
  refusals.push(await send(app.app, 401, 'POST', '/ingest/v1/batch', { headers: wrong, body: { batch: [] } }))
  secrets.push(app_.writeKey, again.writeKey, shop.secret, inbox.verifyToken, 'secret-of-instagram', 'secret-in-a-list')

  const invitation = { mail: 'secrets@example.com', role: 'ADMIN' }
  const invited = await operator(201, 'POST', `/organizations/${organizationId}/invitations`, invitation)
  const unused = await operator(201, 'POST', `/organizations/${organizationId}/invitations`, {
    ...invitation,
    mail: 'unused@example.com',
  })
  const owner = await operator(201, 'POST', '/server/owner-invitation')
  const [password, other] = ['words of this one run', 'other words of this run']
  secrets.push(invited.token, unused.token, owner.token, password, other)
  await console_(400, 'POST', '/invitation/accept', { token: `${invited.token}x`, name: 'A', password })
  const accepted = await console_(200, 'POST', '/invitation/accept', { token: invited.token, name: 'A', password })
  const cookie = toCookie(accepted.headers['set-cookie'])
  await console_(400, 'POST', '/invitation/accept', { token: invited.token, name: 'A', password })
  await console_(401, 'POST', '/sign-in', { mail: invitation.mail, password: other })
  await console_(422, 'POST', '/sign-in', { mail: invitation.mail, password: [password] })
  await console_(422, 'PUT', '/me/password', { currentPassword: password, newPassword: 'short-one' }, cookie)
  const changed = await console_(200, 'PUT', '/me/password', { currentPassword: password, newPassword: other }, cookie)
  await console_(401, 'GET', '/me', undefined, cookie)
  const link = await operator(201, 'POST', `/server/people/${changed.body.person.id}/sign-in-link`)
  secrets.push(link.token)
  await console_(200, 'POST', '/sign-in/link', { token: link.token })
  const { headers } = await console_(200, 'POST', '/sign-in', { mail: invitation.mail, password: other })
  await console_(200, 'POST', '/sign-out', undefined, toCookie(headers['set-cookie']))
  const reader = await Member.create(app, { organizationId, role: 'VIEWER' })
  const feed = (await reader.call(201, 'POST', `/organizations/${organizationId}/own-calendar-feed`)).body
  await app.app.inject({ method: 'GET', url: feed.path })
  await app.app.inject({ method: 'GET', url: `${feed.path}x` })
  secrets.push(feed.token)

  const scopes = ['posts:read']
  const personal = (await reader.call(201, 'POST', '/me/tokens', { body: { name: 'A', scopes } })).body
  const program = (status: number, path: string, body: object) =>
    send(app.app, status, 'POST', `/api/sign-in/device${path}`, { body })
  const [allowed, waiting] = [
    (await program(201, '', { name: 'A' })).body,
    (await program(201, '', { name: 'B' })).body,
  ]
  const { userCode, deviceCode } = allowed
  await reader.call(200, 'POST', '/me/device-login/allow', { body: { userCode, scopes } })
  const fetched = (await program(201, '/token', { deviceCode })).body
  refusals.push(await program(400, '/token', { deviceCode: waiting.deviceCode }))
  refusals.push(await program(400, '/token', { deviceCode: `${waiting.deviceCode}x` }))
  refusals.push(await program(422, '/token', { deviceCode: [waiting.deviceCode] }))
  refusals.push(await reader.call(422, 'POST', '/me/device-login/read', { body: { userCode: [waiting.userCode] } }))
  refusals.push(await reader.call(400, 'POST', '/me/device-login/read', { body: { userCode: `${userCode}X` } }))
  const bearer = { authorization: `Bearer ${personal.token}` }
  await send(app.app, 200, 'GET', '/api/whoami', { headers: bearer })
  refusals.push(
    await send(app.app, 401, 'GET', '/api/whoami', { headers: { authorization: `Bearer ${personal.token}x` } }),
  )
  secrets.push(personal.token, fetched.token, deviceCode, userCode, waiting.deviceCode, waiting.userCode)

  const safe = await Member.create(app)
  const { secret: totpSecret, recoveryCodes } = await addTotp(safe)
  const { authenticator } = await addPasskey(safe)
  const half = await signInHalf(safe)
  const typed = { code: totpCode(app, totpSecret) }
  await half.call(200, 'POST', '/second-factor/totp', typed)
  refusals.push(await (await signInHalf(safe)).call(401, 'POST', '/second-factor/totp', typed))
  refusals.push(
    await (await signInHalf(safe)).call(422, 'POST', '/second-factor/recovery-code', { code: recoveryCodes }),
  )
  const begun = await safe.call(200, 'POST', '/me/confirmation/passkey/begin')
  const answer = authenticator.get(begun.body.options, { origin: 'https://evil.example' })
  refusals.push(await safe.call(401, 'POST', '/me/confirmation/passkey/finish', { body: { response: answer } }))
  secrets.push(totpSecret, ...recoveryCodes, answer.response.signature, half.cookie.split('=')[1]!)
  const stranger = { authorization: `Bearer ${token.token}x` }
  refusals.push(await send(app.app, 401, 'GET', '/api/organizations', { headers: stranger }))
  await tenant.call(403, 'GET', '/workspaces', { headers: { 'x-signature': key.secret } })
  await app.app.close()

  const rows = await Promise.all(
    TABLE_ENTRIES.map(async ([table]) => {
      const { rows } = await database.query<{ row: string }>(`select t::text as row from ${table} t`)
      return [table, rows] as const
    }),
  )
  // These tables contain a secret in some form: sealed, or as a hash.
  const { rows: hashed } = await database.query<{ name: string }>(
    `select distinct table_name as name from information_schema.columns
      where table_schema = 'public' and column_name ~ '(token|password|code|state)_hash$' order by name`,
  )
  const holding = [
    ...hashed.map(({ name }) => name),
    ...TABLE_ENTRIES.flatMap(([name, { sealed }]) => (sealed ? [name] : [])),
  ]
  const empty = rows.flatMap(([table, found]) => (found.length === 0 && holding.includes(table) ? [table] : []))
  expect(empty).toEqual(Object.keys(UNUSED))
  expect(lines.length).toBeGreaterThan(20)
  const written = JSON.stringify([lines, refusals, rows])
  expect(secrets.length).toBeGreaterThan(12)
  expect(secrets.filter((secret) => written.includes(secret))).toEqual([])
})
