import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  issueTestKey,
  type Reply,
  signedHeaders,
  startOwnTestApp,
  TEST_OPTIONS,
  Tenant,
  type TestApp,
  TestClock,
} from '../../test/harness.js'
import { createEmptyDatabase, openTestDatabase, openTestPostgres, TEST_DATABASE_URL } from '../../test/test-database.js'
import { buildApp } from '../app.js'
import { connectChannel, disconnectChannel } from '../channels/channels.store.js'
import { createContext } from '../context.js'
import type { Database } from '../database/database.js'
import { signDate } from '../lib/sign-date.js'
import { revokeKeyRow } from './keys/keys.store.js'
import { updateOrganizationRow } from './organizations.store.js'
import { createSnapshotReader } from './snapshot.js'
import { readRevisions } from './snapshot.store.js'

/** Writes go to one app, requests to the other: on PostgreSQL they share only the database. */
let writer: TestApp
let reader: TestApp
let statements: string[]

beforeAll(async () => {
  statements = []
  const heard = (database: Database): Database => ({
    ...database,
    query(text, values) {
      statements.push(text)
      return database.query(text, values)
    },
  })
  if (TEST_DATABASE_URL === undefined) {
    const database = await openTestDatabase()
    writer = await startOwnTestApp()
    const context = { ...writer.context, database: heard(database) }
    reader = { ...writer, context, app: await buildApp(context, TEST_OPTIONS) }
    return
  }
  const url = await createEmptyDatabase('greenroom_directory_test')
  const plain = await startOwnTestApp()
  const start = async (database: Database): Promise<TestApp> => {
    const { config, log } = plain.context
    const clock = new TestClock()
    const context = await createContext(config, { clock, log, database })
    return { app: await buildApp(context, TEST_OPTIONS), context, clock }
  }
  writer = await start(openTestPostgres(url, 4))
  reader = await start(heard(openTestPostgres(url, 4)))
  return async () => {
    await writer.context.database.close()
    await reader.context.database.close()
  }
})

let tenant: Tenant
let workspaceId: string
let channelId: string
beforeEach(async () => {
  tenant = await Tenant.create({ ...reader, context: writer.context })
  workspaceId = await tenant.workspace()
  channelId = await tenant.channel([workspaceId])
  statements.length = 0
})

const listVips = (status: number): Promise<Reply> =>
  tenant.get(status, `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}`)
const code = async (reply: Promise<Reply>): Promise<unknown> => (await reply).headers['x-error-code']

describe('the cached access data', () => {
  test('reads key, workspace and channel once and then serves them from memory; a new key is read once more', async () => {
    for (let time = 0; time < 4; time++) await listVips(200)
    const lookUps = statements.filter((text) => /from api_keys|from workspaces|from channels/.test(text))
    expect(lookUps).toHaveLength(4)
  })

  test('stays valid while other organizations change', async () => {
    for (let time = 0; time < 2; time++) await listVips(200)
    const other = await Tenant.create({ ...reader, context: writer.context })
    await other.channel([await other.workspace()])
    statements.length = 0
    await listVips(200)
    expect(statements.filter((text) => !text.includes('access_revisions'))).toEqual([])
  })

  test('a key revoked on another node is refused from its next request on, whether or not its signature is cached', async () => {
    await listVips(200)
    await listVips(200)
    await revokeKeyRow(writer.context.database, tenant.organizationId, tenant.key.id, new Date())
    expect(await code(listVips(403))).toBe('signature_invalid')
  })

  test('an organization deactivated on another node gets 402 at once, and is admitted again at once', async () => {
    await listVips(200)
    await updateOrganizationRow(writer.context.database, tenant.organizationId, { active: false })
    expect(await code(listVips(402))).toBe('organization_inactive')
    await updateOrganizationRow(writer.context.database, tenant.organizationId, { active: true })
    await listVips(200)
  })

  test('a channel disconnected on another node is refused at once, and served again once it is reconnected', async () => {
    await listVips(200)
    const { database } = writer.context
    await disconnectChannel(database, tenant.organizationId, workspaceId, channelId)
    expect(await code(listVips(400))).toBe('channel_not_connected')
    await connectChannel(database, tenant.organizationId, workspaceId, channelId)
    await listVips(200)
  })

  test('a workspace that is no longer a VIP workspace is refused at once', async () => {
    await listVips(200)
    await writer.context.database.query(
      "update workspaces set type = 'STANDARD' where organization_id = $1 and workspace_id = $2",
      [tenant.organizationId, workspaceId],
    )
    expect(await code(listVips(400))).toBe('workspace_not_vip')
  })

  test('a new workspace or key is found at once, even if it was looked up before', async () => {
    const path = '/vip-users?workspaceId=ws_to_come&mediumId=none'
    expect(await code(tenant.get(404, path))).toBe('workspace_not_found')
    await writer.context.database.query(
      "insert into workspaces (organization_id, workspace_id, name, type) values ($1, 'ws_to_come', 'New', 'VIP')",
      [tenant.organizationId],
    )
    expect(await code(tenant.get(400, path))).toBe('channel_unknown')
  })

  test('the cached access of one organization does not serve another', async () => {
    await listVips(200)
    const other = await Tenant.create({ ...reader, context: writer.context })
    const path = `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}`
    expect(await code(other.get(404, path))).toBe('workspace_not_found')
    await listVips(200)
    expect(await code(other.get(404, path))).toBe('workspace_not_found')
  })
})

