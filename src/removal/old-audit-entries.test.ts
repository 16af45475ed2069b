import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Member, operatorCall, Tenant } from '../../test/harness.js'
import { insertPost } from '../../test/posts.js'
import { DAY_MS, type RetentionTest, readExports, startRetentionTest } from '../../test/retention.js'
import { killedAt } from '../../test/test-database.js'
import { recordAudit } from '../audit/audit.store.js'
import { type Database, DatabaseUnavailableError } from '../database/database.js'
import type { AuditEntry } from '../interface/generated/types.js'

/** Makes entries of the organization, one a day, oldest first. */
async function fillTrail({ context, clock }: RetentionTest, organizationId: string, days: number): Promise<void> {
  for (let day = days; day > 0; day--) {
    await recordAudit(context.database, {
      principal: { organizationId, actor: { type: 'key', id: 'key_a' } },
      at: new Date(clock.now() - day * DAY_MS),
      operation: 'createWorkspace',
      target: { type: 'workspace', id: `ws_${day}` },
      changes: { name: `Day ${day}`, deep: { 1: '\ufefftext\n' } },
    })
  }
}

async function readTrail(test: RetentionTest, organizationId: string): Promise<AuditEntry[]> {
  const path = organizationId === 'server' ? '/server/audit' : `/organizations/${organizationId}/audit`
  const entries: AuditEntry[] = []
  for (let after = ''; ; ) {
    const { body } = await operatorCall(test, 200, 'GET', `${path}?limit=200${after}`)
    entries.push(...body.items)
    if (!body.mayHaveMore) return entries
    after = `&after=${body.nextCursor}`
  }
}

const daysOf = (entries: { target: { id: string } }[]): string[] => entries.map(({ target }) => target.id)
/** Returns an entry without its id, which differs between a file and the interface. */
const contentOf = ({ organizationId: _1, number: _2, ...entry }: Record<string, unknown>): unknown => entry

