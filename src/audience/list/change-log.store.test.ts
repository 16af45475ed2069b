import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operatorCall, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { TEST_DATABASE_URL } from '../../../test/test-database.js'
import type { Database, Queryable } from '../../database/database.js'
import type { ChannelKey } from '../../http/snapshot.js'
import { setVipMarks, upsertConversations } from '../conversations.store.js'
import type { ConversationRow } from '../fields.js'
import { type AudienceRow, readAudienceChanges, readAudienceRevision } from './change-log.store.js'
import { createChangesReader } from './changes-reader.js'

/** How many touched conversations the log of a channel keeps, and at most one transaction's more (migrations/0005). */
const CHANGES_KEPT = 10_000

let testApp: TestApp
let database: Database
let tenant: Tenant
let workspaceId: string
let key: ChannelKey

beforeAll(async () => {
  testApp = await startTestApp()
  database = testApp.context.database
})
beforeEach(async () => {
  tenant = await Tenant.create(testApp)
  workspaceId = await tenant.workspace('VIP')
  await useNewChannel()
})

async function useNewChannel(): Promise<void> {
  key = { organizationId: tenant.organizationId, channelId: await tenant.channel([workspaceId]) }
}

const row = (id: string, value = 0, vip?: boolean): ConversationRow => ({
  conversation_id: id,
  cuid: `u-${id}`,
  lifetime_amount: value,
  ...(vip === undefined ? {} : { vip }),
})
const write = (...rows: ConversationRow[]) =>
  database.transaction((tx) => upsertConversations(tx, { ...key, workspaceId }, rows))
const revision = async (): Promise<number> => (await readAudienceRevision(database, key)).revision
/** Plain SQL on the channel: $1 is the organization, $2 the channel. */
const sql = (text: string, values: unknown[] = [], on: Queryable = database) =>
  on.query(text, [key.organizationId, key.channelId, ...values])
const readChanges = async (on: Queryable, channel: typeof key, since: number) =>
  (await readAudienceChanges(on, [{ channel, since }]))[0]!
/** The conversations that were touched after the revision, by id. */
async function touchedSince(since: number): Promise<'all' | string[]> {
  const { changed } = await readChanges(database, key, since)
  return changed === 'all' ? changed : changed.map(({ conversationId }) => conversationId).sort()
}

/** A copy of the audience that is kept by reading what changed. */
class Copy {
  readonly rows = new Map<string, AudienceRow>()
  revision = 0
  rebuilds = 0

  async refresh(): Promise<void> {
    const { reached, changed } = await readChanges(database, key, this.revision)
    if (changed === 'all') return await this.rebuild()
    for (const { conversationId, row } of changed) {
      if (row === undefined) this.rows.delete(conversationId)
      else this.rows.set(conversationId, { ...row, vip_of: row.vip_of.toSorted() })
    }
    this.revision = reached.revision
  }

  async rebuild(): Promise<void> {
    this.rebuilds += 1
    this.revision = await revision()
    this.rows.clear()
    for (const row of await table()) this.rows.set(row.conversation_id, row)
  }

  /** In the table's order. */
  list(): AudienceRow[] {
    return [...this.rows.values()].sort((a, b) => (a.conversation_id < b.conversation_id ? -1 : 1))
  }
}

async function table(): Promise<AudienceRow[]> {
  const { rows } = await database.query<AudienceRow>(
    `select conversation_id, cuid, user_name, first_name, last_name, profile_pic, birthday, last_purchase_at_ms,
            last_user_message_at_ms, last_app_open_at_ms, lifetime_value as lifetime_amount,
            array(select workspace_id from vip_marks v
                   where v.organization_id = $1 and v.channel_id = $2 and v.conversation_id = c.conversation_id
                   order by workspace_id) as vip_of
       from conversations c where organization_id = $1 and channel_id = $2 order by conversation_id`,
    [key.organizationId, key.channelId],
  )
  return rows
}

const countNotes = async (): Promise<number> =>
  (
    await database.query<{ ids: number }>(
      `select coalesce(sum(cardinality(conversation_ids)), 0)::bigint as ids from audience_changes
        where organization_id = $1 and channel_id = $2`,
      [key.organizationId, key.channelId],
    )
  ).rows[0]!.ids

