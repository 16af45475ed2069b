import { describe, expect, test } from 'vitest'
import { ChangeLogStage, row } from '../../../test/change-log-stage.js'
import { operatorCall, Tenant } from '../../../test/harness.js'
import { inLongSuite } from '../../../test/runs.js'
import type { Database, Queryable } from '../../database/database.js'
import type { ChannelKey } from '../../http/snapshot.js'
import { setVipMarks, upsertConversations } from '../conversations.store.js'
import { type AudienceRow, readAudienceChanges, readAudienceRevision } from './change-log.store.js'
import { createChangesReader } from './changes-reader.js'

/** A channel's log keeps this many touched conversations, plus at most one transaction (count_audience_change). */
const CHANGES_KEPT = 10_000

const stage = new ChangeLogStage()
const { useNewChannel, write, revision, sql, readChanges, touchedSince } = stage

const countNotes = async (): Promise<number> =>
  (
    await stage.database.query<{ ids: number }>(
      `select coalesce(sum(cardinality(conversation_ids)), 0)::bigint as ids from audience_changes
        where organization_id = $1 and channel_id = $2`,
      [stage.key.organizationId, stage.key.channelId],
    )
  ).rows[0]!.ids

/** Inserts `count` conversations c000001… in one statement. */
const fill = (count: number) =>
  sql(
    `insert into conversations (organization_id, channel_id, conversation_id, cuid)
     select $1, $2, 'c' || lpad(n::text, 6, '0'), 'u' from generate_series(1, $3::int) n`,
    [count],
  )

