import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ChangeLogStage, row } from '../../../test/change-log-stage.js'
import { runs } from '../../../test/runs.js'
import { TEST_DATABASE_URL } from '../../../test/test-database.js'
import { setVipMarks, upsertConversations } from '../conversations.store.js'
import type { AudienceRow } from './change-log.store.js'

const stage = new ChangeLogStage()
const { useNewChannel, write, revision, sql, readChanges, touchedSince } = stage

/** A copy of the audience that is maintained by reading the changes. */
class Copy {
  readonly rows = new Map<string, AudienceRow>()
  revision = 0
  rebuilds = 0

  async refresh(): Promise<void> {
    const { reached, changed } = await readChanges(stage.database, stage.key, this.revision)
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
  const { rows } = await stage.database.query<AudienceRow>(
    `select conversation_id, cuid, user_name, first_name, last_name, profile_pic, birthday, last_purchase_at_ms,
            last_user_message_at_ms, last_app_open_at_ms, lifetime_value as lifetime_amount,
            array(select workspace_id from vip_marks v
                   where v.organization_id = $1 and v.channel_id = $2 and v.conversation_id = c.conversation_id
                   order by workspace_id) as vip_of
       from conversations c where organization_id = $1 and channel_id = $2 order by conversation_id`,
    [stage.key.organizationId, stage.key.channelId],
  )
  return rows
}

function newGate() {
  let open = (): void => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, passed }
}

describe('a reader of the changes misses nothing', () => {
  test('from two simultaneous writers, whichever began or wrote first', async () => {
    const copy = new Copy()
    await write(row('a'), row('b'))
    await copy.refresh()
    const gate = newGate()
    const wrote: string[] = []
    const slow = stage.database.transaction(async (tx) => {
      await upsertConversations(tx, stage.key, [row('a', 1)])
      wrote.push('slow')
      await gate.passed
    })
    while (wrote.length === 0) await new Promise((resolve) => setImmediate(resolve))
    // On the embedded engine it waits for the other's end.
    const quick = write(row('b', 2)).then(() => wrote.push('quick'))
    if (stage.database.engine === 'postgres') {
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
    'from simultaneous transactions, which wait for each other only at rows that both change',
    async () => {
      await write(...['a', 'b', 'c', 'd'].map((id) => row(id)))
      const before = await revision()
      let runs = 0
      const [firstWrote, secondWrote] = [newGate(), newGate()]
      const first = stage.database.transaction(async (tx) => {
        runs += 1
        await upsertConversations(tx, stage.key, [row('a', 1)])
        firstWrote.open()
        await secondWrote.passed
        // Waits for the end of the second, which needs nothing that the first has locked.
        await upsertConversations(tx, stage.key, [row('b', 1), row('c', 1)])
      })
      const second = stage.database.transaction(async (tx) => {
        runs += 1
        await firstWrote.passed
        await upsertConversations(tx, stage.target, [row('b', 2), row('d', 0, true)])
        secondWrote.open()
      })
      await Promise.all([first, second])
      expect([runs, await revision()]).toEqual([2, before + 5])
      expect(await touchedSince(before)).toEqual(['a', 'b', 'c', 'd'])
      expect(await touchedSince(before + 2)).toEqual(['a', 'b', 'c'])
    },
  )

  test('from many simultaneous writers of one row: each has its own revisions, and none is run again', async () => {
    await write(row('shared'))
    const before = await revision()
    let runs = 0
    const writer = async (name: string): Promise<string[]> => {
      const ids = Array.from({ length: 10 }, (_, index) => `${name}${index}`)
      for (const [index, id] of ids.entries()) {
        await stage.database.transaction(async (tx) => {
          runs += 1
          await upsertConversations(tx, stage.key, [row(id)])
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

  test('any changes by two simultaneous writers, read in between, leave the copy equal to the table', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.array(change, { maxLength: 12 }), async (...scripts) => {
        await useNewChannel()
        const target = stage.target
        const apply = (step: (typeof scripts)[0][0]): Promise<void> =>
          stage.database.transaction(async (tx) => {
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
                [stage.key.organizationId, stage.key.channelId, step.mark],
              )
              if (exists.rowCount === 1) await setVipMarks(tx, target, [step.mark], step.vip)
            } else {
              await tx.query(
                'delete from conversations where organization_id = $1 and channel_id = $2 and conversation_id = $3',
                [stage.key.organizationId, stage.key.channelId, step.remove],
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
      { numRuns: runs(6, 25) },
    )
  })
})
