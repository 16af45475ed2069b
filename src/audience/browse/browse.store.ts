import type { Queryable } from '../../database/database.js'
import { listRows, readRow } from '../../database/queries.js'
import type { AudienceSort } from '../../interface/audience.js'
import { limit } from '../../lib/limits.js'
import { FIELD_LIST, FIELDS, type PackedConversation } from '../fields.js'
import type { Conditions } from './conditions.js'

const PURCHASE = FIELDS.lastPurchaseTimestamp.column
const MESSAGE = FIELDS.lastUserMessageTimestamp.column
const VALUE = FIELDS.lifetimeValue.double
const BIRTHDAY = FIELDS.birthday.column
const DAY = `right(${BIRTHDAY}, 5)`
const NAME = `sort_name(${FIELDS.firstName.column}, ${FIELDS.lastName.column}, ${FIELDS.userName.column}) collate "C"`

/** With more people than this, the list walks an index; with fewer, all are read and sorted. */
const FEW_ROWS = 5_000
/** Everyone, as far as lists and counts go (interface 8). */
export const SCAN_ROWS_MAX = limit('scanRows')

interface Order {
  /** The SQL of the sort key. */
  key: string
  type: 'float8' | 'text' | 'bigint'
  isDescending?: true
  /** The list goes through these one after the other. In a stretch without a key the order is by id. */
  stretches: readonly { where: string; hasKey: boolean }[]
  /** The index begins with the organization and the channel. */
  isByColumns?: true
}

/** Null keys come last, and people without a known birthday are not in the order by birthday. */
const known = (key: string): Order['stretches'] => [
  { where: `${key} is not null`, hasKey: true },
  { where: `${key} is null`, hasKey: false },
]
const ORDERS: Record<AudienceSort, Order> = {
  value: {
    key: VALUE,
    type: 'float8',
    isDescending: true,
    stretches: [{ where: 'true', hasKey: true }],
    isByColumns: true,
  },
  name: { key: NAME, type: 'text', stretches: known(NAME) },
  lastPurchase: { key: PURCHASE, type: 'bigint', isDescending: true, stretches: known(PURCHASE) },
  lastMessage: { key: MESSAGE, type: 'bigint', isDescending: true, stretches: known(MESSAGE) },
  // From today on, followed by those whose day has already passed this year.
  [BIRTHDAY]: {
    key: DAY,
    type: 'text',
    stretches: [
      { where: `${BIRTHDAY} is not null and ${DAY} >= $5::text`, hasKey: true },
      { where: `${BIRTHDAY} is not null and ${DAY} < $5::text`, hasKey: true },
    ],
  },
}

/** The place of a row in a list: its stretch, its key, and its id. */
export type Place = readonly [stretch: number, key: string | number | null, conversationId: string]

export interface BrowseQuery {
  organizationId: string
  channelId: string
  /** The workspace whose VIP marks the rows show. */
  workspaceId: string
  conditions: Conditions
  sort: AudienceSort
  /** `MM-DD`. */
  today: string
  after: Place | undefined
  /** The largest number of rows. */
  rows: number
  /** How many rows of the channel are examined to find them. */
  look: number
}

export interface BrowsedRow {
  values: PackedConversation
  vip: boolean
  place: Place
}

export interface Browsed {
  rows: BrowsedRow[]
  /** The last place examined, if there may be more; undefined at the end of the list. */
  last: Place | undefined
  /** The number of people, if all were examined. */
  total: number | undefined
}

const COLUMNS = FIELD_LIST.map(({ column, double = column }) => double)
const PACKED = COLUMNS.map((column) => `m.${column}`).join(', ')

const VIPS = `select from vip_marks v
               where v.organization_id = $1 and v.channel_id = $2 and v.conversation_id = l.conversation_id
                 and v.workspace_id =`

/** The conditions on a row `l`. */
const HOLDS = `($6::text is null or exists (${VIPS} $6))
           and ($7::text is null or not exists (${VIPS} $7))
           and ($8::float8 is null or l.${VALUE} > $8)
           and ($9::bigint is null or l.${PURCHASE} is null or l.${PURCHASE} < $9)
           and ($10::text is null or right(l.${BIRTHDAY}, 5) between $10 and $11 or right(l.${BIRTHDAY}, 5) between $12 and $13)
           and (not $14::boolean or l.${BIRTHDAY} is not null)
           and ($15::int is null or substr(right(l.${BIRTHDAY}, 5), 1, 2)::int = $15)`

const beyond = ({ key, type, isDescending }: Order): string => `${key} ${isDescending ? '<' : '>'} $3::text::${type}`