describe('what is recorded', () => {
  test('a write gives the channel its next revision and records what it touched, only on this channel', async () => {
    const before = stage.key
    await write(row('a', 1, true), row('b', 2))
    await useNewChannel()
    // Each channel was connected, which counts too.
    const now = [
      await readAudienceRevision(stage.database, stage.key),
      await readAudienceRevision(stage.database, before),
    ]
    expect(now.map(({ revision }) => revision)).toEqual([1, 3])
    expect(await readChanges(stage.database, stage.key, 0)).toEqual({ reached: now[0], changed: [] })
    stage.key = before
    await write(row('b', 3), row('c', 4))
    const { reached, changed } = await readChanges(stage.database, stage.key, 3)
    expect(reached.revision).toBe(5)
    expect(changed).toHaveLength(2)
    expect(changed).toContainEqual({
      conversationId: 'b',
      row: {
        ...{ conversation_id: 'b', cuid: 'u-b', user_name: null, first_name: null, last_name: null, birthday: null },
        ...{ profile_pic: null, last_purchase_at_ms: null, last_user_message_at_ms: null, last_app_open_at_ms: null },
        ...{ lifetime_amount: 3, vip_of: [] },
      },
    })
    expect((await readChanges(stage.database, stage.key, 0)).changed).toContainEqual(
      expect.objectContaining({ row: expect.objectContaining({ conversation_id: 'a', vip_of: [stage.workspaceId] }) }),
    )
  })

  test('a statement without changes records nothing, and an unchanged line is not recorded with its batch', async () => {
    await write(row('a', 1, true), row('b', 2, false))
    const before = await revision()
    await write(row('a', 1, true), row('b', 2, false))
    expect(await setVipMarks(stage.database, stage.target, ['a'], true)).toEqual([])
    expect(await setVipMarks(stage.database, stage.target, ['b'], false)).toEqual([])
    await sql('update conversations set cuid = cuid where organization_id = $1 and channel_id = $2 and false')
    await sql("delete from conversations where organization_id = $1 and channel_id = $2 and conversation_id = 'c'")
    expect(await revision()).toBe(before)
    await write(row('a', 1, true), row('b', 5, true))
    const { changed } = await readChanges(stage.database, stage.key, before)
    expect(changed).toEqual([expect.objectContaining({ conversationId: 'b' })])
  })

  test('a rollback records nothing', async () => {
    await write(row('a'))
    const before = await revision()
    const refused = stage.database.transaction(async (tx) => {
      await upsertConversations(tx, stage.key, [row('a', 9), row('b')])
      throw new Error('the caller thought better of it')
    })
    await expect(refused).rejects.toThrow('thought better')
    expect(await readChanges(stage.database, stage.key, before)).toEqual({
      reached: expect.objectContaining({ revision: before }),
      changed: [],
    })
  })

  test('the operations are recorded: an import, a mark, an unmark, a disconnection; a deleted conversation is marked as gone', async () => {
    const organization = `/organizations/${stage.tenant.organizationId}`
    const channel = `channels/${stage.key.channelId}`
    const calls: [method: 'POST' | 'PUT' | 'DELETE', path: string][] = [
      ['POST', `${organization}/${channel}/conversations`],
      ['PUT', `${organization}/workspaces/${stage.workspaceId}/${channel}/vips/a`],
      ['DELETE', `${organization}/workspaces/${stage.workspaceId}/${channel}/vips/a`],
      ['DELETE', `${organization}/workspaces/${stage.workspaceId}/${channel}`],
    ]
    const seen = [0]
    for (const [method, path] of calls) {
      const options = {
        body: '{"conversationId":"a","cuid":"u"}\n',
        headers: { 'content-type': 'application/x-ndjson' },
      }
      await operatorCall(stage.testApp, 200, method, path, method === 'POST' ? options : {})
      expect(await revision()).toBeGreaterThan(seen.at(-1)!)
      seen.push(await revision())
      // A repeat changes nothing.
      await operatorCall(stage.testApp, 200, method, path, method === 'POST' ? options : {}).catch(() => {})
      expect(await revision()).toBe(seen.at(-1)!)
    }
    // No mark was removed with the connection.
    expect(await readChanges(stage.database, stage.key, seen.at(-2)!)).toEqual({
      reached: expect.objectContaining({ revision: seen.at(-1) }),
      changed: [],
    })

    await sql('delete from conversations where organization_id = $1 and channel_id = $2')
    const { changed } = await readChanges(stage.database, stage.key, seen.at(-1)!)
    expect(changed).toEqual([{ conversationId: 'a', row: undefined }])
  })

  test.runIf(inLongSuite())(
    'the log stays bounded, and a reader that asks for more than it has must read everything again',
    async () => {
      const batch = CHANGES_KEPT / 4
      await fill(batch)
      for (let round = 0; round < 7; round++) {
        await sql('update conversations set lifetime_value = $3 where organization_id = $1 and channel_id = $2', [
          round,
        ])
        expect(await countNotes()).toBeLessThanOrEqual(CHANGES_KEPT + batch)
      }
      const now = await revision()
      expect(await touchedSince(now - CHANGES_KEPT)).toHaveLength(batch)
      expect(await touchedSince(now - CHANGES_KEPT - 1)).toBe('all')
      // This revision was never assigned here: it is of another database, or from before a restore.
      expect(await touchedSince(now + 1)).toBe('all')
    },
  )

  test.runIf(inLongSuite())(
    'more than 10,000 conversations in one transaction are not recorded, in one statement or several',
    async () => {
      const before = await revision()
      await fill(CHANGES_KEPT)
      expect(await revision()).toBe(before + CHANGES_KEPT)
      expect(await touchedSince(before)).toHaveLength(CHANGES_KEPT)

      await write(row('one-more'))
      const full = await revision()
      await sql('update conversations set lifetime_value = 6 where organization_id = $1 and channel_id = $2')
      expect([await revision(), await touchedSince(full), await countNotes()]).toEqual([full + 1, 'all', 0])

      const half = 'delete from conversations where organization_id = $1 and channel_id = $2 and conversation_id < $3'
      await stage.database.transaction(async (tx) => {
        for (const end of ['c005000', 'z']) await sql(half, [end], tx)
      })
      expect([await revision(), await touchedSince(full + 1), await countNotes()]).toEqual([full + 2, 'all', 0])

      await write(row('one-more'))
      expect(await touchedSince(full + 2)).toEqual(['one-more'])
      expect(await touchedSince(full + 1)).toBe('all')
    },
  )
})