describe('the audit trail', () => {
  test('is exported completely and removed up to the age, and newer entries stay', async () => {
    const app = await startRetentionTest({ audit: 30 })
    const { organizationId } = await Tenant.create(app)
    const other = await Tenant.create(app)
    await fillTrail(app, organizationId, 250)
    await fillTrail(app, other.organizationId, 31)
    const before = (await readTrail(app, organizationId)).toReversed()
    await app.run()
    const kept = await readTrail(app, organizationId)
    expect(daysOf(kept)).toEqual(Array.from({ length: 30 }, (_, index) => `ws_${index + 1}`))
    const [name, ...none] = readdirSync(app.exportDir)
    expect([name, none]).toEqual([expect.stringMatching(/^audit-2026-11-20T090000\.000Z-[0-9a-f]{8}\.ndjson$/), []])
    const exported = readExports(app.exportDir)
    const own = exported.filter((line) => line.organizationId === organizationId)
    expect(own.map(contentOf)).toEqual(before.slice(0, 220).map(({ id: _, ...entry }) => entry))
    expect(exported.filter((line) => line.organizationId === other.organizationId)).toHaveLength(1)
    const file = readFileSync(join(app.exportDir, name!))
    expect(statSync(join(app.exportDir, name!)).mode & 0o077).toBe(0)
    expect((await readTrail(app, 'server'))[0]).toMatchObject({
      operation: 'exportAuditTrail',
      actor: { type: 'operator' },
      changes: { file: name, entries: 221, sha256: createHash('sha256').update(file).digest('hex') },
    })
  })

  test('continues once a day with what has become old, and writes no empty file', async () => {
    const app = await startRetentionTest({ audit: 30 })
    const { organizationId } = await Tenant.create(app)
    await fillTrail(app, organizationId, 32)
    await app.run()
    app.clock.advance(DAY_MS - 1)
    await app.run()
    expect(daysOf(await readTrail(app, organizationId))).toHaveLength(30)
    app.clock.advance(2 * DAY_MS)
    await app.run()
    expect(daysOf(await readTrail(app, organizationId))).toHaveLength(27)
    const exported = readExports(app.exportDir)
    expect(exported.map(({ target }) => (target as { id: string }).id)).toEqual([
      'ws_32',
      'ws_31',
      'ws_30',
      'ws_29',
      'ws_28',
    ])
    const files = readdirSync(app.exportDir)
    await app.context.database.query('update housekeeping set next_at = $1', [new Date(0)])
    await app.run()
    expect(readdirSync(app.exportDir)).toEqual(files)
  })

  test('loses no entry, wherever it crashes: each is in the trail or in a file, and finally in a file', async () => {
    for (let step = 0, isDone = false; !isDone; step++) {
      const app = await startRetentionTest({ audit: 30 })
      const { organizationId } = await Tenant.create(app)
      await fillTrail(app, organizationId, 150)
      const all = daysOf(await readTrail(app, organizationId))
      mkdirSync(app.exportDir)
      writeFileSync(join(app.exportDir, 'audit-2026-11-19T090000.000Z-00000000.ndjson.partial'), '{"organiz')
      const database = killedAt(app.context.database, step)
      await app.run({ ...app.context, database })
      isDone = app.logLines().every(({ err }) => err === undefined)
      const known = async () =>
        new Set([...daysOf(await readTrail(app, organizationId)), ...daysOf(readExports(app.exportDir) as never)])
      const afterCrash = await known()
      expect(all.filter((id) => !afterCrash.has(id))).toEqual([])
      app.clock.advance(DAY_MS / 2)
      await app.run()
      expect(daysOf(await readTrail(app, organizationId))).toHaveLength(isDone ? 30 : 29)
      const afterwards = await known()
      expect(all.filter((id) => !afterwards.has(id))).toEqual([])
      expect(step).toBeLessThan(20)
      // The file of a process that was killed while writing it.
      expect(readdirSync(app.exportDir).filter((name) => name.endsWith('.partial'))).toEqual([])
    }
  }, 60_000)

  test('stays while the directory is not writable, which is logged and retried', async () => {
    const app = await startRetentionTest({ audit: 30 })
    const { organizationId } = await Tenant.create(app)
    await fillTrail(app, organizationId, 40)
    writeFileSync(app.exportDir, 'a file')
    await app.run()
    expect(await readTrail(app, organizationId)).toHaveLength(40)
    expect(app.logLines().at(-1)).toMatchObject({ task: 'audit', level: 50 })
    app.clock.advance(14 * 60_000)
    const elsewhere = { ...app.context, config: { ...app.context.config } }
    elsewhere.config.retention = {
      ...elsewhere.config.retention,
      audit: { keepMs: 30 * DAY_MS, exportDir: `${app.exportDir}-other` },
    }
    await app.run(elsewhere)
    expect(await readTrail(app, organizationId)).toHaveLength(40)
    app.clock.advance(60_000)
    await app.run(elsewhere)
    // Fifteen minutes later another entry is old enough.
    expect(await readTrail(app, organizationId)).toHaveLength(29)
    expect(readExports(`${app.exportDir}-other`)).toHaveLength(11)
  })

  test('continues an hour later if a node lost its database in the middle', async () => {
    const app = await startRetentionTest({ audit: 30 })
    const { organizationId } = await Tenant.create(app)
    await fillTrail(app, organizationId, 40)
    const { database } = app.context
    let isLost = false
    const lost: Database = {
      ...database,
      async query(text, values) {
        if (isLost) throw new DatabaseUnavailableError('lost')
        return database.query(text, values)
      },
      async transaction() {
        isLost = true
        throw new DatabaseUnavailableError('lost')
      },
    }
    await expect(app.run({ ...app.context, database: lost })).rejects.toThrow(DatabaseUnavailableError)
    app.clock.advance(3_600_000 - 1)
    await app.run()
    expect(await readTrail(app, organizationId)).toHaveLength(40)
    app.clock.advance(1)
    await app.run()
    expect(await readTrail(app, organizationId)).toHaveLength(29)
  })

  test('cannot be removed by anyone until a file has it', async () => {
    const app = await startRetentionTest({ audit: 30 })
    const { organizationId } = await Tenant.create(app)
    await fillTrail(app, organizationId, 40)
    await app.run()
    const change = (sql: string) => app.context.database.query(sql, [organizationId])
    await expect(change('delete from audit_trail where organization_id = $1')).rejects.toThrow('append-only')
    await expect(change("update audit_trail set operation = 'x' where organization_id = $1")).rejects.toThrow(
      'append-only',
    )
    expect(await readTrail(app, organizationId)).toHaveLength(30)
  })

  test('of a deleted organization is exported too', async () => {
    const app = await startRetentionTest({ audit: 30 })
    const { organizationId } = await Tenant.create(app)
    await fillTrail(app, organizationId, 40)
    await operatorCall(app, 200, 'PATCH', `/organizations/${organizationId}`, { body: { active: false } })
    await operatorCall(app, 200, 'DELETE', `/organizations/${organizationId}?name=Test`)
    await app.run()
    expect(daysOf(await readTrail(app, organizationId)).slice(2)).toHaveLength(30)
    expect(readExports(app.exportDir)).toHaveLength(10)
  })

  test('keeps who wrote a post that may still be published, so that they cannot approve it', async () => {
    const app = await startRetentionTest({ audit: 30, posts: 30 })
    const tenant = await Tenant.create(app)
    const { organizationId } = tenant
    const channelId = await tenant.channel()
    await operatorCall(app, 200, 'PATCH', `/organizations/${organizationId}`, { body: { fourEyes: true } })
    const writer = await Member.create(app, { organizationId, role: 'ADMIN', mayApprove: true })
    const path = `/organizations/${organizationId}/scheduled-posts`
    const written = await writer.call(201, 'POST', path, {
      body: {
        status: 'WAITING_FOR_APPROVAL',
        media: 'https://cdn.example.com/a.jpg',
        scheduledFor: '2027-12-01T09:00:00Z',
        channels: { [channelId]: { caption: 'Hello' } },
      },
    })
    const old = new Date(app.clock.now() - 40 * DAY_MS)
    const published = await insertPost(tenant, {
      status: 'PUBLISHED',
      scheduledFor: old,
      createdAt: old,
      channels: [{ channelId, caption: 'Out' }],
    })
    const history = async (id: string): Promise<unknown[]> =>
      (await operatorCall(app, 200, 'GET', `${path}/${id}/history`)).body.items
    app.clock.advance(100 * DAY_MS)
    await writer.signInAgain()
    await app.run()
    expect(await history(written.body.id)).toHaveLength(1)
    expect(await history(published)).toEqual([])
    const refused = await writer.call(403, 'POST', `${path}/${written.body.id}/approve`, {
      headers: { 'if-match': String(written.headers.etag ?? '"1"') },
    })
    expect(refused.headers['x-error-code']).toBe('own_post')
  })
})

test('one of two nodes removes what is due', async () => {
  const app = await startRetentionTest({ audit: 30 })
  const { organizationId } = await Tenant.create(app)
  await fillTrail(app, organizationId, 60)
  // Another node's clock is slightly behind.
  const behind = { now: () => app.clock.now() - 60_000 }
  await Promise.all([app.run(), app.run(), app.run()])
  await app.run({ ...app.context, clock: behind })
  expect(readdirSync(app.exportDir)).toHaveLength(1)
  expect(await readTrail(app, organizationId)).toHaveLength(30)
})