/** Returns the parts of an index that follow a place, each with its stretch. */
function partsAfter(order: Order, after: Place | undefined): { stretch: number; where: string }[] {
  const whole = order.stretches.map((one, stretch) => ({ ...one, stretch }))
  if (after === undefined) return whole
  const [stretch] = after
  const { where, hasKey } = order.stretches[stretch]!
  const later = whole.slice(stretch + 1)
  if (!hasKey) return [{ stretch, where: `${where} and conversation_id > $4::text` }]
  return [
    { stretch, where: `${where} and ${order.key} = $3::text::${order.type} and conversation_id > $4::text` },
    { stretch, where: `${where} and ${beyond(order)}` },
    ...later,
  ]
}

const direction = ({ isDescending }: Order): string => (isDescending ? ' desc' : '')

/** Reads the next rows of the channel in index order, at most `look` of them. */
function walk(order: Order, { after, look }: BrowseQuery): string {
  // Written into the text: with a parameter, the planner assumes a tenth of the channel, and sorts all of it.
  const parts = partsAfter(order, after).map(({ stretch, where }, part) => {
    const scope = order.isByColumns
      ? 'organization_id = $1 and channel_id = $2'
      : 'audience_key(organization_id, channel_id) = audience_key($1, $2)'
    // The key is included even if it is null: by just the id, the planner would not see that the index has this order.
    return `(select ${COLUMNS.join(', ')}, ${order.key} as key, ${stretch} as stretch, ${part} as part from conversations
              where ${scope} and ${where} order by ${order.key}${direction(order)}, conversation_id limit ${look})`
  })
  return `select * from (${parts.join(' union all ')}) parts order by part, key${direction(order)}, conversation_id limit ${look}`
}

/** Reads the few people of a list that most people are not in. */
function narrow(order: Order, driver: Driver): string {
  const stretches = order.stretches.map(({ where }, stretch) => `when ${where} then ${stretch}`).join(' ')
  return `select c.*, ${order.key} as key, case ${stretches} end as stretch
            from (${DRIVERS[driver]}) few cross join lateral (
                  select ${COLUMNS.join(', ')} from conversations
                   where organization_id = $1 and channel_id = $2 and conversation_id = few.id limit 1) c`
}

type Driver = 'vips' | 'valued'
const DRIVERS: Record<Driver, string> = {
  vips: `select conversation_id as id from vip_marks
          where organization_id = $1 and channel_id = $2 and workspace_id = $6 limit ${FEW_ROWS + 1}`,
  valued: `select conversation_id as id from conversations
            where organization_id = $1 and channel_id = $2 and ${VALUE} > $8
            order by ${VALUE} desc limit ${FEW_ROWS + 1}`,
}

/** The types of values that not every form of the statement uses. */
const GIVEN = 'given as (select $3::text as key, $4::text as id, $5::text as today)'

/** Reads a page of people. Examines at most `look` rows, however many the channel has. */
export async function browse(database: Queryable, query: BrowseQuery): Promise<Browsed> {
  const order = ORDERS[query.sort]
  const driver = await findDriver(database, query)
  const isNarrow = driver !== undefined
  const by = `${isNarrow ? 'stretch' : 'part'}, key${direction(order)}, conversation_id`
  const follows = isNarrow && query.after !== undefined ? `where ${followsPlace(order, query.after[0])}` : ''
  const found = await readRow<{
    rows: Packed[] | null
    last: Place | null
    looked: number
    total: number
    left: number
  }>(
    database,
    `with ${GIVEN},
     looked as materialized (
       select l.*, row_number() over (order by ${by}) as step
         from (${isNarrow ? narrow(order, driver) : walk(order, query)}) l),
     matched as materialized (
       select l.* from looked l where stretch is not null and ${HOLDS}),
     follow as (select * from matched ${follows}),
     page as (
       select m.*, exists (select from vip_marks v
                            where v.organization_id = $1 and v.channel_id = $2 and v.workspace_id = $16
                              and v.conversation_id = m.conversation_id) as vip
         from follow m order by step limit $17)
     select (select json_agg(json_build_array(json_build_array(${PACKED}), vip, stretch, key) order by step) from page m) as rows,
            (select json_build_array(stretch, key, conversation_id) from looked order by step desc limit 1) as last,
            (select count(*) from looked) as looked,
            (select count(*) from matched) as total,
            (select count(*) from follow) as left`,
    valuesOf(query),
  )
  const rows = (found.rows ?? []).map(
    ([values, vip, stretch, key]): BrowsedRow => ({ values, vip, place: [stretch, key, values[0] as string] }),
  )
  const sawAll = isNarrow || found.looked < query.look
  return {
    rows,
    last: found.left > rows.length ? rows.at(-1)!.place : sawAll ? undefined : found.last!,
    total: isNarrow || (query.after === undefined && sawAll) ? found.total : undefined,
  }
}