describe('the touched conversations of any statement', () => {
  test.each<[what: string, text: string, touched: string[]]>([
    ['an insert', "insert into conversations values ($1, $2, 'd', 'u'), ($1, $2, 'e', 'u')", ['d', 'e']],
    ['an update', "update conversations set birthday = '--01-01' where {own} and conversation_id < 'c'", ['a', 'b']],
    ['a new id', "update conversations set conversation_id = 'z' where {own} and conversation_id = 'c'", ['c', 'z']],
    [
      'an insert that updates existing rows',
      `insert into conversations values ($1, $2, 'c', 'u'), ($1, $2, 'd', 'u')
       on conflict (organization_id, channel_id, conversation_id) do update set cuid = 'v'`,
      ['c', 'd'],
    ],
    ['a deletion, with its marks', "delete from conversations where {own} and conversation_id = 'a'", ['a']],
    ['a mark', `insert into vip_marks select $1, $2, workspace_id, 'c' from vip_marks where {own} limit 1`, ['c']],
    [
      'a mark of another conversation',
      "update vip_marks set conversation_id = 'c' where {own} and conversation_id = 'a'",
      ['a', 'c'],
    ],
    ['an unmark', "delete from vip_marks where {own} and conversation_id = 'b'", ['b']],
    ['a disconnection, which deletes the marks', 'delete from workspace_channels where {own}', ['a', 'b']],
    [
      'several in one statement',
      `with gone as (delete from vip_marks where {own} and conversation_id = 'a')
       update conversations set cuid = 'v' where {own} and conversation_id = 'c'`,
      ['a', 'c'],
    ],
  ])('%s', async (_what, text, touched) => {
    await write(row('a', 1, true), row('b', 2, true), row('c', 3))
    const before = await revision()
    await sql(text.replaceAll('{own}', 'organization_id = $1 and channel_id = $2'))
    expect(await touchedSince(before)).toEqual(touched)
    expect(await revision()).toBe(before + touched.length)
  })

  test('a conversation that moves to another channel is touched in both, and a connection counts in both', async () => {
    const from = stage.key
    await write(row('a'), row('b'))
    await useNewChannel()
    const to = stage.key
    const other = await stage.tenant.workspace('VIP')
    const revisionOf = async (channel: ChannelKey) => (await readAudienceRevision(stage.database, channel)).revision
    const before = [await revisionOf(from), await revisionOf(to)]
    stage.key = from
    await sql(
      "update conversations set channel_id = $3 where organization_id = $1 and channel_id = $2 and conversation_id = 'a'",
      [to.channelId],
    )
    expect((await readChanges(stage.database, from, before[0]!)).changed).toEqual([
      { conversationId: 'a', row: undefined },
    ])
    expect((await readChanges(stage.database, to, before[1]!)).changed).toEqual([
      { conversationId: 'a', row: expect.objectContaining({ conversation_id: 'a' }) },
    ])
    await sql('insert into workspace_channels values ($1, $3, $2)', [other])
    await sql(
      'update workspace_channels set channel_id = $3 where organization_id = $1 and channel_id = $2 and workspace_id = $4',
      [await stage.tenant.channel(), other],
    )
    expect(await revision()).toBe(before[0]! + 3)
    expect(await touchedSince(before[0]! + 1)).toEqual([])
  })

  test('several statements in one transaction are one revision, which counts a conversation once', async () => {
    await write(row('a'), row('b'))
    const before = await revision()
    const notes = () =>
      sql('select from audience_changes where organization_id = $1 and channel_id = $2 and revision > $3', [before])
    await stage.database.transaction(async (tx) => {
      for (let value = 1; value <= 300; value++)
        await upsertConversations(tx, stage.target, [row('a', value, value % 2 === 0)])
      await upsertConversations(tx, stage.key, [row('c'), row('b', 1)])
      await sql('select from conversations where organization_id = $1 and channel_id = $2', [], tx)
      expect((await readAudienceRevision(tx, stage.key)).revision).toBe(before)
    })
    expect([await revision(), await touchedSince(before), (await notes()).rowCount]).toEqual([
      before + 3,
      ['a', 'b', 'c'],
      1,
    ])
  })

  test('one statement on channels of two organizations is a revision of each', async () => {
    const own = [stage.key, { ...stage.key, channelId: await stage.tenant.channel([stage.workspaceId]) }]
    const other = await Tenant.create(stage.testApp)
    const channels = [...own, { organizationId: other.organizationId, channelId: await other.channel([]) }]
    for (const { organizationId, channelId } of channels) {
      await stage.database.query(
        `insert into conversations (organization_id, channel_id, conversation_id, cuid, lifetime_value, lifetime_amount)
         select $1, $2, id, id, 0, 0 from unnest(array['a', 'b']) as t (id)`,
        [organizationId, channelId],
      )
    }
    const read = () => Promise.all(channels.map((channel) => readAudienceRevision(stage.database, channel)))
    const before = await read()
    await stage.database.query('update conversations set lifetime_value = 5 where channel_id = any($1::text[])', [
      channels.map(({ channelId }) => channelId),
    ])
    expect((await read()).map(({ revision }, index) => revision - before[index]!.revision)).toEqual([2, 2, 2])
    for (const [index, channel] of channels.entries()) {
      const { changed } = await readChanges(stage.database, channel, before[index]!.revision)
      expect(changed).toHaveLength(2)
    }
  })

  test('a rolled-back savepoint is not counted, and the rest of the transaction is', async () => {
    await write(row('a'), row('b'))
    const before = await revision()
    const takeBack = (tx: Queryable, work: () => Promise<unknown>) =>
      tx
        .execute('savepoint before')
        .then(work)
        .then(() => tx.execute('rollback to savepoint before'))
    await stage.database.transaction((tx) =>
      takeBack(tx, () => upsertConversations(tx, stage.key, [row('a', 9), row('c')])),
    )
    expect(await revision()).toBe(before)
    await stage.database.transaction(async (tx) => {
      await takeBack(tx, () => upsertConversations(tx, stage.key, [row('a', 9), row('c')]))
      await upsertConversations(tx, stage.key, [row('b', 9)])
      await takeBack(tx, () => upsertConversations(tx, stage.key, [row('b', 10), row('d')]))
    })
    expect([await revision(), await touchedSince(before)]).toEqual([before + 1, ['b']])
  })

  test('a channel that is deleted and created again continues counting', async () => {
    await write(row('a', 1, true), row('b'))
    const before = await revision()
    await stage.database.transaction(async (tx) => {
      for (const table of ['workspace_channels', 'conversations', 'channels']) {
        await sql(`delete from ${table} where organization_id = $1 and channel_id = $2`, [], tx)
      }
    })
    expect([await revision(), await touchedSince(before)]).toEqual([before + 2, ['a', 'b']])
    await sql("insert into channels (organization_id, channel_id, type, name) values ($1, $2, 'FB_PAGE', 'Again')")
    await stage.database.transaction((tx) => upsertConversations(tx, stage.key, [row('b', 1), row('c')]))
    expect([await revision(), await touchedSince(before)]).toEqual([before + 4, ['a', 'b', 'c']])
  })

  test('TRUNCATE touches any number of conversations of every channel', async () => {
    await write(row('a', 1, true))
    const own = [stage.key]
    await useNewChannel()
    own.push(stage.key)
    const rolledBack = stage.database.transaction(async (tx) => {
      // Other tests leave thousands of channels behind, each of which would count.
      await tx.query(
        'create temporary table own on commit drop as select * from audiences where organization_id = $1',
        [stage.tenant.organizationId],
      )
      await tx.execute('truncate audiences cascade; insert into audiences select * from own')
      // The transaction never commits, so it counts after each statement.
      await tx.execute('set constraints all immediate')
      const revisions = () =>
        Promise.all(own.map(async (channel) => (await readAudienceRevision(tx, channel)).revision))
      for (const [text, tables] of [
        ['truncate vip_marks', 1],
        ['truncate conversations cascade', 2],
      ] as const) {
        const before = await revisions()
        await tx.execute(text)
        expect(await revisions()).toEqual(before.map((revision) => revision + tables))
        for (const [index, channel] of own.entries()) {
          expect((await readChanges(tx, channel, before[index]!)).changed).toBe('all')
        }
      }
      throw new Error('so that the data of other tests stay')
    })
    await expect(rolledBack).rejects.toThrow('stay')
  })
})