describe('a cached signature', () => {
  const at = (seconds: number): string => new Date(reader.clock.now() + seconds * 1000).toUTCString()

  test('interface 8: expires with its date', async () => {
    const headers = signedHeaders(tenant.key, at(0))
    await tenant.get(200, '/workspaces', { headers })
    reader.clock.advance(30_000)
    await tenant.get(200, '/workspaces', { headers })
    reader.clock.advance(1_000)
    expect(await code(tenant.get(403, '/workspaces', { headers }))).toBe('signature_expired')
  })

  test('is accepted neither from another key nor for another date', async () => {
    const other = await issueTestKey({ ...reader, context: writer.context }, tenant.organizationId)
    const date = at(0)
    await tenant.get(200, '/workspaces', { headers: signedHeaders(tenant.key, date) })
    await tenant.get(200, '/workspaces', { headers: signedHeaders(other, date) })
    await tenant.get(200, '/workspaces', { headers: signedHeaders(other, at(1)) })
    for (const signature of [signDate(tenant.key.secret, date), signDate(other.secret, at(1))]) {
      const headers = { 'x-api-key': other.id, 'x-date': date, 'x-signature': signature }
      expect(await code(tenant.get(403, '/workspaces', { headers }))).toBe('signature_invalid')
    }
  })

  test('works for more dates than the cache holds', async () => {
    for (let second = -30; second <= 5; second++) {
      await tenant.callEarlier(404, 'GET', '/vip-users?workspaceId=none&mediumId=none', {
        headers: signedHeaders(tenant.key, new Date(reader.clock.now() + second * 1000 - 0.5).toISOString()),
      })
      await tenant.get(200, '/workspaces', { headers: signedHeaders(tenant.key, at(second)) })
    }
  })
})

describe('a cached validation', () => {
  const url = (rest: string): string => `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}${rest}`

  test('repeats its response for the same query only', async () => {
    for (let round = 0; round < 2; round++) {
      await tenant.get(200, url('&limit=10'))
      const wrong = await tenant.get(422, url('&limit=x'))
      expect(wrong.body.error[0].path).toEqual(['limit'])
      await tenant.get(422, url('&limit=10&limit=10'))
      await tenant.get(422, url('&limit=10&typo=1'))
    }
  })

  test('belongs to one operation: another may refuse the same query', async () => {
    await tenant.get(200, `/channels?workspaceId=${workspaceId}`)
    await tenant.get(422, `/workspaces?workspaceId=${workspaceId}`)
    await tenant.get(200, url('&scope=all'))
    const date = new Date(reader.clock.now()).toISOString()
    await tenant.callEarlier(422, 'GET', url('&scope=all'), { headers: signedHeaders(tenant.key, date) })
  })

  test('does not replace the signature: a cached query is refused without one', async () => {
    await tenant.get(200, url(''))
    await tenant.get(403, url(''), { headers: { 'x-signature': '0'.repeat(64) } })
  })
})

describe('the revision', () => {
  const revision = async (): Promise<number> =>
    (await readRevisions(writer.context.database, [tenant.organizationId], [])).scopes[0]!

  test("grows by one only for a transaction that changes the organization's access data", async () => {
    const { database } = writer.context
    const before = await revision()
    await database.transaction(async (tx) => {
      for (const name of ['a', 'b', 'c']) {
        await tx.query(
          "insert into workspaces (organization_id, workspace_id, name, type) values ($1, $2, $2, 'VIP')",
          [tenant.organizationId, name],
        )
      }
    })
    expect(await revision()).toBe(before + 1)
    await tenant.conversations(channelId, [{ id: 'c_1' }])
    await database.query("update channels set token_problem = 'why' where organization_id = $1 and channel_id = $2", [
      tenant.organizationId,
      channelId,
    ])
    const failing = database.transaction(async (tx) => {
      await tx.query('delete from workspace_channels where organization_id = $1', [tenant.organizationId])
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await revision()).toBe(before + 1)
  })

  test('a late response does not bring back outdated data', async () => {
    const answers = [5, 7, 6, 7]
    const epoch = 'the same'
    const database = {
      engine: 'postgres',
      query: async () => ({ rows: [{ epoch, common: 0, scope: answers.shift(), audience: 0 }], rowCount: 1 }),
    } as unknown as Database
    const readSnapshot = createSnapshotReader(database)
    const read = async () => await (await readSnapshot('org')).cacheOf('org')
    const load = (value: string) => async (): Promise<string> => value
    expect(await (await read()).getOrLoad(['x'], load('five'))).toBe('five')
    expect(await (await read()).getOrLoad(['x'], load('seven'))).toBe('seven')
    expect(await (await read()).getOrLoad(['x'], load('of its own'))).toBe('of its own')
    expect(await (await read()).getOrLoad(['x'], load('not loaded'))).toBe('seven')
  })
})
