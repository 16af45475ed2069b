import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { Sender } from '../../test/inbox.js'
import { code } from '../../test/people.js'
import type { AuditEntry, OptOut } from '../interface/generated/types.js'
import { insertOptOuts } from './opt-outs.store.js'

let app: TestApp
let tenant: Tenant
let channelId: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  channelId = await tenant.channel()
})

type Method = 'GET' | 'PUT' | 'DELETE'

const operator = (status: number, method: Method, path: string): Promise<Reply> =>
  operatorCall(app, status, method, `/organizations/${tenant.organizationId}${path}`)
const optOuts = (status: number, method: Method, rest = '', channel = channelId) =>
  operator(status, method, `/channels/${channel}/opt-outs${rest}`)
const listed = async (channel = channelId): Promise<OptOut[]> => (await optOuts(200, 'GET', '', channel)).body.items
const now = () => new Date(app.clock.now()).toISOString()

describe('the list of a channel', () => {
  test('has the people who were added by hand, until they are removed', async () => {
    expect(await listed()).toEqual([])
    expect((await optOuts(200, 'PUT', '/77')).body).toEqual({ channelId, fromId: '77' })
    const first = [{ fromId: '77', at: now(), source: 'hand' }]
    expect(await listed()).toEqual(first)
    app.clock.advance(60_000)
    // A repeat changes nothing.
    await optOuts(200, 'PUT', '/77')
    expect(await listed()).toEqual(first)
    for (let time = 0; time < 2; time++) {
      expect((await optOuts(200, 'DELETE', '/77')).body).toEqual({ channelId, fromId: '77' })
      expect(await listed()).toEqual([])
    }
  })

  test('belongs only to the channel and the organization', async () => {
    const other = await tenant.channel()
    await optOuts(200, 'PUT', '/77')
    expect(await listed(other)).toEqual([])
    await optOuts(200, 'DELETE', '/77', other)
    expect(await listed()).toHaveLength(1)
    const stranger = await Tenant.create(app)
    const path = `/organizations/${stranger.organizationId}/channels/${channelId}/opt-outs`
    for (const [method, rest] of [
      ['GET', ''],
      ['PUT', '/77'],
      ['DELETE', '/77'],
    ] as const) {
      expect(code(await operatorCall(app, 404, method, `${path}${rest}`))).toBe('channel_not_found')
    }
    expect(await listed()).toHaveLength(1)
  })

  test('of a deleted or unknown channel does not exist', async () => {
    await operatorCall(app, 200, 'DELETE', `/organizations/${tenant.organizationId}/channels/${channelId}`)
    for (const channel of [channelId, 'FB_PAGE_1']) {
      expect(code(await optOuts(404, 'GET', '', channel))).toBe('channel_not_found')
      expect(code(await optOuts(404, 'PUT', '/77', channel))).toBe('channel_not_found')
      expect(code(await optOuts(404, 'DELETE', '/77', channel))).toBe('channel_not_found')
    }
  })

  test('is read page by page, each person once, by id', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `p${String(index).padStart(2, '0')}`)
    const rows = ids.map((personId) => ({ channelId, personId, source: 'comment' as const }))
    await insertOptOuts(app.context.database, tenant.organizationId, rows.toReversed(), new Date(app.clock.now()))
    const found: OptOut[] = []
    for (let after = ''; ; ) {
      const { body } = await optOuts(200, 'GET', `?limit=10${after}`)
      found.push(...body.items)
      if (body.nextCursor === null) break
      after = `&after=${encodeURIComponent(body.nextCursor)}`
    }
    expect(found).toEqual(ids.map((fromId) => ({ fromId, at: now(), source: 'comment' })))
    const { body } = await optOuts(200, 'GET', '?limit=1')
    const other = await tenant.channel()
    await optOuts(422, 'GET', `?after=${encodeURIComponent(body.nextCursor)}`, other)
  })

  test('accepts ids as the platform writes them, and none that are too long', async () => {
    const odd = 'a/ü ?#%'
    await optOuts(200, 'PUT', `/${encodeURIComponent(odd)}`)
    expect(await listed()).toMatchObject([{ fromId: odd }])
    await optOuts(422, 'PUT', `/${'1'.repeat(201)}`)
  })
})

test('a person who messages STOP to the page is added, but not with more text, and not the page itself', async () => {
  const sender = await Sender.create(app, 'META', { tenant })
  const pageId = channelId.slice('FB_PAGE_'.length)
  const message = (person: string, text: string, isEcho = false) => ({
    sender: { id: isEcho ? pageId : person },
    recipient: { id: isEcho ? person : pageId },
    timestamp: app.clock.now(),
    message: { mid: `m${person}`, text, ...(isEcho && { is_echo: true }) },
  })
  const messaging = [message('1', 'Stop!'), message('2', 'do not stop'), message('3', 'STOP', true)]
  await sender.send({ object: 'page', entry: [{ id: pageId, time: app.clock.now(), messaging }] })
  await sender.apply()
  expect(await listed()).toEqual([{ fromId: '1', at: now(), source: 'message' }])
})

describe('permissions', () => {
  test('an ADMIN and the operator manage the list, an EDITOR does not see it, and a key has no such operation', async () => {
    const { organizationId } = tenant
    const path = `/organizations/${organizationId}/channels/${channelId}/opt-outs`
    const admin = await Member.create(app, { organizationId, role: 'ADMIN' })
    const editor = await Member.create(app, { organizationId, role: 'EDITOR' })
    await admin.call(200, 'PUT', `${path}/77`)
    expect((await admin.call(200, 'GET', path)).body.items).toHaveLength(1)
    for (const [method, rest] of [
      ['GET', ''],
      ['PUT', '/78'],
      ['DELETE', '/77'],
    ] as const) {
      const refused = await editor.call(403, method, `${path}${rest}`)
      expect(code(refused)).toBe('permission_missing')
      expect(refused.body.message).toContain('automation:manage')
      await tenant.call(404, method, `/channels/${channelId}/opt-outs${rest}`)
    }
    expect(await listed()).toMatchObject([{ fromId: '77' }])
  })

  test('the trail shows who changed it', async () => {
    const { organizationId } = tenant
    const admin = await Member.create(app, { organizationId, role: 'ADMIN' })
    await admin.call(200, 'PUT', `/organizations/${organizationId}/channels/${channelId}/opt-outs/77`)
    await optOuts(200, 'DELETE', '/77')
    const { body } = await operator(200, 'GET', '/audit')
    expect(
      (body.items as AuditEntry[]).map(({ operation, actor, target }) => [operation, actor, target]),
    ).toMatchObject([
      ['removeOptOut', { type: 'operator' }, { type: 'channel', id: channelId }],
      ['addOptOut', { type: 'user', id: admin.id }, { type: 'channel', id: channelId }],
    ])
  })
})
