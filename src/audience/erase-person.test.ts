import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  OPERATOR_TOKEN,
  operatorCall,
  signedHeaders,
  startTestApp,
  TEST_OPTIONS,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { createEmptyDatabase, openTestPostgres, TEST_DATABASE_URL } from '../../test/test-database.js'
import { buildApp } from '../app.js'
import { createContext } from '../context.js'
import type { AuditEntry, VipUser } from '../interface/generated/types.js'
import { upsertConversations } from './conversations.store.js'

/** One app makes the changes and the other reads the lists. On PostgreSQL they share only the database. */
let app: TestApp
let reader: TestApp
beforeAll(async () => {
  app = await startTestApp()
  if (TEST_DATABASE_URL === undefined) {
    reader = { ...app, app: await buildApp(app.context, TEST_OPTIONS) }
    return
  }
  const url = await createEmptyDatabase('greenroom_erasure_test')
  const start = async (): Promise<TestApp> => {
    const { config, log } = app.context
    const database = openTestPostgres(url, 4)
    const context = await createContext(config, { clock: app.clock, log, database })
    return { app: await buildApp(context, TEST_OPTIONS), context, clock: app.clock }
  }
  app = await start()
  reader = await start()
  return async () => {
    await app.context.database.close()
    await reader.context.database.close()
  }
})

let tenant: Tenant
let workspaceId: string
let channelId: string
let otherChannelId: string
/** An id that a path must escape, with more bytes than characters. */
const CUID = 'cu/🦊?é#1'
beforeEach(async () => {
  tenant = await Tenant.create(app)
  workspaceId = await tenant.workspace()
  channelId = await tenant.channel([workspaceId])
  otherChannelId = await tenant.channel([workspaceId], 'INSTAGRAM_ACCOUNT')
})

const line = (conversationId: string, cuid: string, rest: object = {}) => ({ conversationId, cuid, ...rest })
const importLines = (channel: string, lines: object[]) =>
  operatorCall(app, 200, 'POST', `${path(`/channels/${channel}/conversations`)}?workspaceId=${workspaceId}`, {
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.map((each) => JSON.stringify(each)).join('\n'),
  })
const path = (tail: string, of = tenant): string => `/organizations/${of.organizationId}${tail}`
const person = (cuid: string, of = tenant): string => path(`/people/${encodeURIComponent(cuid)}`, of)
const erase = async (status: number, cuid: string, of = tenant) =>
  (await operatorCall(app, status, 'DELETE', person(cuid, of))).body
const listPath = (channel: string, scope: string): string =>
  `/vip-users?workspaceId=${workspaceId}&mediumId=${channel}&scope=${scope}`
const listed = async (channel: string, scope = 'all'): Promise<string[]> =>
  (await tenant.on(reader).get(200, listPath(channel, scope))).body.items.map((row: VipUser) => row.conversationId)
const audit = async (): Promise<AuditEntry[]> =>
  (await operatorCall(app, 200, 'GET', path('/audit?limit=200'))).body.items

