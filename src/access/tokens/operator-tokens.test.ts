import { pino } from 'pino'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  OPERATOR_TOKEN,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../../test/harness.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { newId } from '../../lib/ids.js'

let app: TestApp
let other: TestApp
const lines: string[] = []
beforeAll(async () => {
  app = await startTestApp({}, pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }))
  // Another node on the same database.
  other = await startTestApp()
})
let name: string
beforeEach(() => {
  app.clock.set('2026-11-20T09:00:00Z')
  other.clock.set('2026-11-20T09:00:00Z')
  name = newId('anna').replace('_', '-')
  lines.length = 0
})

const issue = async (body: object = { name }): Promise<{ token: string; name: string }> =>
  (await operatorCall(app, 201, 'POST', '/server/operator-tokens', { body })).body
const callWith = (status: number, token: string, on = app, path = '/organizations'): Promise<Reply> =>
  send(on.app, status, 'GET', `/api${path}`, { headers: { authorization: `Bearer ${token}` } })
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const listed = async () =>
  (await operatorCall(app, 200, 'GET', '/server/operator-tokens')).body.find(
    (row: { name: string }) => row.name === name,
  )

describe('an operator token', () => {
  test('has the rights of the one in the environment, is shown once, and only its digest is stored', async () => {
    const { token, ...shown } = await issue({ name, expiresAt: '2026-12-01T00:00:00Z' })
    expect(token).toMatch(/^greenroom_operator_[0-9a-f]{64}$/)
    expect(shown).toEqual({
      name,
      createdAt: '2026-11-20T09:00:00.000Z',
      createdBy: { type: 'operator' },
      expiresAt: '2026-12-01T00:00:00.000Z',
    })
    await callWith(200, token)
    await callWith(200, token, other)
    expect(await listed()).toEqual(shown)
    const { rows } = await app.context.database.query('select * from operator_tokens where name = $1', [name])
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token.slice('greenroom_operator_'.length))
  })

  test('is refused on every node once it is revoked, even by its own call, while the others keep working', async () => {
    const { token } = await issue()
    const { token: second } = await issue({ name: `${name}-2` })
    for (const on of [app, other]) await callWith(200, token, on)
    const revoked = await send(app.app, 200, 'DELETE', `/api/server/operator-tokens/${name}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(revoked.body).toMatchObject({ name, revokedAt: '2026-11-20T09:00:00.000Z' })
    for (const on of [other, app]) {
      expect(codeOf(await callWith(401, token, on))).toBe('operator_token_wrong')
      await callWith(200, second, on)
      await callWith(200, OPERATOR_TOKEN, on)
    }
    app.clock.advance(5_000)
    const again = await operatorCall(app, 200, 'DELETE', `/server/operator-tokens/${name}`)
    expect(again.body).toEqual(revoked.body)
    expect(await listed()).toEqual(revoked.body)
  })

  test('expires at the exact instant, and works again if the clock is corrected', async () => {
    const { token } = await issue({ name, expiresAt: '2026-11-20T10:00:00Z' })
    app.clock.set('2026-11-20T09:59:59.999Z')
    await callWith(200, token)
    app.clock.set('2026-11-20T10:00:00Z')
    const expired = await callWith(401, token)
    expect(expired.body).toEqual((await callWith(401, `greenroom_operator_${'0'.repeat(64)}`)).body)
    app.clock.set('2026-11-20T09:00:00Z')
    await callWith(200, token)
  })

  test('identifies its holder in the audit trail, in the history and approval of a post, and in the log', async () => {
    const { token } = await issue()
    const tenant = await Tenant.create(app)
    const headers = { authorization: `Bearer ${token}` }
    const path = `/api/organizations/${tenant.organizationId}`
    const { body: key } = await send(app.app, 201, 'POST', `${path}/keys`, { headers })
    expect(key.createdBy).toEqual({ type: 'operator', id: name })
    const id = await insertPost(tenant, { status: 'WAITING_FOR_APPROVAL', ...publishable(await tenant.channel()) })
    const { headers: seen } = await send(app.app, 200, 'GET', `${path}/scheduled-posts/${id}`, { headers })
    await send(app.app, 200, 'POST', `${path}/scheduled-posts/${id}/approve`, {
      headers: { ...headers, 'if-match': String(seen.etag) },
    })
    const { body: audit } = await send(app.app, 200, 'GET', `${path}/audit`, { headers })
    for (const operation of ['issueKey', 'approveScheduledPost']) {
      const entry = audit.items.find((item: { operation: string }) => item.operation === operation)
      expect(entry.actor).toEqual({ type: 'operator', id: name })
    }
    const { items: history } = (await send(app.app, 200, 'GET', `${path}/scheduled-posts/${id}/history`, { headers }))
      .body
    expect(history.at(-1)).toMatchObject({ action: 'approved', actor: `operator:${name}` })
    expect(lines.filter((line) => line.includes(`"operator":"${name}"`)).length).toBeGreaterThan(2)
    const { body: server } = await operatorCall(app, 200, 'GET', '/organizations/server/audit')
    expect(server.items[0]).toMatchObject({
      actor: { type: 'operator' },
      operation: 'issueOperatorToken',
      target: { type: 'operatorToken', id: name },
    })
  })

  test('has a name that fits into a path and cannot be used again, even after its revocation', async () => {
    await issue()
    expect(codeOf(await operatorCall(app, 409, 'POST', '/server/operator-tokens', { body: { name } }))).toBe(
      'already_exists',
    )
    await operatorCall(app, 200, 'DELETE', `/server/operator-tokens/${name}`)
    await operatorCall(app, 409, 'POST', '/server/operator-tokens', { body: { name } })
    for (const wrong of ['', 'a b', '-a', 'a/b', 'é', 'x'.repeat(65), '../a', 5]) {
      await operatorCall(app, 422, 'POST', '/server/operator-tokens', { body: { name: wrong } })
    }
    await operatorCall(app, 422, 'POST', '/server/operator-tokens', { body: {} })
    const past = { name: `${name}-past`, expiresAt: '2026-11-20T09:00:00Z' }
    expect(codeOf(await operatorCall(app, 400, 'POST', '/server/operator-tokens', { body: past }))).toBe('expiry_past')
    expect(codeOf(await operatorCall(app, 404, 'DELETE', '/server/operator-tokens/none'))).toBe(
      'operator_token_not_found',
    )
  })

  test('is issued once if two requests use the same name at once', async () => {
    const replies = await Promise.all(
      [app, other].map((on) =>
        on.app.inject({
          method: 'POST',
          url: '/api/server/operator-tokens',
          headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
          payload: { name },
        }),
      ),
    )
    expect(replies.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 409])
  })

  test('is in no log line, error or audit entry, and neither is the secret of a key', async () => {
    const { token } = await issue()
    const tenant = await Tenant.create(app)
    const path = `/organizations/${tenant.organizationId}`
    const { body: key } = await operatorCall(app, 201, 'POST', `${path}/keys`, { body: { name: 'Warehouse' } })
    const replies: string[] = []
    const note = ({ body, headers }: Reply): void => void replies.push(JSON.stringify([body, headers]))
    note(await callWith(200, token, app, `${path}/keys`))
    note(await callWith(401, `${token}x`))
    note(await tenant.withKey(key).get(200, '/workspaces'))
    note(await tenant.withKey({ ...key, secret: `${key.secret}x` }).get(403, '/workspaces'))
    note(await tenant.get(403, '/workspaces', { headers: { 'x-api-key': key.secret } }))
    note(await operatorCall(app, 422, 'POST', '/server/operator-tokens', { body: { name: token } }))
    await operatorCall(app, 200, 'DELETE', `/server/operator-tokens/${name}`)
    note(await callWith(401, token))
    note(await operatorCall(app, 200, 'GET', `${path}/audit`))
    note(await operatorCall(app, 200, 'GET', '/organizations/server/audit'))
    note(await operatorCall(app, 200, 'GET', '/server/operator-tokens'))
    const written = [...lines, ...replies].join('\n')
    expect(lines.length).toBeGreaterThan(8)
    // A token that a caller put in the wrong place is echoed only to that caller.
    const echoed = replies[5]!
    for (const secret of [token, key.secret, OPERATOR_TOKEN]) {
      expect(written.replace(echoed, '')).not.toContain(secret.slice(secret.lastIndexOf('_') + 1))
    }
    expect(lines.join('')).not.toContain(token.slice(-64))
  })
})
