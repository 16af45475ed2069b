/** An organization with an audience and a source of events, and its service. */
import { connectChannel, insertChannel, insertWorkspace } from '../../src/channels/channels.store.js'
import { GreenroomApi } from '../../src/client/index.js'
import type { AppContext } from '../../src/context.js'
import type { Database } from '../../src/database/database.js'
import { newId } from '../../src/lib/ids.js'
import {
  type Engine,
  type Env,
  insertTenant,
  type Key,
  newDatabase,
  OPERATOR_TOKEN,
  type StoppableServer,
  startServer,
  withContext,
} from '../shared.js'

export interface Size {
  channels: number
  /** Conversations per channel, each of a different person. */
  conversations: number
  /** Purchases of each person that exist before the first event. */
  purchases: number
}

/** 100 channels, so that events change many lists. */
export const USUAL: Size = { channels: 100, conversations: 200, purchases: 0 }

export interface Stage {
  engine: Engine
  size: Size
  people: number
  env: Env
  server: StoppableServer
  operator: GreenroomApi
  organizationId: string
  workspaceId: string
  channelIds: string[]
  key: Key
  sourceId: string
  writeKey: string
}

/** Rows per statement. */
const FILL_ROWS = 25_000
/** The existing purchases begin on this day. */
const FIRST_PURCHASE_MS = Date.UTC(2025, 0, 1)
const DAY_MS = 86_400_000

/**
 * The processes of a service: `one` does everything, like `npm start`; with `two`, one answers requests, and the other
 * publishes and applies; `api` answers requests and applies nothing.
 */
export type Processes = 'one' | 'two' | 'api'

/** Starts a service on a new database with such an audience, and stops it when the work is done. */
export async function withStage<T>(
  engine: Engine,
  name: string,
  size: Size,
  work: (stage: Stage) => Promise<T>,
  processes: Processes = 'one',
): Promise<T> {
  const env = {
    ...(await newDatabase(engine, `intake_${name}`)),
    ...{ OPERATOR_TOKEN, INTAKE_PER_SECOND: '0', INTAKE_KEEP_DAYS: '7' },
  }
  const filled = await withContext(env, (context) => fill(context, size))
  const whole = { ...env, BENCH_PUBLISHER: '1' }
  const server = await startServer('programs/service.ts', processes === 'one' ? whole : env)
  const worker = processes === 'two' ? await startServer('programs/service.ts', whole) : undefined
  try {
    const operator = new GreenroomApi({
      baseUrl: `http://127.0.0.1:${server.port}/api`,
      token: OPERATOR_TOKEN,
    })
    const source = await operator.call('createSource', {
      organizationId: filled.organizationId,
      body: { type: 'EVENTS', name: 'Bench' },
    })
    const { id: sourceId, writeKey = '' } = source
    const people = size.channels * size.conversations
    return await work({ engine, size, people, env, server, operator, ...filled, sourceId, writeKey })
  } finally {
    await server.stop()
    await worker?.stop()
  }
}

type Filled = Pick<Stage, 'organizationId' | 'workspaceId' | 'channelIds' | 'key'>

/** The triggers of conversations run once per statement, so they stay on and keep names and revisions correct. */
async function fill(context: AppContext, size: Size): Promise<Filled> {
  const { database } = context
  const { organizationId, key } = await insertTenant(context)
  await database.query(`update organizations set currency = 'EUR' where organization_id = $1`, [organizationId])
  const workspaceId = newId('ws')
  await insertWorkspace(database, organizationId, { workspace_id: workspaceId, name: 'Bench', type: 'VIP' })
  const channelIds: string[] = []
  for (let channel = 0; channel < size.channels; channel++) {
    const channelId = `FB_PAGE_${1_000_000 + channel}`
    channelIds.push(channelId)
    await insertChannel(database, organizationId, { channel_id: channelId, type: 'FB_PAGE', name: channelId })
    await connectChannel(database, organizationId, workspaceId, channelId)
    const last = (channel + 1) * size.conversations
    for (let first = channel * size.conversations + 1; first <= last; first += FILL_ROWS) {
      const range = [first, Math.min(first + FILL_ROWS - 1, last)] as const
      await fillPeople(database, { organizationId, channelId, purchases: size.purchases, range })
    }
  }
  await database.query('vacuum analyze')
  return { organizationId, workspaceId, channelIds, key }
}

interface PeopleToFill {
  organizationId: string
  channelId: string
  purchases: number
  range: readonly [first: number, last: number]
}

/** The values are those after an import and later purchases of 10. Every tenth person has an id of a shop. */
async function fillPeople(
  database: Database,
  { organizationId, channelId, purchases, range }: PeopleToFill,
): Promise<void> {
  const opening = purchases === 0 ? 'null' : 'n % 1000'
  const openingAt = purchases === 0 ? 'null' : FIRST_PURCHASE_MS
  const boughtAt = purchases === 0 ? 'null' : FIRST_PURCHASE_MS + purchases * DAY_MS
  await database.query(
    `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, first_name, last_name,
       lifetime_amount, lifetime_value, opening_amount, opening_at_ms, last_purchase_at_ms)
     select $1, $2, 't_' || n, 'cu_' || n, 'user.' || n, 'First' || n % 997, 'Last' || n % 4999,
            n % 1000 + ${10 * purchases}, n % 1000 + ${10 * purchases}, ${opening}, ${openingAt}, ${boughtAt}
       from generate_series($3::int, $4::int) n`,
    [organizationId, channelId, ...range],
  )
  await database.query(
    `insert into person_ids (organization_id, kind, id, cuid, at)
     select $1, 'shopify', ${SHOP_ID_BASE} + n, 'cu_' || n, now() from generate_series($2::int, $3::int) n where n % 10 = 0`,
    [organizationId, ...range],
  )
  await database.query(
    `insert into purchases (organization_id, source_id, order_id, id_kind, id, amount, currency, at_ms, version_ms)
     select $1, 'src_before', n || '.' || o, 'userId', 'cu_' || n, 10, 'EUR', ${FIRST_PURCHASE_MS} + o * ${DAY_MS}::bigint, 0
       from generate_series($2::int, $3::int) n, generate_series(1, ${purchases}) o`,
    [organizationId, ...range],
  )
}

/** A person's number in the shop is this plus the person's own number. */
const SHOP_ID_BASE = 9_000_000_000
export const shopIdOf = (person: number): string => String(SHOP_ID_BASE + person)