describe('the changes of several audiences', () => {
  const ids = ({ changed }: { changed: 'all' | { conversationId: string }[] }): unknown =>
    changed === 'all' ? changed : changed.map(({ conversationId }) => conversationId).sort()

  test('are read by one statement: of other organizations, unknown, unchanged, and older than the log', async () => {
    const other = await Tenant.create(stage.testApp)
    const otherWorkspaceId = await other.workspace('VIP')
    const others = { organizationId: other.organizationId, channelId: await other.channel([otherWorkspaceId]) }
    await write(row('a', 1, true), row('b', 2))
    await stage.database.transaction((tx) =>
      upsertConversations(tx, { ...others, workspaceId: otherWorkspaceId }, [row('a', 9, true)]),
    )
    const [own, theirs] = [await revision(), (await readAudienceRevision(stage.database, others)).revision]
    await write(row('c', 3))
    const unknown = { ...stage.key, channelId: 'FB_PAGE_0' }
    const all = await readAudienceChanges(stage.database, [
      { channel: stage.key, since: own },
      { channel: unknown, since: 0 },
      { channel: others, since: 0 },
      { channel: others, since: theirs },
      { channel: stage.key, since: 0 },
      { channel: unknown, since: 1 },
    ])
    expect(all.map(ids)).toEqual([['c'], [], ['a'], [], ['a', 'b', 'c'], 'all'])
    expect(all.map(({ reached }) => reached.revision)).toEqual([own + 1, 0, theirs, theirs, own + 1, 0])
    const [, , { changed }] = all as [unknown, unknown, { changed: { row: AudienceRow }[] }]
    expect(changed[0]!.row).toMatchObject({ lifetime_amount: 9, vip_of: [otherWorkspaceId] })
  })

  test('are read by one statement for simultaneous requests, and its failure fails only these', async () => {
    await write(row('a'))
    const asked: number[] = []
    let isDown = false
    const counting = {
      ...stage.database,
      query: (text: string, values: unknown[][]) => {
        asked.push(Array.isArray(values[0]) ? values[0].length : 1)
        return isDown ? Promise.reject(new Error('down')) : stage.database.query(text, values)
      },
    } as unknown as Database
    const read = createChangesReader(counting)
    const now = await revision()
    const several = await Promise.all([read(stage.key, 0, 1), read(stage.key, now, 1), read(stage.key, 0, 1)])
    expect(several.map(ids)).toEqual([['a'], [], ['a']])
    expect(asked).toEqual([3])
    isDown = true
    const failed = await Promise.allSettled([read(stage.key, 0, 1), read(stage.key, 0, 1)])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isDown = false
    // Small requests do not wait for large ones.
    const many = await Promise.all([read(stage.key, 0, 1), read(stage.key, 0, 5_000), read(stage.key, 0, 1)])
    expect(many.map(ids)).toEqual([['a'], ['a'], ['a']])
    expect(asked).toEqual([3, 2, 1, 1, 1])
  })
})