/** Finds a condition that so few people meet that all of them are read; undefined if there is none. */
async function findDriver(database: Queryable, query: BrowseQuery): Promise<Driver | undefined> {
  const { vipsOf, valueAbove } = query.conditions
  if (vipsOf === null && valueAbove === null) return undefined
  const { vips, valued } = await readRow<Record<Driver, number>>(
    database,
    `with ${GIVEN}, other as (select $7::text as workspace)
     select (select count(*) from (${DRIVERS.vips}) few) as vips, (select count(*) from (${DRIVERS.valued}) few) as valued`,
    valuesOf(query).slice(0, 8),
  )
  const counts: Record<Driver, number> = {
    vips: vipsOf === null ? Number.POSITIVE_INFINITY : vips,
    valued: valueAbove === null ? Number.POSITIVE_INFINITY : valued,
  }
  const least = counts.vips <= counts.valued ? 'vips' : 'valued'
  return counts[least] > FEW_ROWS ? undefined : least
}

type Packed = [values: PackedConversation, vip: boolean, stretch: number, key: string | number | null]

/** Returns the condition for rows after a place, among those that were read whole. */
function followsPlace(order: Order, stretch: number): string {
  const later = `stretch > ${stretch}`
  const within = order.stretches[stretch]!.hasKey
    ? `(key ${order.isDescending ? '<' : '>'} $3::text::${order.type} or (key = $3::text::${order.type} and conversation_id > $4::text))`
    : 'conversation_id > $4::text'
  return `${later} or (stretch = ${stretch} and ${within})`
}

function valuesOf({ organizationId, channelId, workspaceId, conditions, today, after, rows }: BrowseQuery): unknown[] {
  const { vipsOf, notVipsOf, valueAbove, noPurchaseSinceMs, birthdays, hasBirthday, birthdayMonth } = conditions
  const [first, second] = birthdays ?? []
  return [
    organizationId,
    channelId,
    after?.[1] ?? null,
    after?.[2] ?? null,
    today,
    vipsOf,
    notVipsOf,
    valueAbove,
    noPurchaseSinceMs,
    first?.[0] ?? null,
    first?.[1] ?? null,
    second?.[0] ?? null,
    second?.[1] ?? null,
    hasBirthday,
    birthdayMonth,
    workspaceId,
    rows,
  ]
}

/** Counts how many of the first conversations by value meet the conditions, and whether the channel has more. */
export async function countPeople(
  database: Queryable,
  query: BrowseQuery,
): Promise<{ total: number; scanCapped: boolean }> {
  const { total, looked } = await readRow<{ total: number; looked: number }>(
    database,
    `with ${GIVEN},
     looked as materialized (
       select conversation_id, ${VALUE}, ${PURCHASE}, ${BIRTHDAY} from conversations
        where organization_id = $1 and channel_id = $2
        order by ${VALUE} desc, conversation_id limit ${SCAN_ROWS_MAX + 1})
     select count(*) filter (where ${HOLDS}) as total, count(*) as looked from looked l`,
    valuesOf(query).slice(0, 15),
  )
  return { total: Math.min(total, SCAN_ROWS_MAX), scanCapped: looked > SCAN_ROWS_MAX }
}

type Target = Pick<BrowseQuery, 'organizationId' | 'channelId' | 'workspaceId'>

/** Reads the ranks by value, among the VIPs of a workspace or everyone, of those conversations that are among the first. */
export async function readRanks(
  database: Queryable,
  { organizationId, channelId }: Target,
  vipsOf: string | null,
  conversationIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await listRows<{ id: string; rank: number }>(
    database,
    `select conversation_id as id, rank from (
       select l.conversation_id, row_number() over (order by l.${VALUE} desc, l.conversation_id) as rank
         from (select conversation_id, ${VALUE} from conversations
                where organization_id = $1 and channel_id = $2
                order by ${VALUE} desc, conversation_id limit ${SCAN_ROWS_MAX}) l
        where $3::text is null or exists (${VIPS} $3)) ranked
      where conversation_id = any($4::text[])`,
    [organizationId, channelId, vipsOf, conversationIds],
  )
  return new Map(rows.map(({ id, rank }) => [id, rank]))
}

export interface ValueAndMark {
  id: string
  value: number
  vip: boolean
}

/** Lists the values of conversations, and whether they are VIPs of the workspace. */
export const listValuesAndMarks = (
  database: Queryable,
  { organizationId, channelId, workspaceId }: Target,
  conversationIds: readonly string[],
): Promise<ValueAndMark[]> =>
  listRows(
    database,
    `select l.conversation_id as id, l.${VALUE} as value, exists (${VIPS} $4) as vip
       from conversations l
      where l.organization_id = $1 and l.channel_id = $2 and l.conversation_id = any($3::text[])`,
    [organizationId, channelId, conversationIds, workspaceId],
  )

/** Reads the currency of an organization's values, and its time zone. */
export const readLocale = (
  database: Queryable,
  organizationId: string,
): Promise<{ currency: string | null; timeZone: string }> =>
  readRow(database, 'select currency, time_zone as "timeZone" from organizations where organization_id = $1', [
    organizationId,
  ])
