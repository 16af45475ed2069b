import { expect } from 'vitest'
import { toChannelRef } from '../src/access/snapshot.js'
import { buildApp } from '../src/app.js'
import { AudienceCache } from '../src/audience/list/audience-cache.js'
import { toAudienceQuery } from '../src/audience/list/channel-audience.js'
import type { ListLimits, ListQuery } from '../src/audience/list/channel-lists.js'
import type { AppContext } from '../src/context.js'
import { type Database, DatabaseUnavailableError } from '../src/database/database.js'
import { operatorCall, Tenant, type TestApp } from './harness.js'
import { type KnownConversation, scanVipUsers, type VipUserScan } from './vip-oracle.js'

/** These limits are so small that a few rows cap the scan and use up the slack within a test. */
export const LIMITS: ListLimits = { scan: 12, slack: 3, block: 4 }
export const ROOMY = 64 * 1024 * 1024

/** Returns the same app with the given memory of lists. */
export async function withLists(app: TestApp, audienceCache: AudienceCache): Promise<TestApp> {
  const context: AppContext = { ...app.context, audienceCache }
  return { ...app, context, app: await buildApp(context, { checkAnswers: true }) }
}

/** Starts another app on the same database, with its own memory of lists. */
export const startNode = (app: TestApp, limits: ListLimits, memoryBytesMax = ROOMY): Promise<TestApp> =>
  withLists(app, new AudienceCache(app.context.database, { memoryBytesMax, limits }))

export interface Channel {
  tenant: Tenant
  channelId: string
  workspaces: [string, string]
}

export async function makeChannel(app: TestApp): Promise<Channel> {
  const tenant = await Tenant.create(app)
  const workspaces: [string, string] = [await tenant.workspace('VIP'), await tenant.workspace('VIP')]
  return { tenant, workspaces, channelId: await tenant.channel(workspaces) }
}

/** Adds `count` conversations, c000001…, to the channel. Each is worth its own number, so the last comes first. */
export async function fillChannel({ test, organizationId }: Tenant, channelId: string, count: number): Promise<void> {
  await test.context.database.query(
    `insert into conversations (organization_id, channel_id, conversation_id, cuid, lifetime_value, birthday)
     select $1, $2, 'c' || lpad(n::text, 6, '0'), 'cu' || n, n,
            case when n % 2 = 0 then '--' || lpad((n % 12 + 1)::text, 2, '0') || '-15' end
       from generate_series(1, $3::int) n`,
    [organizationId, channelId, count],
  )
}

/** Imports rows and fails if any is rejected. */
export const importRows = async (
  node: TestApp,
  { tenant, channelId }: Channel,
  workspaceId: string,
  rows: object[],
) => {
  const path = `/organizations/${tenant.organizationId}/channels/${channelId}/conversations?workspaceId=${workspaceId}`
  const { body } = await operatorCall(node, 200, 'POST', path, {
    body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    headers: { 'content-type': 'application/x-ndjson' },
  })
  expect(body.rejectedCount, JSON.stringify(body.rejected)).toBe(0)
}

export const deleteRows = ({ tenant, channelId }: Channel, ids: string[]) =>
  tenant.changeAudience(
    channelId,
    'delete from conversations where organization_id = $1 and channel_id = $2 and conversation_id = any($3::text[])',
    [ids],
  )

/** The parameters of one page. */
export type Query = Omit<VipUserScan, 'scanRowsMax'>

export const FIRST_PAGE = { hasBirthday: false, birthdayMonth: undefined, compact: false, limit: 200, offset: 0 }

/** Returns the page as a node returns it. */
export async function readPage(node: TestApp, { tenant, channelId }: Channel, query: Query) {
  const { birthdayMonth, ...rest } = query
  const given = { mediumId: channelId, ...rest, ...(birthdayMonth === undefined ? {} : { birthdayMonth }) }
  const text = Object.entries(given).map(([name, value]): [string, string] => [name, String(value)])
  return (await tenant.on(node).get(200, `/vip-users?${new URLSearchParams(text)}`)).body
}

/** Returns the page computed by a filter and a sort over the rows of the tables. */
export async function askTables({ tenant, channelId }: Channel, query: Query, scanRowsMax = LIMITS.scan) {
  const { rows } = await tenant.test.context.database.query<KnownConversation>(
    `select conversation_id as "conversationId", cuid, user_name as "userName", first_name as "firstName", last_name as "lastName",
            profile_pic as "profilePic", birthday, last_purchase_at_ms as "lastPurchaseTimestamp",
            last_user_message_at_ms as "lastUserMessageTimestamp", last_app_open_at_ms as "lastAppOpenTimestamp",
            lifetime_value as "lifetimeValue",
            array(select workspace_id from vip_marks v
                   where v.organization_id = $1 and v.channel_id = $2 and v.conversation_id = c.conversation_id) as "vipOf"
       from conversations c where organization_id = $1 and channel_id = $2`,
    [tenant.organizationId, channelId],
  )
  return scanVipUsers(rows, { ...query, scanRowsMax })
}

/** Counts every statement of the database and can refuse one. */
export function watched(database: Database) {
  const seen = { texts: [] as string[], refuse: undefined as RegExp | undefined }
  const check = (text: string): void => {
    seen.texts.push(text)
    if (seen.refuse?.test(text)) throw new DatabaseUnavailableError(new Error('Connection terminated unexpectedly'))
  }
  const watch: Database = {
    ...database,
    async query(text, values) {
      check(text)
      return await database.query(text, values)
    },
    async readInSnapshot(work) {
      let lost: unknown
      const inner = database.readInSnapshot((tx) =>
        work({
          ...tx,
          async query(text, values) {
            try {
              check(text)
            } catch (error) {
              // The connection is really lost here. The embedded engine has none, so its transaction ends in order.
              lost = error
              if (database.engine === 'postgres') await tx.query('select pg_terminate_backend(pg_backend_pid())')
              throw new Error('the transaction is refused')
            }
            return await tx.query(text, values)
          },
        }),
      )
      return await inner.catch((error: unknown) => {
        throw lost ?? error
      })
    },
  }
  const listReads = () => seen.texts.filter((text) => LIST_READ.test(text)).length
  return { watch, seen, listReads }
}

export const named = ({ tenant, channelId }: Channel) => toChannelRef(tenant.organizationId, channelId)
export const firstPage = (query: Partial<ListQuery> = {}) =>
  toAudienceQuery({ vipsOf: undefined, filter: 'none', compact: false, limit: 200, offset: 0, ...query })

/** Matches the statement that reads the rows of a list. */
export const LIST_READ = /from conversations c\s+where/
