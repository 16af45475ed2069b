import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { openOwnDatabase } from '../../../test/test-database.js'
import type { Queryable } from '../../database/database.js'
import type { ExternalId, Fact } from '../facts.js'
import { applyFacts } from './apply-facts.js'
import { insertLiveAudience, lockLiveAudience } from './live-audiences.store.js'
import { listCuidsAfter, refreshPeople } from './refresh.store.js'

const NOW = new Date('2026-11-20T09:00:00Z')
const PEOPLE = 400

/** A node of a plan, with its children. */
interface PlanNode {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** The number of rows of the busiest node. */
const mostRows = (node: PlanNode): number =>
  Math.max(
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    ...(node.Plans ?? []).map((inner) => mostRows(inner)),
  )

/** Everything that may be known of a person in a first batch. */
function factsOf(channelId: string, conversationId: string): Fact[] {
  const who: ExternalId = { kind: `meta:${channelId}`, id: conversationId }
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

interface Filled {
  organizationId: string
  channelId: string
}

/** A new organization, with the first facts of this many people. */
async function fill(app: TestApp, people: number): Promise<Filled> {
  const tenant = await Tenant.create(app)
  const { organizationId } = tenant
  const channelId = await tenant.channel()
  const { database } = app.context
  await database.query(`update organizations set currency = 'EUR' where organization_id = $1`, [organizationId])
  await database.transaction((tx) => insertLiveAudience(tx, organizationId, new Date(0)))
  const facts = Array.from({ length: people }, (_, index) => factsOf(channelId, String(index))).flat()
  await database.transaction((tx) => apply(tx, organizationId, facts))
  return { organizationId, channelId }
}

async function apply(tx: Queryable, organizationId: string, facts: readonly Fact[]): Promise<void> {
  const live = await lockLiveAudience(tx, organizationId)
  const found = facts.map((fact, index) => ({ item: String(index), fact }))
  await applyFacts(tx, { organizationId, sourceId: 'src_test', live: live!, now: NOW }, found)
}

/** A queryable that also explains some statements: `rows` has the rows of the busiest node of each. */
function explaining(tx: Queryable, isExplained: (sql: string) => boolean) {
  const rows: number[] = []
  const query: Queryable['query'] = async (sql, values) => {
    if (isExplained(sql)) {
      const explained = await tx.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) ${sql}`,
        values,
      )
      rows.push(mostRows(explained.rows[0]!['QUERY PLAN'][0].Plan))
    }
    return tx.query(sql, values)
  }
  return { tx: { ...tx, query }, rows }
}

describe('if the statistics know only small organizations', () => {
  let app: TestApp
  let large: Filled
  beforeAll(async () => {
    app = await startTestApp({}, undefined, await openOwnDatabase())
    for (let index = 0; index < 60; index++) await fill(app, 1)
    await app.context.database.execute('analyze')
    large = await fill(app, PEOPLE)
  }, 120_000)

  test('each person is computed once', async () => {
    const { organizationId } = large
    const rows = await app.context.database.transaction(async (tx) => {
      const live = await lockLiveAudience(tx, organizationId)
      const cuids = await listCuidsAfter(tx, organizationId, '', PEOPLE)
      const explained = explaining(tx, () => true)
      await refreshPeople(explained.tx, organizationId, live!, cuids)
      return explained.rows
    })
    expect(rows).toHaveLength(1)
    // There are two kinds of ids, and a field and a purchase of each person.
    expect(rows[0]).toBeLessThanOrEqual(2 * PEOPLE)
  })

  test('each order is found by its id', async () => {
    const { organizationId, channelId } = large
    const newer = Array.from({ length: PEOPLE }, (_, index) =>
      factsOf(channelId, String(index)).flatMap((fact) =>
        fact.type === 'purchase' ? [{ ...fact, amount: '6', versionAt: NOW.getTime() }] : [],
      ),
    ).flat()
    const rows = await app.context.database.transaction(async (tx) => {
      // Explaining an insert would run it a second time.
      const explained = explaining(tx, (sql) => sql.trimStart().startsWith('select'))
      await apply(explained.tx, organizationId, newer)
      return explained.rows
    })
    expect(rows.length).toBeGreaterThan(0)
    expect(Math.max(...rows)).toBeLessThanOrEqual(2 * PEOPLE)
  })
})
