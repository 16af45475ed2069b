import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operatorCall, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import type { Database } from '../../database/database.js'
import type { ChannelKey } from '../../http/snapshot.js'
import { type ConversationRow, changeVipMark, upsertConversations } from '../conversations.store.js'
import {
  AUDIENCE_CHANGES_KEPT,
  type AudienceRow,
  readAudienceChanges,
  readAudienceRevision,
  recordAudienceChange,
} from './change-log.store.js'

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
  lifetime_value: value,
  ...(vip === undefined ? {} : { vip }),
})
const write = (...rows: ConversationRow[]) =>
  database.transaction((tx) => upsertConversations(tx, { ...key, workspaceId }, rows))
const revision = (): Promise<number> => readAudienceRevision(database, key)

/** A copy of the audience that is kept by reading what changed. */
class Copy {
  readonly rows = new Map<string, AudienceRow>()
  revision = 0
  rebuilds = 0

  async refresh(): Promise<void> {
    const { revision, changed } = await readAudienceChanges(database, key, this.revision)
    if (changed === 'all') return await this.rebuild()
    for (const { conversationId, row } of changed) {
      if (row === undefined) this.rows.delete(conversationId)
      else this.rows.set(conversationId, { ...row, vip_of: row.vip_of.toSorted() })
    }
    this.revision = revision
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
            last_user_message_at_ms, last_app_open_at_ms, lifetime_value,
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

describe('what is recorded', () => {
  test('a write gives the channel its next revision and notes what it touched, of this channel alone', async () => {
    const before = key
    await write(row('a', 1, true), row('b', 2))
    await useNewChannel()
    expect([await readAudienceRevision(database, key), await readAudienceRevision(database, before)]).toEqual([0, 2])
    expect(await readAudienceChanges(database, key, 0)).toEqual({ revision: 0, changed: [] })
    key = before
    await write(row('b', 3), row('c', 4))
    const { revision, changed } = await readAudienceChanges(database, key, 2)
    expect(revision).toBe(4)
    expect(changed).toHaveLength(2)
    expect(changed).toContainEqual({
      conversationId: 'b',
      row: {
        ...{ conversation_id: 'b', cuid: 'u-b', user_name: null, first_name: null, last_name: null, birthday: null },
        ...{ profile_pic: null, last_purchase_at_ms: null, last_user_message_at_ms: null, last_app_open_at_ms: null },
        ...{ lifetime_value: 3, vip_of: [] },
      },
    })
    expect((await readAudienceChanges(database, key, 0)).changed).toContainEqual(
      expect.objectContaining({ row: expect.objectContaining({ conversation_id: 'a', vip_of: [workspaceId] }) }),
    )
  })

  test('what changes nothing records nothing, and a line that changes nothing is not noted with its batch', async () => {
    await write(row('a', 1, true), row('b', 2, false))
    const before = await revision()
    await write(row('a', 1, true), row('b', 2, false))
    await database.transaction((tx) => changeVipMark(tx, { ...key, workspaceId }, 'a', true))
    await database.transaction((tx) => changeVipMark(tx, { ...key, workspaceId }, 'b', false))
    expect(await revision()).toBe(before)
    await write(row('a', 1, true), row('b', 5, true))
    const { changed } = await readAudienceChanges(database, key, before)
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
    expect(await readAudienceChanges(database, key, before)).toEqual({ revision: before, changed: [] })
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
    // Which marks went with the connection is not known.
    expect(await readAudienceChanges(database, key, seen.at(-2)!)).toEqual({ revision: seen.at(-1), changed: 'all' })

    await tenant.changeAudience(
      key.channelId,
      ['a'],
      'delete from conversations where organization_id = $1 and channel_id = $2',
      [],
    )
    const { changed } = await readAudienceChanges(database, key, seen.at(-1)!)
    expect(changed).toEqual([{ conversationId: 'a', row: undefined }])
  })

  test('the log stays bounded; who asks for more than it holds must read everything anew', async () => {
    const ids = Array.from({ length: AUDIENCE_CHANGES_KEPT / 4 }, (_, index) => `c${index}`)
    const record = (touched?: string[]) => database.transaction((tx) => recordAudienceChange(tx, key, touched))
    for (let batch = 0; batch < 12; batch++) {
      await record(ids)
      expect(await countNotes()).toBeLessThanOrEqual(AUDIENCE_CHANGES_KEPT + ids.length)
    }
    const now = await revision()
    expect((await readAudienceChanges(database, key, now - AUDIENCE_CHANGES_KEPT)).changed).toHaveLength(ids.length)
    expect((await readAudienceChanges(database, key, now - AUDIENCE_CHANGES_KEPT - 1)).changed).toBe('all')
    // A revision that was never given: of another database, or of this one before it was restored.
    expect((await readAudienceChanges(database, key, now + 1)).changed).toBe('all')

    await record(Array.from({ length: AUDIENCE_CHANGES_KEPT + 1 }, (_, index) => `d${index}`))
    expect((await readAudienceChanges(database, key, now)).changed).toBe('all')
    expect(await countNotes()).toBe(0)
    const after = await revision()
    await record(['a'])
    expect((await readAudienceChanges(database, key, after)).changed).toEqual([{ conversationId: 'a', row: undefined }])
    expect((await readAudienceChanges(database, key, now)).changed).toBe('all')
  })
})

describe('a reader that asks for what changed misses nothing', () => {
  test('of two writers at once, whichever of them began or wrote first', async () => {
    const copy = new Copy()
    await write(row('a'), row('b'))
    await copy.refresh()
    let goOn = (): void => {}
    const gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const wrote: string[] = []
    const slow = database.transaction(async (tx) => {
      await upsertConversations(tx, key, [row('a', 1)])
      wrote.push('slow')
      await gate
    })
    while (wrote.length === 0) await new Promise((resolve) => setImmediate(resolve))
    // Waits for the other's revision, or on the embedded engine for its end.
    const quick = write(row('b', 2)).then(() => wrote.push('quick'))
    if (database.engine === 'postgres') await copy.refresh()
    goOn()
    await Promise.all([slow, quick])
    await copy.refresh()
    expect(wrote).toEqual(['slow', 'quick'])
    expect(copy.list()).toEqual(await table())
    expect(copy.list().map((found) => found.lifetime_value)).toEqual([1, 2])
    expect(copy.rebuilds).toBe(0)
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
              if (exists.rowCount === 1) await changeVipMark(tx, target, step.mark, step.vip)
            } else {
              const { rowCount } = await tx.query(
                'delete from conversations where organization_id = $1 and channel_id = $2 and conversation_id = $3',
                [key.organizationId, key.channelId, step.remove],
              )
              if (rowCount === 1) await recordAudienceChange(tx, key, [step.remove])
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
