import { beforeAll, expect, test } from 'vitest'
import { OPERATOR_TOKEN, operatorCall, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { exportConversations } from './export-conversations.js'

// The export reads batches of 500 rows, so this takes three.
const MANY = 1_203

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
})

async function exported(channelId: string, query = ''): Promise<string> {
  const response = await app.app.inject({
    url: `/api/organizations/${tenant.organizationId}/channels/${channelId}/conversations${query}`,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
  })
  expect(response.statusCode, response.body.slice(0, 300)).toBe(200)
  expect(response.headers['content-type']).toBe('application/x-ndjson')
  return response.body
}

async function rowsOf(channelId: string): Promise<unknown[]> {
  const { rows } = await app.context.database.query<{ row: unknown }>(
    `select json_build_array(conversation_id, cuid, user_name, first_name, last_name, profile_pic, birthday,
                             last_purchase_at_ms, last_user_message_at_ms, last_app_open_at_ms, lifetime_value::text) as row
       from conversations where organization_id = $1 and channel_id = $2 order by conversation_id`,
    [tenant.organizationId, channelId],
  )
  return rows.map(({ row }) => row)
}

async function vipsOf(channelId: string): Promise<unknown[]> {
  const { rows } = await app.context.database.query(
    'select workspace_id, conversation_id from vip_marks where organization_id = $1 and channel_id = $2 order by 1, 2',
    [tenant.organizationId, channelId],
  )
  return rows
}

test('an export of any size can be imported again, with every field, lifetime value and VIP mark', async () => {
  const workspaceId = await tenant.workspace()
  const [channelId, other] = [await tenant.channel([workspaceId]), await tenant.channel([workspaceId])]
  await tenant.changeAudience(
    channelId,
    `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, first_name, last_name, profile_pic,
                                birthday, last_purchase_at_ms, last_user_message_at_ms, last_app_open_at_ms, lifetime_value)
     select $1, $2, 't_' || i, 'cu_' || i % 1000, case when i % 5 > 0 then 'Zoë "👩‍👩‍👧" \\ ' || i end,
            case when i % 3 > 0 then E'a\\tb\\n' end, case when i % 2 > 0 then ';,' end, case when i % 7 = 0 then 'https://x/' || i end,
            case when i % 3 = 0 then '--02-29' when i % 3 = 1 then '1990-12-31' end,
            case when i % 2 = 0 then 8640000000000000 - i end, case when i % 11 = 0 then 0 end, null,
            case when i % 2 = 0 then i / 7.0 else -i * 0.1 end
       from generate_series(1, $3::int) i`,
    [MANY],
  )
  await tenant.markVips(workspaceId, channelId, ['t_1', 't_1199', 't_1203'])
  const text = await exported(channelId, `?workspaceId=${workspaceId}`)
  expect(text.split('\n')).toHaveLength(MANY + 1)
  // The import overwrites existing fields and marks, even if they are empty in the file.
  await tenant.conversations(other, [{ id: 't_2', birthday: '2000-01-01', user_name: 'Before', lifetime_value: 9 }])
  await tenant.markVips(workspaceId, other, ['t_2'])
  const { body } = await operatorCall(
    app,
    200,
    'POST',
    `/organizations/${tenant.organizationId}/channels/${other}/conversations?workspaceId=${workspaceId}`,
    { body: text, headers: { 'content-type': 'application/x-ndjson' } },
  )
  expect(body).toMatchObject({ received: MANY, imported: MANY, rejectedCount: 0 })
  expect(await rowsOf(other)).toEqual(await rowsOf(channelId))
  expect(await vipsOf(other)).toEqual(await vipsOf(channelId))
  expect(await exported(other, `?workspaceId=${workspaceId}`)).toBe(text)
})

test('without a workspace no line has `vip`; an empty channel has no lines, an unknown channel is a 404, an unconnected workspace a 400', async () => {
  const [workspaceId, unconnected] = [await tenant.workspace(), await tenant.workspace()]
  const channelId = await tenant.channel([workspaceId])
  expect(await exported(channelId)).toBe('')
  expect(exportConversations.success.validate('').error).toBeUndefined()
  await tenant.conversations(channelId, [{ id: 'a' }])
  expect(JSON.parse(await exported(channelId))).toEqual({
    conversationId: 'a',
    cuid: 'cu_a',
    userName: null,
    firstName: null,
    lastName: null,
    profilePic: null,
    birthday: null,
    lastPurchaseTimestamp: null,
    lastUserMessageTimestamp: null,
    lastAppOpenTimestamp: null,
    lifetimeValue: 0,
  })
  const path = `/organizations/${tenant.organizationId}/channels`
  await operatorCall(app, 404, 'GET', `${path}/none/conversations`)
  await operatorCall(app, 400, 'GET', `${path}/${channelId}/conversations?workspaceId=${unconnected}`)
  await operatorCall(app, 422, 'GET', `${path}/${channelId}/conversations?scope=vip`)
})

test('a HEAD request reads no conversations', async () => {
  const channelId = await tenant.channel()
  await tenant.conversations(
    channelId,
    Array.from({ length: 1_200 }, (_, index) => ({ id: `h${index}` })),
  )
  const statements: string[] = []
  const { database } = app.context
  const watched = await startTestApp({}, undefined, {
    ...database,
    query(text, values) {
      statements.push(text)
      return database.query(text, values)
    },
  })
  const url = `/api/organizations/${tenant.organizationId}/channels/${channelId}/conversations`
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
  const readsLines = (text: string): boolean => text.includes('from conversations c')
  const head = await watched.app.inject({ method: 'HEAD', url, headers })
  expect([head.statusCode, head.headers['content-type'], head.body]).toEqual([200, 'application/x-ndjson', ''])
  expect(head.headers).not.toHaveProperty('content-length')
  expect(statements.filter(readsLines)).toEqual([])
  expect((await watched.app.inject({ url, headers })).body.split('\n')).toHaveLength(1_201)
  expect(statements.filter(readsLines).length).toBeGreaterThan(2)
  expect((await watched.app.inject({ method: 'HEAD', url: url.replace(channelId, 'none'), headers })).statusCode).toBe(
    404,
  )
})

test('another organization’s channel is not found', async () => {
  const foreign = await Tenant.create(app)
  const channelId = await foreign.channel()
  await operatorCall(app, 404, 'GET', `/organizations/${tenant.organizationId}/channels/${channelId}/conversations`)
})
