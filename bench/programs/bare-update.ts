/**
 * The peer of bench/update-post.ts: sends changes of scheduled posts straight to the database, over the given number of
 * connections, one change at a time on each. On PostgreSQL it uses only pg; the embedded engine, which has one
 * connection, is opened as in the service. Each line of standard input is an UpdateOrder, each line of output its
 * UpdateResult.
 */
import { createInterface } from 'node:readline'
import pg from 'pg'
import { readConfig } from '../../src/config/index.js'
import { importBuilt } from './built.js'

export interface UpdateOrder {
  /**
   * `transaction` locks, reads and changes the row and writes its history, as a PATCH does. `update` is one statement,
   * without a lock before it or a history after it.
   */
  kind: 'transaction' | 'update'
  organizationId: string
  postIds: string[]
  connections: number
  ms: number
}

export interface UpdateResult {
  requests: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

type Query = (text: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>

/** Runs the work on a free connection, between begin and commit. */
interface Connections {
  query: Query
  transaction(work: (query: Query) => Promise<void>): Promise<void>
}

const LOCK = `
  select status, version from scheduled_posts where organization_id = $1 and scheduled_post_id = $2 for update`
const UPDATE = `
  update scheduled_posts set notes = $3, version = version + 1, updated_at = $4
   where organization_id = $1 and scheduled_post_id = $2`
const INSERT_HISTORY = `
  insert into audit_trail
         (organization_id, at, actor_type, operation, target_type, target_id, version, changes)
  values ($1, $4, 'operator', 'updateScheduledPost', 'scheduledPost', $2, $3, json_build_object(
         'action', 'updated', 'fromStatus', $5::text, 'toStatus', $5::text, 'detail', '{"changed":["notes"]}'::json))`

const open = process.env.DATABASE_URL ? openOnPostgres : await openEmbedded()
let changes = 0
for await (const line of createInterface({ input: process.stdin })) {
  const result = await run(JSON.parse(line) as UpdateOrder)
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
process.exit(0)

async function run(order: UpdateOrder): Promise<UpdateResult> {
  const connections = await Promise.all(Array.from({ length: order.connections }, open))
  const latencies: number[] = []
  const startedAt = performance.now()
  const endAt = startedAt + order.ms
  await Promise.all(
    connections.map(async ({ connection }) => {
      for (;;) {
        const changedAt = performance.now()
        await change(connection, order)
        const now = performance.now()
        if (now > endAt) return
        latencies.push(now - changedAt)
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1000
  await Promise.all(connections.map(({ close }) => close()))
  const sorted = latencies.toSorted((a, b) => a - b)
  const quantile = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
  return { requests: sorted.length, seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}

async function change(connection: Connections, { kind, organizationId, postIds }: UpdateOrder): Promise<void> {
  const number = changes++
  const key = [organizationId, postIds[number % postIds.length]]
  const [notes, at] = [`Bare note ${number}`, new Date()]
  if (kind === 'update') {
    await connection.query(UPDATE, [...key, notes, at])
    return
  }
  await connection.transaction(async (query) => {
    const { rows } = await query(LOCK, key)
    const { status, version } = rows[0] as { status: string; version: number }
    await query(UPDATE, [...key, notes, at])
    await query(INSERT_HISTORY, [...key, version + 1, at, status])
  })
}

async function openOnPostgres(): Promise<{ connection: Connections; close(): Promise<void> }> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
  await client.connect()
  const query: Query = (text, values) => client.query(text, values)
  return {
    connection: {
      query,
      async transaction(work) {
        await query('begin')
        await work(query)
        await query('commit')
      },
    },
    close: () => client.end(),
  }
}

/** All orders share one engine, because starting it takes a second. */
async function openEmbedded(): Promise<typeof openOnPostgres> {
  const { openPglite } =
    await importBuilt<typeof import('../../src/database/pglite/pglite.js')>('database/pglite/pglite.js')
  const database = await openPglite({ dataDir: readConfig().database.dataDir })
  return async () => ({
    connection: {
      query: (text, values) => database.query<Record<string, unknown>>(text, values),
      transaction: (work) =>
        database.transaction((tx) => work((text, values) => tx.query<Record<string, unknown>>(text, values))),
    },
    close: async () => {},
  })
}
