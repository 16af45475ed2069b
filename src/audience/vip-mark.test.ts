import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { operatorCall, startTestApp, TEST_OPTIONS, Tenant, type TestApp } from '../../test/harness.js'
import { TEST_DATABASE_URL } from '../../test/test-database.js'
import { buildApp } from '../app.js'
import { BATCH_ROWS } from './import/import-rows.js'

let testApp: TestApp
let tenant: Tenant
let workspaceId: string
let channelId: string

beforeEach(async () => {
  testApp = await startTestApp()
  tenant = await Tenant.create(testApp)
  workspaceId = await tenant.workspace('VIP')
  channelId = await tenant.channel([workspaceId])
  await tenant.conversations(channelId, [{ id: 'a' }])
})

const markPath = () => `/organizations/${tenant.organizationId}/workspaces/${workspaceId}/channels/${channelId}/vips/a`
const importPath = () => `/organizations/${tenant.organizationId}/channels/${channelId}/conversations`
const deleteFrom = (table: string): string => `delete from ${table} where organization_id = $1 and channel_id = $2`

const DISCONNECT = ['workspace_channels']
const DELETE_CHANNEL = ['workspace_channels', 'conversations', 'channels']
const DELETE_CONVERSATIONS = ['conversations']

/** The app, where the channel's rows are deleted from these tables just before its next transactions start. */
async function withRivals(...rivals: string[][]): Promise<TestApp> {
  const { context } = testApp
  const database: typeof context.database = {
    ...context.database,
    async transaction(work) {
      for (const table of rivals.shift() ?? []) {
        await context.database.query(deleteFrom(table), [tenant.organizationId, channelId])
      }
      return await context.database.transaction(work)
    },
  }
  const rivalled = { ...context, database }
  return { ...testApp, context: rivalled, app: await buildApp(rivalled, TEST_OPTIONS) }
}

describe('a mark or an import whose object is deleted at the same time', () => {
  test.each([
    ['the connection', DISCONNECT, 400, 'channel_not_connected'],
    ['the channel', DELETE_CHANNEL, 404, 'channel_not_found'],
    ['the conversation', DELETE_CONVERSATIONS, 404, 'conversation_not_found'],
  ])('a mark and %s', async (_what, rival, status, code) => {
    for (const method of ['PUT', 'DELETE'] as const) {
      const { headers } = await operatorCall(await withRivals(rival), status, method, markPath())
      expect(headers['x-error-code']).toBe(code)
    }
  })

  test.each([
    ['the connection', DISCONNECT, '?workspaceId=', 400, 'channel_not_connected'],
    ['the channel', DELETE_CHANNEL, '', 404, 'channel_not_found'],
  ])('an import and %s: what was imported before is reported', async (_what, rival, query, status, code) => {
    const batch = BATCH_ROWS[testApp.context.database.engine]
    const body = Array.from(
      { length: batch + 1 },
      (_, index) => `${JSON.stringify({ conversationId: `c${index}`, cuid: 'u' })}\n`,
    )
    const reply = await operatorCall(
      await withRivals([], rival),
      status,
      'POST',
      importPath() + (query && query + workspaceId),
      { body: body.join(''), headers: { 'content-type': 'application/x-ndjson' } },
    )
    expect(reply.headers['x-error-code']).toBe(code)
    expect(reply.body.message).toContain(`After ${batch} lines were imported: `)
  })

  test.runIf(TEST_DATABASE_URL)('PostgreSQL: a mark waits for a running disconnection', async () => {
    const { rows } = await testApp.context.database.query<{ name: string }>('select current_database() as name')
    const url = new URL(TEST_DATABASE_URL!)
    url.pathname = rows[0]!.name
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    try {
      await client.query('begin')
      await client.query(deleteFrom('workspace_channels'), [tenant.organizationId, channelId])
      const marking = operatorCall(testApp, 400, 'PUT', markPath())
      for (;;) {
        const waiting = 'select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))'
        if (((await client.query(waiting)).rowCount ?? 0) > 0) break
      }
      await client.query('commit')
      expect((await marking).headers['x-error-code']).toBe('channel_not_connected')
    } finally {
      await client.end()
    }
  })
})