describe('erasePerson', () => {
  test('removes the person from every channel and list, on every node, and returns the counts', async () => {
    const fox = { userName: '🦊 Zoë', vip: true, lifetimeValue: 9 }
    await importLines(channelId, [line('c1', CUID, fox), line('c2', 'cu_2', { vip: true }), line('c3', CUID)])
    await importLines(otherChannelId, [line('i1', CUID, fox), line('i2', 'cu_2')])
    expect(await listed(channelId)).toEqual(['c1', 'c2', 'c3'])
    expect(await listed(otherChannelId)).toEqual(['i1', 'i2'])

    const { erasureId, ...erased } = await erase(200, CUID)
    expect(erased).toEqual({ done: true, conversations: 3, vipMarks: 2, channels: 2 })
    expect(await listed(channelId)).toEqual(['c2'])
    expect(await listed(channelId, 'vip')).toEqual(['c2'])
    expect(await listed(otherChannelId)).toEqual(['i2'])
    expect(erasureId).toMatch(/^erasure_/)
  })

  test('a list that was read before has changed: its ETag gets the new list, never a 304', async () => {
    await importLines(channelId, [line('c1', CUID, { vip: true }), line('c2', 'cu_2', { vip: true })])
    for (const scope of ['all', 'vip']) {
      const url = listPath(channelId, scope)
      const { etag } = (await tenant.on(reader).get(200, url)).headers
      const again = await reader.app.inject({
        url: `/v1${url}`,
        headers: {
          ...signedHeaders(tenant.key, new Date(app.clock.now()).toUTCString()),
          'x-api-version': '1',
          'if-none-match': etag as string,
        },
      })
      expect(again.statusCode).toBe(304)
    }
    const before = await Promise.all(
      ['all', 'vip'].map((scope) => tenant.on(reader).get(200, listPath(channelId, scope))),
    )
    await erase(200, CUID)
    for (const [index, scope] of ['all', 'vip'].entries()) {
      const headers = { 'if-none-match': before[index]!.headers.etag as string }
      const { body } = await tenant.on(reader).get(200, listPath(channelId, scope), { headers })
      expect(body.items).toEqual([expect.objectContaining({ conversationId: 'c2' })])
    }
  })

  test('leaves one entry in the audit trail with counts, and nothing of the person anywhere', async () => {
    await importLines(channelId, [line('c1', CUID, { userName: '🦊 Zoë', vip: true })])
    const { erasureId } = await erase(200, CUID)
    const entries = (await audit()).filter(({ operation }) => operation === 'erasePerson')
    expect(entries).toEqual([
      expect.objectContaining({
        target: { type: 'person', id: erasureId },
        changes: { conversations: 1, vipMarks: 1, channels: 1 },
      }),
    ])
    const { rows } = await app.context.database.query<{ text: string }>(
      `select (select json_agg(t)::text from audit_trail t where organization_id = $1)
           || coalesce((select json_agg(t)::text from erased_people t where organization_id = $1), '')
           || coalesce((select json_agg(t)::text from audience_changes t where organization_id = $1), '')
           || coalesce((select json_agg(t)::text from conversations t where organization_id = $1), '')
           || coalesce((select json_agg(t)::text from vip_marks t where organization_id = $1), '') as text`,
      [tenant.organizationId],
    )
    for (const trace of [CUID, '🦊', 'Zoë', '"c1"']) expect(rows[0]!.text).not.toContain(trace)
  })

  test('an import leaves the person out and reports this, until the person is readmitted', async () => {
    await importLines(channelId, [line('c1', CUID)])
    await erase(200, CUID)
    const lines = [line('c1', CUID, { vip: true }), line('c9', CUID), line('c2', 'cu_2', { vip: true }), { cuid: 'x' }]
    expect((await importLines(channelId, lines)).body).toMatchObject({
      ...{ received: 4, imported: 1, erased: 2, rejectedCount: 1 },
    })
    expect(await listed(channelId)).toEqual(['c2'])
    // A conversation of another person does not become the erased person's.
    expect((await importLines(channelId, [line('c2', CUID)])).body).toMatchObject({ imported: 0, erased: 1 })

    const readmit = async () => (await operatorCall(app, 200, 'POST', `${person(CUID)}/readmit`)).body
    expect(await readmit()).toEqual({ readmitted: true })
    expect(await readmit()).toEqual({ readmitted: false })
    expect((await importLines(channelId, lines)).body).toMatchObject({ imported: 3, erased: 0 })
    expect(await listed(channelId)).toEqual(['c1', 'c2', 'c9'])
    const operations = (await audit()).map(({ operation }) => operation)
    expect(operations.filter((operation) => operation === 'readmitPerson')).toHaveLength(1)
  })

  test('a repeat erases nothing and leaves no second entry; an unknown person is a 404', async () => {
    await importLines(channelId, [line('c1', CUID)])
    const first = await erase(200, CUID)
    expect(await erase(200, CUID)).toEqual({
      ...{ erasureId: first.erasureId, done: true, conversations: 0, vipMarks: 0, channels: 0 },
    })
    const entries = (await audit()).filter(({ operation }) => operation === 'erasePerson')
    expect(entries).toHaveLength(1)
    const unknown = await operatorCall(app, 404, 'DELETE', person('nobody'))
    expect(unknown.headers['x-error-code']).toBe('person_not_found')
    await operatorCall(app, 404, 'DELETE', '/organizations/none/people/nobody')
  })

  test("another organization's person with the same cuid is not affected, and neither are its imports", async () => {
    const other = await Tenant.create(app)
    const theirs = await other.channel()
    await other.conversations(theirs, [{ id: 'x' }])
    await importLines(channelId, [line('c1', 'cu_x')])
    await erase(200, 'cu_x')
    await other.conversations(theirs, [{ id: 'y' }])
    await app.context.database.transaction((tx) =>
      upsertConversations(tx, { organizationId: other.organizationId, channelId: theirs }, [
        { conversation_id: 'z', cuid: 'cu_x' },
      ]),
    )
    expect(await erase(200, 'cu_x', other)).toMatchObject({ conversations: 2 })
  })

  test('during an import of the same person, the person is deleted, whichever comes first', async () => {
    for (const round of [0, 3]) {
      const cuid = `cu_${round}`
      await importLines(channelId, [line(`first_${round}`, cuid)])
      // The person is in every batch of it.
      const lines = Array.from({ length: 600 }, (_, n) =>
        n % 90 === 0 ? line(`${round}_p${n}`, cuid, { vip: true }) : line(`${round}_${n}`, `other_${n}`),
      )
      const importing = importLines(channelId, lines)
      for (let turn = 0; turn < round * 10; turn++) await new Promise((resolve) => setImmediate(resolve))
      const [report] = await Promise.all([importing, erase(200, cuid)])
      expect(report.body.imported + report.body.erased).toBe(600)
      const { rows } = await app.context.database.query(
        'select from conversations where organization_id = $1 and cuid = $2',
        [tenant.organizationId, cuid],
      )
      expect(rows).toHaveLength(0)
    }
  }, 120_000)

  test('waits for a running import, and finds what it writes', async () => {
    await importLines(channelId, [line('c1', CUID)])
    let opened = (): void => {}
    let close = (): void => {}
    const isOpen = new Promise<void>((resolve) => {
      opened = resolve
    })
    const mayClose = new Promise<void>((resolve) => {
      close = resolve
    })
    const { organizationId } = tenant
    const importing = app.context.database.transaction(async (tx) => {
      await upsertConversations(tx, { organizationId, channelId }, [{ conversation_id: 'late', cuid: CUID }])
      opened()
      await mayClose
    })
    await isOpen
    let hasEnded = false
    const erasing = erase(200, CUID).finally(() => {
      hasEnded = true
    })
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(hasEnded).toBe(false)
    close()
    await importing
    expect(await erasing).toMatchObject({ conversations: 2 })
    expect(await listed(channelId)).toEqual([])
  })

  test('a simultaneous mark marks an existing person, or is a 404', async () => {
    for (let round = 0; round < 3; round++) {
      await importLines(channelId, [line(`c${round}`, `cu_${round}`)])
      const [mark] = await Promise.all([
        operatorCallAny('PUT', `/workspaces/${workspaceId}/channels/${channelId}/vips/c${round}`),
        erase(200, `cu_${round}`),
      ])
      expect([200, 404]).toContain(mark.statusCode)
    }
    const { rows } = await app.context.database.query('select from vip_marks where organization_id = $1', [
      tenant.organizationId,
    ])
    expect(rows).toHaveLength(0)
  })
})

