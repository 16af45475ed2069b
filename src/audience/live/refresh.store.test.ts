import { expect, test } from 'vitest'
import { startTestApp, Tenant } from '../../../test/harness.js'
import { openStartDatabase } from '../../../test/test-database.js'
import type { Fact, OutsideId } from '../facts.js'
import { applyFacts } from './apply-facts.js'
import { insertLiveAudience, lockLiveAudience } from './live-audiences.store.js'
import { listCuidsAfter, refreshPeople } from './refresh.store.js'

const NOW = new Date('2026-11-20T09:00:00Z')
const PEOPLE = 400

/** A node of a plan, with its inner ones. */
interface PlanNode {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** The rows that the busiest node looks at. */
const mostRows = (node: PlanNode): number =>
  Math.max(
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    ...(node.Plans ?? []).map((inner) => mostRows(inner)),
  )

/** All that may be known of a person, as of a first batch. */
function factsOf(channelId: string, conversationId: string): Fact[] {
  const who: OutsideId = { kind: `meta:${channelId}`, id: conversationId }
  const at = NOW.getTime() - 60_000
  return [
    { type: 'message', channelId, conversationId, at, isEcho: false },
    { type: 'profile', who, at, fields: { firstName: 'Ada' } },
    {
      ...{ type: 'purchase', orderId: `${channelId} ${conversationId}`, who, amount: '5', currency: 'EUR' },
      ...{ at, versionAt: at, isTest: false, isCancelled: false },
    },
  ]
}

test('each person is computed once, also where the statistics know small organizations alone', async () => {
  const app = await startTestApp({}, undefined, await openStartDatabase())
  const { database } = app.context
  const open = async (people: number): Promise<string> => {
    const tenant = await Tenant.create(app)
    const { organizationId } = tenant
    const channelId = await tenant.channel()
    await database.query(`update organizations set currency = 'EUR' where organization_id = $1`, [organizationId])
    await database.transaction(async (tx) => {
      await insertLiveAudience(tx, organizationId, new Date(0))
      const live = await lockLiveAudience(tx, organizationId)
      const facts = Array.from({ length: people }, (_, index) => factsOf(channelId, String(index))).flat()
      const found = facts.map((fact, index) => ({ item: String(index), fact }))
      await applyFacts(tx, { organizationId, sourceId: 'src_test', live: live!, now: NOW }, found)
    })
    return organizationId
  }
  for (let index = 0; index < 60; index++) await open(1)
  await database.execute('analyze')
  const organizationId = await open(PEOPLE)

  const plan = await database.transaction(async (tx) => {
    const live = await lockLiveAudience(tx, organizationId)
    const cuids = await listCuidsAfter(tx, organizationId, '', PEOPLE)
    let explained: PlanNode | undefined
    const explaining: typeof tx = {
      ...tx,
      query: async <R>(sql: string, values?: readonly unknown[]) => {
        const result = await tx.query<R & { 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          `explain (analyze, format json) ${sql}`,
          values,
        )
        explained = result.rows[0]!['QUERY PLAN'][0].Plan
        return result
      },
    }
    await refreshPeople(explaining, organizationId, live!, cuids)
    return explained!
  })
  // Two kinds of ids, and a field and a purchase of each person.
  expect(mostRows(plan)).toBeLessThanOrEqual(2 * PEOPLE)
})