function newGate() {
  let open = (): void => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, passed }
}

/** `count` conversations c000001… in one statement. */
const fill = (count: number) =>
  sql(
    `insert into conversations (organization_id, channel_id, conversation_id, cuid)
     select $1, $2, 'c' || lpad(n::text, 6, '0'), 'u' from generate_series(1, $3::int) n`,
    [count],
  )

describe('what is recorded', () => {
  test('a write gives the channel its next revision and notes what it touched, of this channel alone', async () => {
    const before = key
    await write(row('a', 1, true), row('b', 2))
    await useNewChannel()
    // Each was connected, which counts as well.
    const now = [await readAudienceRevision(database, key), await readAudienceRevision(database, before)]
    expect(now.map(({ revision }) => revision)).toEqual([1, 3])
    expect(await readChanges(database, key, 0)).toEqual({ reached: now[0], changed: [] })
    key = before
    await write(row('b', 3), row('c', 4))
    const { reached, changed } = await readChanges(database, key, 3)
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
    expect((await readChanges(database, key, 0)).changed).toContainEqual(
      expect.objectContaining({ row: expect.objectContaining({ conversation_id: 'a', vip_of: [workspaceId] }) }),
    )
  })

  test('what changes nothing records nothing, and a line that changes nothing is not noted with its batch', async () => {
    await write(row('a', 1, true), row('b', 2, false))
    const before = await revision()
    await write(row('a', 1, true), row('b', 2, false))
    expect(await setVipMarks(database, { ...key, workspaceId }, ['a'], true)).toEqual([])
    expect(await setVipMarks(database, { ...key, workspaceId }, ['b'], false)).toEqual([])
    await sql('update conversations set cuid = cuid where organization_id = $1 and channel_id = $2 and false')
    await sql("delete from conversations where organization_id = $1 and channel_id = $2 and conversation_id = 'c'")
    expect(await revision()).toBe(before)
    await write(row('a', 1, true), row('b', 5, true))
    const { changed } = await readChanges(database, key, before)
    expect(changed).toEqual([expect.objectContaining({ conversationId: 'b' })])
  })

  test('what is rolled back records nothing', async () => {
    await write(row('a'))
    const before = await revision()
    const refused = database.transaction(async (tx) => {
      await upsertConversations(tx, key, [row('a', 9), row('b')])
      throw new Error('the caller thought better of it')
    })
    await expect(refused).rejects.toThrow('thought better')
    expect(await readChanges(database, key, before)).toEqual({
      reached: expect.objectContaining({ revision: before }),
      changed: [],
    })
  })

  test('the operations record: an import, a mark, an unmark, a disconnection; a conversation that went is told as gone', async () => {
    const organization = `/organizations/${tenant.organizationId}`
    const channel = `channels/${key.channelId}`
    const calls: [method: 'POST' | 'PUT' | 'DELETE', path: string][] = [
      ['POST', `${organization}/${channel}/conversations`],
      ['PUT', `${organization}/workspaces/${workspaceId}/${channel}/vips/a`],
      ['DELETE', `${organization}/workspaces/${workspaceId}/${channel}/vips/a`],
      ['DELETE', `${organization}/workspaces/${workspaceId}/${channel}`],
    ]
    const seen = [0]
    for (const [method, path] of calls) {
      const options = {
        body: '{"conversationId":"a","cuid":"u"}\n',
        headers: { 'content-type': 'application/x-ndjson' },
      }
      await operatorCall(testApp, 200, method, path, method === 'POST' ? options : {})
      expect(await revision()).toBeGreaterThan(seen.at(-1)!)
      seen.push(await revision())
      // To do it again changes nothing.
      await operatorCall(testApp, 200, method, path, method === 'POST' ? options : {}).catch(() => {})
      expect(await revision()).toBe(seen.at(-1)!)
    }
    // No mark went with the connection.
    expect(await readChanges(database, key, seen.at(-2)!)).toEqual({
      reached: expect.objectContaining({ revision: seen.at(-1) }),
      changed: [],
    })

    await sql('delete from conversations where organization_id = $1 and channel_id = $2')
    const { changed } = await readChanges(database, key, seen.at(-1)!)
    expect(changed).toEqual([{ conversationId: 'a', row: undefined }])
  })

  test('the log stays bounded; a reader that asks for more than it holds must read everything again', async () => {
    const batch = CHANGES_KEPT / 4
    await fill(batch)
    for (let round = 0; round < 7; round++) {
      await sql('update conversations set lifetime_value = $3 where organization_id = $1 and channel_id = $2', [round])
      expect(await countNotes()).toBeLessThanOrEqual(CHANGES_KEPT + batch)
    }
    const now = await revision()
    expect(await touchedSince(now - CHANGES_KEPT)).toHaveLength(batch)
    expect(await touchedSince(now - CHANGES_KEPT - 1)).toBe('all')
    // A revision that was never given: of another database, or of this one before it was restored.
    expect(await touchedSince(now + 1)).toBe('all')
  })

  test('of more than 10,000 conversations in one transaction none is noted, in one statement or in several', async () => {
    const before = await revision()
    await fill(CHANGES_KEPT)
    expect(await revision()).toBe(before + CHANGES_KEPT)
    expect(await touchedSince(before)).toHaveLength(CHANGES_KEPT)

    await write(row('one-more'))
    const full = await revision()
    await sql('update conversations set lifetime_value = 6 where organization_id = $1 and channel_id = $2')
    expect([await revision(), await touchedSince(full), await countNotes()]).toEqual([full + 1, 'all', 0])

    const half = 'delete from conversations where organization_id = $1 and channel_id = $2 and conversation_id < $3'
    await database.transaction(async (tx) => {
      for (const end of ['c005000', 'z']) await sql(half, [end], tx)
    })
    expect([await revision(), await touchedSince(full + 1), await countNotes()]).toEqual([full + 2, 'all', 0])

    await write(row('one-more'))
    expect(await touchedSince(full + 2)).toEqual(['one-more'])
    expect(await touchedSince(full + 1)).toBe('all')
  })
})