describe('deleteConversation', () => {
  test('deletes one conversation with its marks, which an import restores', async () => {
    await importLines(channelId, [line('c1', CUID, { vip: true }), line('c/2', CUID)])
    expect(await listed(channelId)).toEqual(['c/2', 'c1'])
    const url = path(`/channels/${channelId}/conversations/${encodeURIComponent('c/2')}`)
    expect((await operatorCall(app, 200, 'DELETE', url)).body).toEqual({ channelId, conversationId: 'c/2' })
    expect(await listed(channelId)).toEqual(['c1'])
    expect((await operatorCall(app, 404, 'DELETE', url)).headers['x-error-code']).toBe('conversation_not_found')
    const elsewhere = path('/channels/FB_PAGE_1/conversations/c1')
    expect((await operatorCall(app, 404, 'DELETE', elsewhere)).headers['x-error-code']).toBe('channel_not_found')
    expect((await audit())[0]).toMatchObject({
      operation: 'deleteConversation',
      target: { type: 'conversation', id: `${channelId}/c/2` },
    })
    expect((await importLines(channelId, [line('c/2', CUID)])).body).toMatchObject({ imported: 1 })
    expect(await listed(channelId)).toEqual(['c/2', 'c1'])
  })
})

const operatorCallAny = (method: 'PUT', tail: string) =>
  app.app.inject({ method, url: `/api${path(tail)}`, headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } })
