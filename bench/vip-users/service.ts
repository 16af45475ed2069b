/**
 * The services under test: a made-up audience that is the same on either engine, and how pages are read and rows changed.
 */
import { createHash } from 'node:crypto'
import { countConversations, readListRows } from '../../src/audience/list/list-rows.store.js'
import { connectChannel, insertChannel, insertWorkspace } from '../../src/channels/channels.store.js'
import type { AppContext } from '../../src/context.js'
import type { Database } from '../../src/database/database.js'
import { newId } from '../../src/lib/ids.js'
import {
  type Engine,
  type Env,
  expectStatus,
  insertTenant,
  type Key,
  nameDatabase,
  newDatabase,
  OPERATOR_TOKEN,
  type RawAnswer,
  type Server,
  send,
  signedHeaders,
  startServer,
  withContext,
} from '../shared.js'

/** As many conversations as one scan takes. */
export const SMALL = 25_000
/** The number of different lifetime values. */
const LIFETIME_VALUES = 100_003
/** Rows per statement. */
const FILL_ROWS = 25_000

export interface Data {
  organizationId: string
  workspaceId: string
  key: Key
  database: string
  /** Channels of the sizes in Needs.channelSizes. */
  channelIds: string[]
  /** Channels that are read for the first time, each of SMALL conversations. */
  coldChannelIds: string[]
}

export interface Service extends Server {
  name: Engine
  env: Env
  data: Data
  /** The process that changes rows: the service itself, or on PostgreSQL another one beside it. */
  writer: Server
  /**
   * The time of the SQL for the first page of each cold channel. Only this process can run it, and only before the
   * service does.
   */
  embeddedSqlMs: Map<string, number>
}

export interface Needs {
  /** The number of conversations of each measured channel. */
  channelSizes: number[]
  coldChannels: number
  /** True if a separate process changes rows, if the engine supports that. */
  writer: boolean
}

export async function startService(engine: Engine, needs: Needs): Promise<Service> {
  const env = { ...(await newDatabase(engine, 'vip_users')), OPERATOR_TOKEN }
  const embeddedSqlMs = new Map<string, number>()
  const data = await withContext(env, async (context) => {
    const filled = await fill(context, needs)
    if (engine === 'PostgreSQL') return filled
    for (const channelId of filled.coldChannelIds) {
      embeddedSqlMs.set(channelId, await timeOf(() => runFirstPageSql(context.database, filled, channelId)))
    }
    return filled
  })
  const service = await startServer('programs/service.ts', env)
  const writer = engine === 'PostgreSQL' && needs.writer ? await startServer('programs/service.ts', env) : service
  return { ...service, name: engine, data, writer, embeddedSqlMs, env }
}

/** Nine of ten conversations are VIPs. */
export async function fill(context: AppContext, { channelSizes, coldChannels }: Needs): Promise<Data> {
  const { database } = context
  const { organizationId, key } = await insertTenant(context)
  const workspaceId = newId('ws')
  await insertWorkspace(database, organizationId, { workspace_id: workspaceId, name: 'Bench', type: 'VIP' })
  const channelIds: string[] = []
  for (const conversations of [...channelSizes, ...Array<number>(coldChannels).fill(SMALL)]) {
    const channelId = `FB_PAGE_${1_000_000 + channelIds.length}`
    channelIds.push(channelId)
    await insertChannel(database, organizationId, { channel_id: channelId, type: 'FB_PAGE', name: channelId })
    await connectChannel(database, organizationId, workspaceId, channelId)
    await fillChannel(database, { organizationId, workspaceId, channelId }, conversations)
  }
  await database.query('vacuum analyze')
  return {
    organizationId,
    workspaceId,
    key,
    database: await nameDatabase(context),
    channelIds: channelIds.slice(0, channelSizes.length),
    coldChannelIds: channelIds.slice(channelSizes.length),
  }
}

async function fillChannel(
  database: Database,
  { organizationId, workspaceId, channelId }: { organizationId: string; workspaceId: string; channelId: string },
  conversations: number,
): Promise<void> {
  for (let first = 1; first <= conversations; first += FILL_ROWS) {
    const last = Math.min(first + FILL_ROWS - 1, conversations)
    await database.query(
      `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, first_name, last_name,
         profile_pic, birthday, last_purchase_at_ms, last_user_message_at_ms, last_app_open_at_ms, lifetime_value)
       select $1, $2, 't_' || md5(n::text), 'cu_' || (100000000 + n), 'user.' || n, 'First' || n % 997,
              'Last' || n % 4999, 'https://media.example/profiles/' || md5('p' || n) || '.jpg',
              case when n % 3 > 0 then to_char(date '1960-01-01' + (n::bigint * 7919 % 16000)::int, 'YYYY-MM-DD') end,
              1700000000000 + n * 1000::bigint, 1710000000000 + n * 1000::bigint, 1720000000000 + n * 1000::bigint,
              (n::bigint * 7919 % ${LIFETIME_VALUES}) / 7.0
         from generate_series($3::int, $4::int) n`,
      [organizationId, channelId, first, last],
    )
    // A newly filled table has no statistics, so the marks' foreign keys would scan it for each row.
    if (first === 1) await database.query('analyze')
    await database.query(
      `insert into vip_marks (organization_id, channel_id, workspace_id, conversation_id)
       select $1, $2, $3, 't_' || md5(n::text) from generate_series($4::int, $5::int) n where n % 10 > 0`,
      [organizationId, channelId, workspaceId, first, last],
    )
  }
}

/**
 * Reads with our own driver what the first page of a channel must read: the conversations in list order, and their
 * number.
 */
export async function runFirstPageSql(database: Database, { organizationId }: Data, channelId: string): Promise<void> {
  const key = { organizationId, channelId }
  await database.readInSnapshot(async (tx) => {
    await readListRows(tx, key, undefined, SMALL + 1)
    await countConversations(tx, key, SMALL + 1)
  })
}

export const pathOf = ({ workspaceId, channelIds }: Data, query: string, channelId = channelIds[0]): string =>
  `/v1/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}&${query}`

export async function getPage(service: Service, path: string): Promise<RawAnswer> {
  return expectStatus(await send(service, path, { headers: signedHeaders(service.data.key) }), 200)
}

export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** The number of rows changed so far: each change takes another row. */
let changedRows = 0

/** Sets another lifetime value in this many conversations of the small channel, as an import does. */
export async function changeRows({ data, writer }: Service, rows: number): Promise<void> {
  const lines = Array.from({ length: rows }, () => {
    const number = ((changedRows++ * 7919) % SMALL) + 1
    const conversationId = `t_${createHash('md5').update(String(number)).digest('hex')}`
    return JSON.stringify({
      conversationId,
      cuid: `cu_${100_000_000 + number}`,
      lifetimeValue: ((changedRows * 104_729) % LIFETIME_VALUES) / 7,
    })
  })
  const answer = await send(
    writer,
    `/api/organizations/${data.organizationId}/channels/${data.channelIds[0]}/conversations`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    },
  )
  expectStatus(answer, 200)
}
