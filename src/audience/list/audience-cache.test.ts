import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  askTables,
  type Channel,
  deleteRows,
  FIRST_PAGE,
  firstPage,
  importRows,
  LIMITS,
  LIST_READ,
  makeChannel,
  named,
  type Query,
  ROOMY,
  readPage,
  startNode,
  watched,
  withLists,
} from '../../../test/audience-lists.js'
import { operatorCall, startTestApp, type TestApp } from '../../../test/harness.js'
import { runs } from '../../../test/runs.js'
import { createSnapshotReader, type ReadSnapshot } from '../../access/snapshot.js'
import { DatabaseUnavailableError } from '../../database/database.js'
import { importConversationRows } from '../import/import-rows.js'
import { AudienceCache } from './audience-cache.js'

let plain: TestApp
beforeAll(async () => {
  plain = await startTestApp()
})

describe('interface 4.1: the list in memory matches the list in the database', () => {
  const ids = ['a', 'b', 'Z', 'é', '\u{1f338}', '\uff5e', ...Array.from({ length: 20 }, (_, index) => `c${index}`)]
  const id = fc.constantFrom(...ids)
  const workspace = fc.constantFrom(0 as const, 1 as const)
  const node = fc.constantFrom(0 as const, 1 as const, 2 as const)
  const importedRow = fc.record(
    {
      conversationId: id,
      lifetimeValue: fc.integer({ min: 0, max: 5 }),
      birthday: fc.constantFrom(null, '--01-05', '1990-02-28'),
      vip: fc.boolean(),
    },
    { requiredKeys: ['conversationId'] },
  )
  const write = fc.oneof(
    fc.record({
      kind: fc.constant('import' as const),
      node,
      workspace,
      rows: fc.array(importedRow, { minLength: 1, maxLength: 12 }),
    }),
    fc.record({ kind: fc.constant('mark' as const), node, workspace, id, vip: fc.boolean() }),
    fc.record({ kind: fc.constant('delete' as const), ids: fc.uniqueArray(id, { minLength: 1, maxLength: 8 }) }),
    fc.record({ kind: fc.constant('reconnect' as const), node, workspace }),
  )
  const query = fc.record({
    workspace,
    hasBirthday: fc.boolean(),
    birthdayMonth: fc.constantFrom(undefined, undefined, 1, 2),
    compact: fc.boolean(),
    limit: fc.integer({ min: 1, max: 15 }),
    offset: fc.integer({ min: 0, max: 14 }),
  })

  test('any interleaving of writes and reads on two nodes returns what plain SQL does at that moment', async () => {
    // The third has no room for a list.
    const nodes = [
      await startNode(plain, LIMITS),
      await startNode(plain, LIMITS),
      await startNode(plain, LIMITS, 100),
    ] as const
    await fc.assert(
      fc.asyncProperty(
        fc.array(importedRow, { maxLength: 26, size: 'max' }),
        fc.array(fc.record({ write, reads: fc.array(fc.record({ node, query }), { maxLength: 3 }) }), {
          minLength: 1,
          maxLength: 10,
        }),
        fc.constantFrom<Query['scope'][]>(['vip'], ['all'], ['vip', 'all']),
        async (start, steps, scopes) => {
          const channel = await makeChannel(plain)
          const { tenant, channelId, workspaces } = channel
          const known = new Set<string>()
          const importLines = async (on: TestApp, workspaceId: string, rows: { conversationId?: string }[]) => {
            if (rows.length === 0) return
            for (const row of rows) known.add(row.conversationId!)
            await importRows(
              on,
              channel,
              workspaceId,
              rows.map((row) => ({ cuid: `cu_${row.conversationId}`, ...row })),
            )
          }
          await importLines(nodes[0], workspaces[0], start)
          for (const { write, reads } of steps) {
            const connection = (workspaceId: string) =>
              `/organizations/${tenant.organizationId}/workspaces/${workspaceId}/channels/${channelId}`
            if (write.kind === 'import') await importLines(nodes[write.node], workspaces[write.workspace], write.rows)
            else if (write.kind === 'delete') {
              await deleteRows(channel, write.ids)
              for (const gone of write.ids) known.delete(gone)
            } else if (write.kind === 'reconnect') {
              const path = connection(workspaces[write.workspace])
              await operatorCall(nodes[write.node], 200, 'DELETE', path)
              await operatorCall(nodes[write.node], 200, 'PUT', path)
            } else if (known.has(write.id)) {
              const path = `${connection(workspaces[write.workspace])}/vips/${encodeURIComponent(write.id)}`
              await operatorCall(nodes[write.node], 200, write.vip ? 'PUT' : 'DELETE', path)
            }
            for (const { node, query } of reads) {
              for (const scope of scopes) {
                const { workspace, ...rest } = query
                const full = { ...rest, scope, workspaceId: workspaces[workspace] }
                expect(await readPage(nodes[node], channel, full)).toEqual(await askTables(channel, full))
              }
            }
          }
        },
      ),
      { numRuns: runs(8, 40) },
    )
  })

  const OWN = 'organization_id = $1 and channel_id = $2'
  test.each<[what: string, ...statements: string[]]>([
    ['deleted', `delete from conversations where ${OWN} and conversation_id = 'a'`],
    [
      'changed',
      `update conversations set lifetime_value = 0.5, birthday = null where ${OWN} and conversation_id = 'b'`,
    ],
    ['under a new id', `update conversations set conversation_id = 'z' where ${OWN} and conversation_id = 'c'`],
    ['unmarked', `delete from vip_marks where ${OWN} and conversation_id = 'a'`],
    [
      'less, with the mark of another conversation',
      `update vip_marks set conversation_id = 'c' where ${OWN} and conversation_id = 'b'`,
    ],
    [
      'without the marks of a deleted connection',
      `delete from workspace_channels where ${OWN} and workspace_id = $3`,
      'insert into workspace_channels (organization_id, channel_id, workspace_id) values ($1, $2, $3)',
    ],
    [
      'of a channel that was deleted and created again',
      `delete from workspace_channels where ${OWN}`,
      `delete from conversations where ${OWN}`,
      `delete from channels where ${OWN}`,
      "insert into channels (organization_id, channel_id, type, name) values ($1, $2, 'FB_PAGE', 'Again')",
      'insert into workspace_channels (organization_id, channel_id, workspace_id) values ($1, $2, $3)',
      "insert into conversations select $1, $2, 'n' || n, 'u' from generate_series(1, 8) n",
    ],
  ])('a row that plain SQL left %s is the same in the lists at once, on every node', async (_what, ...statements) => {
    const nodes = [await startNode(plain, LIMITS), await startNode(plain, LIMITS), await startNode(plain, LIMITS, 100)]
    const channel = await makeChannel(plain)
    const { tenant, channelId, workspaces } = channel
    await tenant.conversations(
      channelId,
      ['a', 'b', 'c', 'd'].map((id, index) => ({ id, lifetime_value: 9 - index, birthday: '--01-05' })),
    )
    await tenant.markVips(workspaces[0], channelId, ['a', 'b'])
    const query = { ...FIRST_PAGE, workspaceId: workspaces[0] }
    const readAll = () =>
      Promise.all(
        nodes.flatMap((node) => [
          readPage(node, channel, { ...query, scope: 'vip' }),
          readPage(node, channel, { ...query, scope: 'all' }),
        ]),
      )
    const before = await readAll()
    for (const text of statements) {
      const values = [tenant.organizationId, channelId, ...(text.includes('$3') ? [workspaces[0]] : [])]
      await plain.context.database.query(text, values)
    }
    const [vip, all] = [
      await askTables(channel, { ...query, scope: 'vip' }),
      await askTables(channel, { ...query, scope: 'all' }),
    ]
    expect([vip, all]).not.toEqual(before.slice(0, 2))
    expect(await readAll()).toEqual(nodes.flatMap(() => [vip, all]))
  })

  test('a reader never sees less than was acknowledged before its request, with two writers and two nodes at once', async () => {
    const nodes = [await startNode(plain, LIMITS), await startNode(plain, LIMITS)] as const
    const channel = await makeChannel(plain)
    const [workspaceId] = channel.workspaces
    const acknowledged = { left: 0, right: 0 }
    let writing = 2
    const writer = async (name: 'left' | 'right', node: TestApp) => {
      for (let value = 1; value <= runs(40, 200); value++) {
        const row = { conversation_id: name, cuid: name, user_name: `${value}`, lifetime_amount: value }
        const target = { organizationId: channel.tenant.organizationId, channelId: channel.channelId }
        await importConversationRows(node.context.database, target, [row])
        acknowledged[name] = value
        await new Promise((resolve) => setImmediate(resolve))
      }
      writing -= 1
    }
    const reader = async (node: TestApp) => {
      let reads = 0
      while (writing > 0) {
        const before = { ...acknowledged }
        const { items } = await readPage(node, channel, { ...FIRST_PAGE, workspaceId, scope: 'all' })
        for (const name of ['left', 'right'] as const) {
          const found = items.find((item: { cuid: string }) => item.cuid === name)
          expect(Number(found?.userName ?? 0)).toBeGreaterThanOrEqual(before[name])
        }
        reads += 1
        // A response from memory takes no turn of the event loop, but the writers need turns.
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(reads).toBeGreaterThan(5)
    }
    await Promise.all([writer('left', nodes[0]), writer('right', nodes[1]), reader(nodes[0]), reader(nodes[1])])
  })
})

describe("the database's cost of a page", () => {
  let channel: Channel
  let audiences: AudienceCache
  let readSnapshot: ReadSnapshot
  let database: ReturnType<typeof watched>

  const page = async (limit = 200) => {
    const { audienceRevision } = await readSnapshot()
    const revision = await audienceRevision(named(channel))
    const { body } = await audiences.page(named(channel), firstPage({ limit }), revision, 'identity')
    return JSON.parse(body.toString())
  }

  const start = async (rows: number, limits = LIMITS) => {
    channel = await makeChannel(plain)
    await channel.tenant.conversations(
      channel.channelId,
      Array.from({ length: rows }, (_, index) => ({ id: `c${index}`, lifetime_value: index })),
    )
    database = watched(plain.context.database)
    audiences = new AudienceCache(database.watch, { memoryBytesMax: ROOMY, limits })
    readSnapshot = createSnapshotReader(database.watch)
  }

  test('is only its revision while nothing changes, and nothing at all on the embedded engine', async () => {
    await start(5)
    await page()
    await page()
    database.seen.texts = []
    await page()
    const isEmbedded = plain.context.database.engine === 'pglite'
    expect(database.seen.texts).toHaveLength(isEmbedded ? 0 : 1)
  })

  test('simultaneous requests for a missing list read it once', async () => {
    await start(5)
    const pages = await Promise.all(Array.from({ length: 40 }, () => page()))
    expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([5]))
    expect(database.listReads()).toBe(1)
  })

  test('with a steady stream of writes, only the changed rows are read', async () => {
    await start(30)
    await page()
    for (let step = 0; step < 30; step++) {
      const rows = [{ conversationId: `c${29 - step}`, cuid: 'cu', lifetimeValue: 100 + step }]
      await importRows(plain, channel, channel.workspaces[0], rows)
      expect((await page()).items[0].conversationId).toBe(`c${29 - step}`)
    }
    expect(database.listReads()).toBe(1)
  })

  test('a connection lost during a refresh is a 503 and changes nothing; the next request continues from there', async () => {
    await start(5)
    const before = await page()
    await channel.tenant.conversations(channel.channelId, [{ id: 'new', lifetime_value: 99 }])
    database.seen.refuse = /audience_changes/
    await expect(page()).rejects.toThrow(DatabaseUnavailableError)
    await expect(Promise.all([page(), page()])).rejects.toThrow(DatabaseUnavailableError)
    // A request from before the change is still served.
    const { epoch } = await (await readSnapshot()).audienceRevision(named(channel))
    const old = await audiences.page(named(channel), firstPage(), { epoch, revision: 7 }, 'identity')
    expect(JSON.parse(old.body.toString())).toEqual(before)
    database.seen.refuse = undefined
    expect((await page()).items[0].conversationId).toBe('new')
    expect(database.listReads()).toBe(1)
  })

  test('a connection lost between several reads changes nothing either', async () => {
    await start(30)
    await page()
    const gone = Array.from({ length: 8 }, (_, index) => `c${29 - index}`)
    await deleteRows(channel, gone)
    // The changes are read, then the slack is used up, and the following rows cannot be read.
    database.seen.refuse = LIST_READ
    await expect(page()).rejects.toThrow(DatabaseUnavailableError)
    database.seen.refuse = undefined
    expect(await page(1)).toMatchObject({ items: [{ conversationId: 'c21' }], total: LIMITS.scan, scanCapped: true })
  })

  test('over HTTP the lost connection is a 503', async () => {
    await start(5)
    const node = await withLists(plain, audiences)
    const path = `/vip-users?workspaceId=${channel.workspaces[0]}&mediumId=${channel.channelId}&scope=all`
    database.seen.refuse = LIST_READ
    const reply = await channel.tenant.on(node).get(503, path)
    expect(reply.headers['x-error-code']).toBe('database_unavailable')
    database.seen.refuse = undefined
    expect((await channel.tenant.on(node).get(200, path)).body.total).toBe(5)
  })
})
