import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDemoModel, type SandboxPage } from '../../packages/sandbox/src/model.js'
import { startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { makeBackup } from '../../src/backup/make-backup.js'
import type { Database } from '../../src/database/database.js'
import { TABLE_ENTRIES } from '../../src/database/tables.js'
import { insertAutomationRows } from '../automation-rows.js'
import { documentOfAll } from '../documents.js'
import { type Key, operatorCall, startTestApp, type TestApp, TestClock } from '../harness.js'
import { insertProblem, Sender } from '../inbox.js'
import { makeRequest, readRoutes } from '../outside/routes.js'
import { makeTenant, type OutsideTenant } from '../outside/tenants.js'
import { insertPost } from '../posts.js'
import { openOwnDatabase } from '../test-database.js'
import { type Answer, type Caller, call } from './callers.js'

/** Everything about a version's database that its rows do not say. */
export interface LeftBehind {
  /** The time at which the answers were given. */
  at: string
  organizationId: string
  key: Key
  /** A session that has not ended. */
  cookie: string
  /** The pages of the channels, with the tokens that the database holds sealed. */
  pages: SandboxPage[]
  /** The captions of the posts that are scheduled. */
  scheduled: string[]
  /** The migrations that had run, which never change. */
  migrations: { name: string; checksum: string }[]
  answers: Answer[]
}

/** Makes a backup of a database with rows in every table, with this version's answers about it. */
export async function leaveBehind(): Promise<{ backup: Buffer; left: LeftBehind }> {
  const database = await openOwnDatabase()
  const mediaDir = mkdtempSync(join(tmpdir(), 'greenroom-upgrades-'))
  const demo = makeDemoModel({ seed: 7, today: '2026-11-20' })
  const sandbox = await startSandbox({ model: demo.model, clock: new TestClock() })
  try {
    const graph = { baseUrl: sandbox.url }
    const settings = { media: { dir: mediaDir }, http: { publicUrl: PUBLIC_URL } }
    const filling = await startTestApp({ ...settings, graph }, undefined, database)
    const tenant = await makeTenant(filling, demo)
    const { pages, scheduled } = await fill(filling, tenant)
    await fillRest(filling, tenant)
    // Answers of the platform are not the version's, so this app cannot reach it.
    const test = await startTestApp(settings, undefined, database)
    const given = {
      at: new Date(test.clock.now()).toISOString(),
      ...{ organizationId: tenant.organizationId, key: tenant.tenant.key, cookie: tenant.approver.cookie },
    }
    const answers = await ask(test, tenant, given)
    const chunks: Uint8Array[] = []
    await makeBackup(
      {
        readRows: (read) => database.transaction(read),
        ...{ engine: database.engine, at: new Date(test.clock.now()), mediaDir: undefined },
      },
      async (bytes) => void chunks.push(bytes),
    )
    const migrations = await listMigrations(database)
    return { backup: Buffer.concat(chunks), left: { ...given, pages, scheduled, migrations, answers } }
  } finally {
    await sandbox.close()
    rmSync(mediaDir, { recursive: true })
  }
}

export async function listMigrations(database: Database): Promise<LeftBehind['migrations']> {
  const sql = 'select name, checksum from migrations order by name'
  return (await database.query<LeftBehind['migrations'][number]>(sql)).rows
}

export const PUBLIC_URL = 'https://greenroom.example.com'

/** Does what the calls of `makeTenant` do not: purchases, comments, a published post, and two channels with known tokens. */
async function fill(
  test: TestApp,
  { tenant, ids, spare, organizationId }: OutsideTenant,
): Promise<Pick<LeftBehind, 'pages' | 'scheduled'>> {
  const path = `/organizations/${organizationId}`
  const channelId = ids.channelId!
  await operatorCall(test, 200, 'PATCH', path, { body: { currency: 'EUR', timeZone: 'Europe/Madrid' } })
  const pages: SandboxPage[] = []
  for (const id of [spare.channelId!, channelId]) {
    const accessToken = `EAAof${id}`
    await operatorCall(test, 200, 'PATCH', `${path}/channels/${id}`, { body: { accessToken, check: false } })
    pages.push({ id: id.replace('FB_PAGE_', ''), platform: 'facebook', name: 'A page', accessToken })
  }
  const body = { notes: 'A text that is long enough to count as written by its first writer' }
  await tenant.call(201, 'POST', '/scheduled-posts', { body, headers: { 'idempotency-key': 'once' } })
  const channels = [{ channelId, caption: 'Comment SIZE', superpower: { hashtag: '#upgraded' } }]
  const post = { status: 'PUBLISHED', media: 'https://media.example/a.jpg', channels } as const
  await insertAutomationRows(test.context.database, [organizationId, await insertPost(tenant, post), channelId])
  await insertPost(tenant, { channels: [{ channelId, superpower: { hashtag: '#claimed' } }] })

  const at = new Date(test.clock.now()).toISOString()
  const event = { userId: ids.cuid, timestamp: at }
  const order = { order_id: '1', total: 10, currency: 'EUR' }
  const events = await Sender.create(test, 'EVENTS', { tenant })
  await events.track(
    { ...event, type: 'identify', anonymousId: 'a1', traits: { firstName: 'Ada' }, messageId: 'm1' },
    { ...event, type: 'track', event: 'Order Completed', properties: order, messageId: 'm2' },
    { ...event, type: 'track', event: 'Order Refunded', properties: { ...order, total: 4 }, messageId: 'm3' },
  )
  await insertProblem(tenant, events.source.id, ['prb_left'])
  const meta = await Sender.create(test, 'META', { tenant })
  const comment = { item: 'comment', verb: 'add', comment_id: '5_6', post_id: '1_5', message: 'Hi', created_time: at }
  const change = { id: channelId.replace('FB_PAGE_', ''), changes: [{ field: 'feed', value: comment }] }
  await meta.send({ object: 'page', entry: [change] })
  await meta.apply()
  await events.send({ batch: [] })
  await test.context.intake.activity.flush()
  const { rows } = await test.context.database.query<{ caption: string }>(
    `select c.caption from scheduled_posts join scheduled_post_channels c using (organization_id, scheduled_post_id)
      where status = 'SCHEDULED' order by 1`,
  )
  return { pages, scheduled: rows.map(({ caption }) => caption) }
}

/** Columns of made-up rows, as SQL, that the type of the column does not suggest. */
const COLUMNS: Record<string, string> = {
  'audit_repeats.audit_id': '9999999',
  'body_erasures.ids': `'["made-up"]'`,
  'channel_subscriptions.state': `'PENDING'`,
  'factor_failures.kind': `'totp'`,
  'inbox_entries.kind': `'mentioned'`,
  'mails.kind': `'approval'`,
  'mails.person_id': '$1',
  'membership_channels.role': `'VIEWER'`,
}
const TYPES: Record<string, string> = {
  text: `'made-up'`,
  'text[]': `'{}'`,
  json: `'[]'`,
  jsonb: `'[]'`,
  bytea: `'\\x00'`,
  boolean: 'false',
}

/** Puts a made-up row into each table that is still empty: what people and programs leave there is rare or short-lived. */
async function fillRest({ context: { database }, clock }: TestApp, { approver, ids, organizationId }: OutsideTenant) {
  const source = await readValues(database, 'select source_id from sources limit 1')
  const known: Record<string, string> = {
    ...{ organization_id: organizationId, person_id: approver.id, channel_id: ids.channelId!, key_id: ids.keyId! },
    ...{ scheduled_post_id: ids.scheduledPostId!, source_id: source[0]!, conversation_id: ids.conversationId! },
    name: ids.operatorTokenName!,
  }
  const at = `'${new Date(clock.now()).toISOString()}'`
  for (const [table, { carried }] of TABLE_ENTRIES) {
    if (carried === false || (await readValues(database, `select 1::text from ${table} limit 1`)).length > 0) continue
    const columns = await listColumns(database, table)
    const values = columns.map(({ name, type }) => {
      const made = COLUMNS[`${table}.${name}`]?.replace('$1', `'${approver.id}'`)
      const own = known[name] === undefined ? undefined : `'${known[name]}'`
      return made ?? own ?? (type.startsWith('timestamp') ? at : (TYPES[type] ?? '1'))
    })
    await database.execute(
      `insert into ${table} (${columns.map(({ name }) => name).join(', ')}) values (${values.join(', ')})`,
    )
  }
}

/** Returns the columns that a row needs, and those that are made up. */
async function listColumns(database: Database, table: string): Promise<{ name: string; type: string }[]> {
  const { rows } = await database.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::text::regclass and attnum > 0 and not attisdropped and attidentity = '' and attgenerated = ''
        and (attnotnull and not atthasdef or $1 || '.' || attname = any($2)) order by attnum`,
    [table, Object.keys(COLUMNS)],
  )
  return rows
}

const readValues = async (database: Database, sql: string): Promise<string[]> =>
  (await database.query<Record<string, string>>(sql)).rows.map((row) => Object.values(row)[0]!)

/** Asks for everything that can be read about the organization. */
async function ask(
  test: TestApp,
  { ids }: OutsideTenant,
  given: Pick<LeftBehind, 'key' | 'cookie'>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const route of readRoutes(documentOfAll())) {
    // Links expire, and the health of the server is not in the database.
    if (route.method !== 'GET' || route.surface === 'review' || route.operationId === 'getServerHealth') continue
    const { url: narrow } = makeRequest(route, ids)
    const callers: Caller[] = route.surface === 'api' ? ['operator', 'person'] : ['key']
    for (const url of new Set([narrow, narrow.split('?')[0]!])) {
      for (const caller of callers) {
        const { status, body } = await call(test, given, { caller, url })
        if (status !== 200 || body === undefined) continue
        answers.push({ caller, url, body })
        break
      }
    }
  }
  return answers
}
