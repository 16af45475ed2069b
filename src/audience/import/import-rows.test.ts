import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { inLongSuite, runs } from '../../../test/runs.js'
import { TEST_DATABASE_URL } from '../../../test/test-database.js'
import type { Database } from '../../database/database.js'
import type { ConversationRow } from '../fields.js'
import { BATCH_ROWS, importConversationRows } from './import-rows.js'

let testApp: TestApp
let tenant: Tenant
let workspaceId: string
let channelId: string
let target: { organizationId: string; channelId: string }

beforeAll(async () => {
  testApp = await startTestApp()
  await testApp.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => testApp.app.close())
beforeEach(async () => {
  tenant = await Tenant.create(testApp)
  workspaceId = await tenant.workspace('VIP')
  channelId = await tenant.channel([workspaceId])
  target = { organizationId: tenant.organizationId, channelId }
})

/** The rows that one transaction writes. */
const batchRows = (): number => BATCH_ROWS[testApp.context.database.engine]

describe('importConversationRows', () => {
  test('simultaneous imports of the same conversations, in opposite order and with varying columns, all succeed', async () => {
    const rows = Array.from({ length: 900 }, (_, index) => ({
      conversation_id: `c${index}`,
      cuid: 'u',
      ...(index % 2 ? { user_name: 'u' } : {}),
      ...(index % 3 ? { lifetime_amount: index } : {}),
    }))
    const importRows = (given: ConversationRow[]) => importConversationRows(testApp.context.database, target, given)
    await Promise.all([importRows(rows), importRows(rows.toReversed()), importRows(rows)])
    expect(await tenant.countConversations()).toBe(900)
  })

  test.runIf(inLongSuite())(
    'holds only the batch being written and the next one, and writes them in order',
    async () => {
      let taken = 0
      let stored = 0
      let unstoredMax = 0
      function* rows() {
        for (; taken < 10_000; taken++) {
          unstoredMax = Math.max(unstoredMax, taken - stored)
          yield { conversation_id: `c${taken % 9_990}`, cuid: `u${taken}` }
        }
      }
      await importConversationRows(testApp.context.database, target, rows(), {
        onStored(count) {
          stored += count
        },
      })
      expect([taken, stored, await tenant.countConversations()]).toEqual([10_000, 10_000, 9_990])
      expect(unstoredMax).toBeLessThan(2 * batchRows())
      const { rows: repeated } = await testApp.context.database.query<{ cuid: string }>(
        `select cuid from conversations where organization_id = $1 and channel_id = $2 and conversation_id = 'c5'`,
        [tenant.organizationId, channelId],
      )
      expect(repeated).toEqual([{ cuid: 'u9995' }])
    },
  )

  test('the failure of a later batch is reported once, and later rows are not read', async () => {
    let taken = 0
    async function* rows() {
      for (; taken < 10_000; taken++) {
        if (taken % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
        yield { conversation_id: `c${taken}`, cuid: 'u' }
      }
    }
    let stored = 0
    const transaction: Database['transaction'] = (work) =>
      stored === 0 ? testApp.context.database.transaction(work) : Promise.reject(new Error('refused'))
    const importing = importConversationRows({ ...testApp.context.database, transaction }, target, rows(), {
      onStored(count) {
        stored += count
      },
    })
    await expect(importing).rejects.toThrow('refused')
    expect([stored, await tenant.countConversations()]).toEqual([batchRows(), batchRows()])
    expect(taken).toBeLessThan(3 * batchRows())
  })

  test.runIf(TEST_DATABASE_URL === undefined && inLongSuite())(
    'with the embedded engine, a request waits for a batch or two, not for the whole file',
    async () => {
      const { port } = testApp.app.server.address() as { port: number }
      // The response needs a database query.
      const ask = async (): Promise<unknown> => await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()
      await ask()
      const rows = Array.from({ length: 60 * batchRows() }, (_, index) => ({ conversation_id: `c${index}`, cuid: 'u' }))
      let stored = 0
      /** For each request, the number of batches that were stored while it waited. */
      const waits: number[] = []
      const asked: Promise<void>[] = []
      await importConversationRows(testApp.context.database, { ...tenant, channelId }, rows, {
        onStored() {
          stored += 1
          if (stored % 10 !== 0) return
          const before = stored
          asked.push(ask().then(() => void waits.push(stored - before)))
        },
      })
      await Promise.all(asked)
      expect(waits).toHaveLength(6)
      expect(Math.max(...waits)).toBeLessThan(5)
    },
  )

  const TEXTS = ['user_name', 'first_name', 'last_name', 'profile_pic'] as const
  const INSTANTS = ['last_purchase_at_ms', 'last_user_message_at_ms', 'last_app_open_at_ms'] as const
  const anyRow: fc.Arbitrary<ConversationRow> = fc
    .record(
      {
        conversation_id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        cuid: fc.constantFrom('u1', 'u2'),
        ...Object.fromEntries(TEXTS.map((name) => [name, fc.constantFrom(null, '', 'x', '"\\{}, ü', 'null')])),
        ...Object.fromEntries(INSTANTS.map((name) => [name, fc.constantFrom(null, 0, 8_640_000_000_000_000)])),
        birthday: fc.constantFrom(null, '--02-29', '1999-12-31'),
        lifetime_amount: fc.constantFrom(0, -1.5, 0.1 + 0.2, 1e300, 5e-324),
        vip: fc.boolean(),
      },
      { requiredKeys: ['conversation_id', 'cuid'] },
    )
    .map((row) => row as ConversationRow)

  test('columns that a row does not have keep their stored value', async () => {
    const nothing = Object.fromEntries([...TEXTS, ...INSTANTS, 'birthday'].map((name) => [name, null]))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyRow, { minLength: 1, maxLength: 12 }), { maxLength: 4 }),
        async (batches) => {
          channelId = await tenant.channel([workspaceId])
          const target = { organizationId: tenant.organizationId, channelId, workspaceId }
          const expected = new Map<string, object>()
          for (const batch of batches) {
            await importConversationRows(testApp.context.database, target, batch)
            for (const row of batch) {
              const before = expected.get(row.conversation_id) ?? { ...nothing, lifetime_amount: 0, vip: false }
              expected.set(row.conversation_id, { ...before, ...row })
            }
          }
          const { rows } = await testApp.context.database.query<{ conversation_id: string }>(
            `select conversation_id, cuid, birthday, lifetime_value as lifetime_amount, ${[...TEXTS, ...INSTANTS].join(', ')},
                    exists (select from vip_marks v where v.organization_id = $1 and v.channel_id = $2
                               and v.workspace_id = $3 and v.conversation_id = c.conversation_id) as vip
               from conversations c where organization_id = $1 and channel_id = $2`,
            [tenant.organizationId, channelId, workspaceId],
          )
          expect(new Map(rows.map((row) => [row.conversation_id, row]))).toEqual(expected)
        },
      ),
      { numRuns: runs(8, 40) },
    )
  })

  test('rows with any combination of columns use the same statement, which is planned once', async () => {
    const { context } = testApp
    const texts = new Set<string>()
    const database: typeof context.database = {
      ...context.database,
      transaction: (work) =>
        context.database.transaction((tx) =>
          work({
            ...tx,
            query: (text, values) => {
              if (text.includes('insert into conversations')) texts.add(text)
              return tx.query(text, values)
            },
          }),
        ),
    }
    const fields: Partial<ConversationRow>[] = [{ user_name: 'u' }, { birthday: null }, { lifetime_amount: 3 }]
    for (let shape = 0; shape < 8; shape++) {
      const rows = fields.filter((_, bit) => shape & (1 << bit)).map((field) => ({ ...field, cuid: 'cu' }))
      const batch = rows.map((row, index) => ({ ...row, conversation_id: `c${index}` }))
      await importConversationRows(database, target, batch)
    }
    expect(texts.size).toBe(1)
  })
})
