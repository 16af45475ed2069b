import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { CuttableLine } from '../../test/cuttable-line.js'
import { issueTestKey, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { runPostgresProgram, startPostgres } from '../../test/postgres-server.js'
import { createEmptyDatabase, openTestPostgres, TEST_DATABASE_URL } from '../../test/test-database.js'
import type { Database } from './database.js'
import { migrate } from './migrate.js'
import { openPglite } from './pglite/pglite.js'

const MASTER_KEY = Buffer.alloc(32, 7)

/** Ends what a test leaves, last one first. */
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const open = (url: string): Database => {
  const database = openTestPostgres(url, 4)
  ends.push(() => database.close())
  return database
}

/** An empty database for this test, and two nodes on it. */
async function openEmpty(): Promise<{ database: Database; nodes: TestApp[] }> {
  if (TEST_DATABASE_URL === undefined) {
    const database = await openPglite()
    ends.push(() => database.close())
    return { database, nodes: await startNodes([database, database]) }
  }
  const url = await createEmptyDatabase('greenroom_epoch')
  const database = open(url)
  return { database, nodes: await startNodes([open(url), open(url)]) }
}

async function startLine(serverUrl: string): Promise<CuttableLine> {
  const line = new CuttableLine()
  ends.push(() => line.cut())
  await line.listen(Number(new URL(serverUrl).port), '127.0.0.1')
  return line
}

function urlThrough(line: CuttableLine, serverUrl: string): string {
  const url = new URL(serverUrl)
  url.port = String(line.port)
  return url.href
}

async function startNodes(databases: Database[]): Promise<TestApp[]> {
  for (const database of databases) await migrate(database)
  return await Promise.all(
    databases.map((database) => startTestApp({ masterKeys: { current: MASTER_KEY } }, undefined, database)),
  )
}

/** A tenant whose nodes know a history that will be lost, and who reaches another one with the same numbers. */
class Witness {
  private lost = { list: '', post: '' }

  private constructor(
    private readonly nodes: TestApp[],
    private readonly tenant: Tenant,
    private readonly revoked: Tenant,
    private readonly ids: { workspaceId: string; channelId: string; postId: string },
  ) {}

  static async create(nodes: TestApp[]): Promise<Witness> {
    const first = nodes[0]!
    const tenant = await Tenant.create(first)
    const workspaceId = await tenant.workspace('VIP')
    const channelId = await tenant.channel([workspaceId])
    await tenant.conversations(channelId, [{ id: 'a' }, { id: 'b' }])
    const revoked = tenant.withKey(await issueTestKey(first, tenant.organizationId))
    const { body } = await tenant.call(201, 'POST', '/scheduled-posts', { body: { notes: 'as drafted' } })
    return new Witness(nodes, tenant, revoked, { workspaceId, channelId, postId: body.id })
  }

  private get listPath(): string {
    return `/vip-users?workspaceId=${this.ids.workspaceId}&mediumId=${this.ids.channelId}&scope=all`
  }

  private get postPath(): string {
    return `/scheduled-posts/${this.ids.postId}`
  }

  /** Both nodes have it in memory, and clients have its ETags. */
  async writeAndReadWhatIsLost(): Promise<void> {
    await this.tenant.workspace('VIP', 'Lost')
    await this.tenant.conversations(this.ids.channelId, [{ id: 'lost' }])
    const { headers } = await this.tenant.call(200, 'PATCH', this.postPath, { body: { notes: 'lost' } })
    this.lost.post = String(headers.etag)
    for (const node of this.nodes) {
      const { body, headers } = await this.revoked.on(node).get(200, this.listPath)
      expect(listed(body)).toEqual(['a', 'b', 'lost'])
      this.lost.list = String(headers.etag)
    }
  }

  /**
   * Makes as many changes as were lost, so that every number recurs. They go straight to the database, so that no node
   * sees one in between.
   */
  async writeAnother(database: Database): Promise<void> {
    const { organizationId } = this.tenant
    await database.query('delete from api_keys where organization_id = $1 and key_id = $2', [
      organizationId,
      this.revoked.key.id,
    ])
    await database.query(
      `insert into conversations (organization_id, channel_id, conversation_id, cuid, lifetime_value)
       values ($1, $2, 'found', 'cu', 0)`,
      [organizationId, this.ids.channelId],
    )
    await database.query(
      `update scheduled_posts set notes = 'kept', version = version + 1, updated_at = updated_at + interval '1 minute'
        where organization_id = $1 and scheduled_post_id = $2`,
      [organizationId, this.ids.postId],
    )
  }

  async expectTheOther(): Promise<void> {
    for (const node of this.nodes) {
      await this.revoked.on(node).get(403, this.listPath)
      const tenant = this.tenant.on(node)
      const { body } = await tenant.get(200, this.listPath, { headers: { 'if-none-match': this.lost.list } })
      expect(listed(body)).toEqual(['a', 'b', 'found'])
      const change = { body: { notes: 'x' }, headers: { 'if-match': this.lost.post } }
      await tenant.call(412, 'PATCH', this.postPath, change)
    }
  }

  /** A fail-over breaks a node's connections, so a request may fail on one of them. */
  async untilServed(): Promise<void> {
    for (const node of this.nodes) {
      for (;;) {
        const { rows } = await node.context.database.query('select 1').catch(() => ({ rows: [] }))
        if (rows.length > 0) break
      }
    }
  }
}

const listed = (body: { items: { conversationId: string }[] }): string[] =>
  body.items.map(({ conversationId }) => conversationId).sort()

describe('a database that is reset under two nodes has another history', () => {
  test('a revision does not decrease, and its row is not deleted', async () => {
    const { database, nodes } = await openEmpty()
    await Witness.create(nodes)
    for (const sql of [
      'update audiences set revision = revision - 1',
      'delete from audiences',
      'update access_revisions set revision = revision - 1',
      'delete from access_revisions',
    ]) {
      await expect(database.query(sql), sql).rejects.toThrow('never goes back')
    }
  })

  test('tables that are emptied and filled with an earlier state', async () => {
    const { database, nodes } = await openEmpty()
    const witness = await Witness.create(nodes)
    const tables = ['access_revisions', 'audiences', 'audience_changes', 'conversations', 'scheduled_posts']
    for (const table of tables) await database.execute(`create table earlier_${table} as select * from ${table}`)
    await witness.writeAndReadWhatIsLost()
    await database.transaction(async (tx) => {
      // This restore fires no triggers.
      for (const table of tables) await tx.execute(`alter table ${table} disable trigger user`)
      await tx.execute('truncate access_revisions, audiences, audience_changes')
      await tx.execute(`delete from conversations where conversation_id = 'lost'`)
      await tx.execute(`update scheduled_posts p set (notes, version, updated_at) = (
                          select notes, version, updated_at from earlier_scheduled_posts e
                           where e.scheduled_post_id = p.scheduled_post_id)`)
      for (const table of tables.slice(0, 3)) await tx.execute(`insert into ${table} select * from earlier_${table}`)
      for (const table of tables) await tx.execute(`alter table ${table} enable trigger user`)
    })
    await witness.writeAnother(database)
    await witness.expectTheOther()
  })

  test.runIf(TEST_DATABASE_URL)('PostgreSQL: a restored dump', async () => {
    const { database, nodes } = await openEmpty()
    const witness = await Witness.create(nodes)
    const directory = mkdtempSync(join(tmpdir(), 'greenroom-dump-'))
    ends.push(() => rmSync(directory, { recursive: true }))
    const url = new URL(TEST_DATABASE_URL!)
    url.pathname = (await database.query<{ name: string }>('select current_database() as name')).rows[0]!.name
    const dump = join(directory, 'dump.sql')
    await runPostgresProgram('pg_dump', ['--clean', '-f', dump, url.href])
    await witness.writeAndReadWhatIsLost()
    await runPostgresProgram('psql', ['-q', '-1', '-v', 'ON_ERROR_STOP=1', '-f', dump, url.href])
    await witness.writeAnother(database)
    await witness.expectTheOther()
  })

  test.runIf(TEST_DATABASE_URL)('PostgreSQL: a promoted standby that had not received the last commits', async () => {
    const primary = await startPostgres({ settings: { fsync: 'off' } })
    ends.push(() => primary.stop())
    const [line, standbyLine] = [await startLine(primary.url), await startLine(primary.url)]
    const url = urlThrough(line, primary.url)
    const nodes = await startNodes([open(url), open(url)])
    const witness = await Witness.create(nodes)

    const standby = await startPostgres({
      settings: { fsync: 'off' },
      standbyOf: urlThrough(standbyLine, primary.url),
    })
    ends.push(() => standby.stop())
    const onStandby = open(standby.url)
    // Its receiver may be between two attempts, and then no view of the standby shows that it receives nothing more.
    await standbyLine.cut()
    await witness.writeAndReadWhatIsLost()
    await primary.kill()
    await onStandby.query('select pg_promote()')
    await witness.writeAnother(onStandby)
    await line.leadTo(Number(new URL(standby.url).port), '127.0.0.1')
    await witness.untilServed()
    await witness.expectTheOther()
  })
})