describe('what is touched, by whichever statement', () => {
  test.each<[what: string, text: string, touched: string[]]>([
    ['an insert', "insert into conversations values ($1, $2, 'd', 'u'), ($1, $2, 'e', 'u')", ['d', 'e']],
    ['an update', "update conversations set birthday = '--01-01' where {own} and conversation_id < 'c'", ['a', 'b']],
    ['a new id', "update conversations set conversation_id = 'z' where {own} and conversation_id = 'c'", ['c', 'z']],
    [
      'an insert that updates what is there',
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
    const from = key
    await write(row('a'), row('b'))
    await useNewChannel()
    const to = key
    const other = await tenant.workspace('VIP')
    const revisionOf = async (channel: ChannelKey) => (await readAudienceRevision(database, channel)).revision
    const before = [await revisionOf(from), await revisionOf(to)]
    key = from
    await sql(
      "update conversations set channel_id = $3 where organization_id = $1 and channel_id = $2 and conversation_id = 'a'",
      [to.channelId],
    )
    expect((await readChanges(database, from, before[0]!)).changed).toEqual([{ conversationId: 'a', row: undefined }])
    expect((await readChanges(database, to, before[1]!)).changed).toEqual([
      { conversationId: 'a', row: expect.objectContaining({ conversation_id: 'a' }) },
    ])
    await sql('insert into workspace_channels values ($1, $3, $2)', [other])
    await sql(
      'update workspace_channels set channel_id = $3 where organization_id = $1 and channel_id = $2 and workspace_id = $4',
      [await tenant.channel(), other],
    )
    expect(await revision()).toBe(before[0]! + 3)
    expect(await touchedSince(before[0]! + 1)).toEqual([])
  })

  test('several statements in one transaction are one revision, which counts a conversation once', async () => {
    await write(row('a'), row('b'))
    const before = await revision()
    const notes = () =>
      sql('select from audience_changes where organization_id = $1 and channel_id = $2 and revision > $3', [before])
    await database.transaction(async (tx) => {
      for (let value = 1; value <= 300; value++)
        await upsertConversations(tx, { ...key, workspaceId }, [row('a', value, value % 2 === 0)])
      await upsertConversations(tx, key, [row('c'), row('b', 1)])
      await sql('select from conversations where organization_id = $1 and channel_id = $2', [], tx)
      expect((await readAudienceRevision(tx, key)).revision).toBe(before)
    })
    expect([await revision(), await touchedSince(before), (await notes()).rowCount]).toEqual([
      before + 3,
      ['a', 'b', 'c'],
      1,
    ])
  })

  test('one statement on channels of two organizations is a revision of each of them', async () => {
    const own = [key, { ...key, channelId: await tenant.channel([workspaceId]) }]
    const other = await Tenant.create(testApp)
    const channels = [...own, { organizationId: other.organizationId, channelId: await other.channel([]) }]
    for (const { organizationId, channelId } of channels) {
      await database.query(
        `insert into conversations (organization_id, channel_id, conversation_id, cuid, lifetime_value, lifetime_amount)
         select $1, $2, id, id, 0, 0 from unnest(array['a', 'b']) as t (id)`,
        [organizationId, channelId],
      )
    }
    const read = () => Promise.all(channels.map((channel) => readAudienceRevision(database, channel)))
    const before = await read()
    await database.query('update conversations set lifetime_value = 5 where channel_id = any($1::text[])', [
      channels.map(({ channelId }) => channelId),
    ])
    expect((await read()).map(({ revision }, index) => revision - before[index]!.revision)).toEqual([2, 2, 2])
    for (const [index, channel] of channels.entries()) {
      const { changed } = await readChanges(database, channel, before[index]!.revision)
      expect(changed).toHaveLength(2)
    }
  })

  test('what a savepoint took back is not counted, and the rest of the transaction is', async () => {
    await write(row('a'), row('b'))
    const before = await revision()
    const takeBack = (tx: Queryable, work: () => Promise<unknown>) =>
      tx
        .execute('savepoint before')
        .then(work)
        .then(() => tx.execute('rollback to savepoint before'))
    await database.transaction((tx) => takeBack(tx, () => upsertConversations(tx, key, [row('a', 9), row('c')])))
    expect(await revision()).toBe(before)
    await database.transaction(async (tx) => {
      await takeBack(tx, () => upsertConversations(tx, key, [row('a', 9), row('c')]))
      await upsertConversations(tx, key, [row('b', 9)])
      await takeBack(tx, () => upsertConversations(tx, key, [row('b', 10), row('d')]))
    })
    expect([await revision(), await touchedSince(before)]).toEqual([before + 1, ['b']])
  })

  test('a channel that is deleted and made again goes on counting', async () => {
    await write(row('a', 1, true), row('b'))
    const before = await revision()
    await database.transaction(async (tx) => {
      for (const table of ['workspace_channels', 'conversations', 'channels']) {
        await sql(`delete from ${table} where organization_id = $1 and channel_id = $2`, [], tx)
      }
    })
    expect([await revision(), await touchedSince(before)]).toEqual([before + 2, ['a', 'b']])
    await sql("insert into channels (organization_id, channel_id, type, name) values ($1, $2, 'FB_PAGE', 'Again')")
    await database.transaction((tx) => upsertConversations(tx, key, [row('b', 1), row('c')]))
    expect([await revision(), await touchedSince(before)]).toEqual([before + 4, ['a', 'b', 'c']])
  })

  test('TRUNCATE touches any number of conversations of every channel', async () => {
    await write(row('a', 1, true))
    const own = [key]
    await useNewChannel()
    own.push(key)
    const rolledBack = database.transaction(async (tx) => {
      // Other tests leave thousands of channels behind, each of which would count.
      await tx.query(
        'create temporary table own on commit drop as select * from audiences where organization_id = $1',
        [tenant.organizationId],
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

describe('what changed in several audiences', () => {
  const ids = ({ changed }: { changed: 'all' | { conversationId: string }[] }): unknown =>
    changed === 'all' ? changed : changed.map(({ conversationId }) => conversationId).sort()

  test('is read by one statement: of other organizations, unknown, unchanged, and of longer ago than is known', async () => {
    const other = await Tenant.create(testApp)
    const otherWorkspaceId = await other.workspace('VIP')
    const others = { organizationId: other.organizationId, channelId: await other.channel([otherWorkspaceId]) }
    await write(row('a', 1, true), row('b', 2))
    await database.transaction((tx) =>
      upsertConversations(tx, { ...others, workspaceId: otherWorkspaceId }, [row('a', 9, true)]),
    )
    const [own, theirs] = [await revision(), (await readAudienceRevision(database, others)).revision]
    await write(row('c', 3))
    const unknown = { ...key, channelId: 'FB_PAGE_0' }
    const all = await readAudienceChanges(database, [
      { channel: key, since: own },
      { channel: unknown, since: 0 },
      { channel: others, since: 0 },
      { channel: others, since: theirs },
      { channel: key, since: 0 },
      { channel: unknown, since: 1 },
    ])
    expect(all.map(ids)).toEqual([['c'], [], ['a'], [], ['a', 'b', 'c'], 'all'])
    expect(all.map(({ reached }) => reached.revision)).toEqual([own + 1, 0, theirs, theirs, own + 1, 0])
    const [, , { changed }] = all as [unknown, unknown, { changed: { row: AudienceRow }[] }]
    expect(changed[0]!.row).toMatchObject({ lifetime_amount: 9, vip_of: [otherWorkspaceId] })
  })

  test('is read by one statement when it is asked for at once, which fails for all who wait, and for them alone', async () => {
    await write(row('a'))
    const asked: number[] = []
    let isDown = false
    const counting = {
      ...database,
      query: (text: string, values: unknown[][]) => {
        asked.push(Array.isArray(values[0]) ? values[0].length : 1)
        return isDown ? Promise.reject(new Error('down')) : database.query(text, values)
      },
    } as unknown as Database
    const read = createChangesReader(counting)
    const now = await revision()
    const several = await Promise.all([read(key, 0, 1), read(key, now, 1), read(key, 0, 1)])
    expect(several.map(ids)).toEqual([['a'], [], ['a']])
    expect(asked).toEqual([3])
    isDown = true
    const failed = await Promise.allSettled([read(key, 0, 1), read(key, 0, 1)])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isDown = false
    // Those who ask for little do not wait for those who ask for much.
    const many = await Promise.all([read(key, 0, 1), read(key, 0, 5_000), read(key, 0, 1)])
    expect(many.map(ids)).toEqual([['a'], ['a'], ['a']])
    expect(asked).toEqual([3, 2, 1, 1, 1])
  })
})

describe('a reader that asks for what changed misses nothing', () => {
  test('of two writers at once, whichever of them began or wrote first', async () => {
    const copy = new Copy()
    await write(row('a'), row('b'))
    await copy.refresh()
    const gate = newGate()
    const wrote: string[] = []
    const slow = database.transaction(async (tx) => {
      await upsertConversations(tx, key, [row('a', 1)])
      wrote.push('slow')
      await gate.passed
    })
    while (wrote.length === 0) await new Promise((resolve) => setImmediate(resolve))
    // On the embedded engine it waits for the other's end.
    const quick = write(row('b', 2)).then(() => wrote.push('quick'))
    if (database.engine === 'postgres') {
      await quick
      await copy.refresh()
      expect(copy.list().map((found) => found.lifetime_amount)).toEqual([0, 2])
    }
    gate.open()
    await Promise.all([slow, quick])
    await copy.refresh()
    expect(wrote).toEqual(['slow', 'quick'])
    expect(copy.list()).toEqual(await table())
    expect(copy.list().map((found) => found.lifetime_amount)).toEqual([1, 2])
    expect(copy.rebuilds).toBe(0)
  })

  test.runIf(TEST_DATABASE_URL !== undefined)(
    'of transactions at once, which wait for each other at the rows that both change and nowhere else',
    async () => {
      await write(...['a', 'b', 'c', 'd'].map((id) => row(id)))
      const before = await revision()
      let runs = 0
      const [firstWrote, secondWrote] = [newGate(), newGate()]
      const first = database.transaction(async (tx) => {
        runs += 1
        await upsertConversations(tx, key, [row('a', 1)])
        firstWrote.open()
        await secondWrote.passed
        // Waits for the end of the second, which needs nothing that the first has locked.
        await upsertConversations(tx, key, [row('b', 1), row('c', 1)])
      })
      const second = database.transaction(async (tx) => {
        runs += 1
        await firstWrote.passed
        await upsertConversations(tx, { ...key, workspaceId }, [row('b', 2), row('d', 0, true)])
        secondWrote.open()
      })
      await Promise.all([first, second])
      expect([runs, await revision()]).toEqual([2, before + 5])
      expect(await touchedSince(before)).toEqual(['a', 'b', 'c', 'd'])
      expect(await touchedSince(before + 2)).toEqual(['a', 'b', 'c'])
    },
  )

  test('of many writers of one row at once: each has revisions of its own, and none is run again', async () => {
    await write(row('shared'))
    const before = await revision()
    let runs = 0
    const writer = async (name: string): Promise<string[]> => {
      const ids = Array.from({ length: 10 }, (_, index) => `${name}${index}`)
      for (const [index, id] of ids.entries()) {
        await database.transaction(async (tx) => {
          runs += 1
          await upsertConversations(tx, key, [row(id)])
          await sql(
            `update conversations set user_name = $3 where organization_id = $1 and channel_id = $2
                and conversation_id = 'shared'`,
            [`${name} ${index}`],
            tx,
          )
        })
      }
      return ids
    }
    const written = (await Promise.all(['a', 'b', 'c', 'd'].map(writer))).flat()
    expect([runs, await revision()]).toEqual([written.length, before + 2 * written.length])
    expect(await touchedSince(before)).toEqual([...written, 'shared'].sort())
  })

  const IDS = ['a', 'b', 'c', 'd', 'é', 'Z']
  const change = fc.oneof(
    fc.record({
      rows: fc.array(
        fc.record({ id: fc.constantFrom(...IDS), value: fc.integer({ min: 0, max: 9 }), vip: fc.boolean() }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    fc.record({ mark: fc.constantFrom(...IDS), vip: fc.boolean() }),
    fc.record({ remove: fc.constantFrom(...IDS) }),
    fc.constant('fail' as const),
  )

  test('any changes by two writers at once, read in between, leave the copy equal to the table', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.array(change, { maxLength: 12 }), async (...scripts) => {
        await useNewChannel()
        const target = { ...key, workspaceId }
        const apply = (step: (typeof scripts)[0][0]): Promise<void> =>
          database.transaction(async (tx) => {
            if (step === 'fail') {
              await upsertConversations(tx, target, [row('never', 1, true)])
              throw new Error('as the script says')
            }
            if ('rows' in step) {
              const rows = step.rows.map(({ id, value, vip }) => row(id, value, vip))
              await upsertConversations(tx, target, rows)
            } else if ('mark' in step) {
              const exists = await tx.query(
                'select from conversations where organization_id = $1 and channel_id = $2 and conversation_id = $3 for update',
                [key.organizationId, key.channelId, step.mark],
              )
              if (exists.rowCount === 1) await setVipMarks(tx, target, [step.mark], step.vip)
            } else {
              await tx.query(
                'delete from conversations where organization_id = $1 and channel_id = $2 and conversation_id = $3',
                [key.organizationId, key.channelId, step.remove],
              )
            }
          })
        const run = async (script: (typeof scripts)[0]): Promise<void> => {
          for (const step of script) {
            await apply(step).catch((error: Error) => expect(error.message).toBe('as the script says'))
          }
        }
        const copy = new Copy()
        let running = true
        const reading = (async () => {
          while (running) await copy.refresh()
        })()
        await Promise.all(scripts.map(run)).finally(() => {
          running = false
        })
        await reading
        await copy.refresh()
        expect(copy.list()).toEqual(await table())
        expect(copy.rebuilds).toBe(0)
      }),
      { numRuns: 25 },
    )
  })
})
