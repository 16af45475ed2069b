import type { Queryable } from '../../database/database.js'
import { findValue, listRows, readValue } from '../../database/queries.js'
import type {
  FoundPerson,
  PersonConversation,
  PersonData,
  PersonDetails,
  PersonLink,
  ProfileField,
  Purchase,
  PurchaseState,
} from '../../interface/generated/types.js'
import type { ExternalId } from '../facts.js'
import { FIELD_LIST, FIELDS } from '../fields.js'
import { isCancelled, isUnpaid } from '../live/purchases.store.js'
import { BOUGHT_SINCE, IDS_OF_PEOPLE } from '../live/refresh.store.js'
import { amountOfRefund } from '../live/refunds.store.js'

interface ConversationRow extends Omit<PersonConversation, 'opening'> {
  opening_amount: string | null
  opening_at_ms: number | null
}

interface PurchaseDetailsRow {
  order_id: string
  source_id: string
  amount: string
  currency: string
  refunded: string
  at_ms: number
  state: PurchaseState
}

const instant = (ms: number): string => new Date(ms).toISOString()

/** How many conversations and purchases are listed; all are counted. */
interface DetailsMax {
  conversations: number
  purchases: number
}

/** Reads everything known about a person, with the latest purchases; undefined if nothing is known. */
export async function findPersonDetails(
  database: Queryable,
  organizationId: string,
  cuid: string,
  max: DetailsMax,
): Promise<PersonDetails | undefined> {
  const person = [organizationId, [cuid]]
  const currency = await findCurrency(database, organizationId)
  const [conversations, conversationsTotal, links, bought] = await Promise.all([
    listRows<ConversationRow>(database, CONVERSATIONS, [...person, currency, max.conversations]),
    readValue<number>(database, 'select count(*) from conversations where cuid = $2 and organization_id = $1', [
      organizationId,
      cuid,
    ]),
    listRows<PersonLink & { at: Date | string }>(
      database,
      `select kind, id, source_id as "sourceId", at from person_ids
        where organization_id = $1 and cuid = $2 order by kind, id`,
      [organizationId, cuid],
    ),
    readOfIds(database, IDS_OF_PEOPLE, person, max),
  ])
  if (conversations.length + links.length + bought.purchasesTotal + bought.fields.length === 0) return undefined
  return {
    cuid,
    currency,
    conversations: conversations.map(({ opening_amount, opening_at_ms, ...conversation }) => ({
      ...conversation,
      opening:
        opening_amount === null
          ? null
          : { amount: opening_amount, at: opening_at_ms === null ? null : instant(opening_at_ms) },
    })),
    conversationsTotal,
    links: links.map(({ at, ...link }) => ({ ...link, at: new Date(at).toISOString() })),
    ...bought,
  }
}

/** Reads everything known about ids without a person; undefined if nothing is known. */
export async function findDetailsOfIds(
  database: Queryable,
  organizationId: string,
  ids: readonly ExternalId[],
  max: DetailsMax,
): Promise<PersonData | undefined> {
  const currency = await findCurrency(database, organizationId)
  const bought = await readOfIds(database, GIVEN_IDS, [organizationId, JSON.stringify(ids)], max)
  if (bought.purchasesTotal + bought.fields.length === 0) return undefined
  return { cuid: null, currency, conversations: [], conversationsTotal: 0, links: [], ...bought }
}

const findCurrency = async (database: Queryable, organizationId: string): Promise<string | null> =>
  (await findValue<string | null>(database, 'select currency from organizations where organization_id = $1', [
    organizationId,
  ])) ?? null

const GIVEN_IDS = `select null::text as cuid, kind, id from json_to_recordset($2::json) as given (kind text, id text)`

/** Reads purchases and fields of the ids that `ids` selects with the first two values. */
async function readOfIds(
  database: Queryable,
  ids: string,
  values: readonly unknown[],
  max: DetailsMax,
): Promise<Pick<PersonDetails, 'purchases' | 'purchasesTotal' | 'fields'>> {
  const [purchases, purchasesTotal, fields] = await Promise.all([
    listRows<PurchaseDetailsRow>(database, purchasesOf(ids), [...values, max.purchases]),
    readValue<number>(database, purchasesTotalOf(ids), [...values]),
    listRows<ProfileField & { at_ms: number }>(database, fieldsOf(ids), [...values]),
  ])
  return {
    purchases: purchases.map(
      (row): Purchase => ({
        orderId: row.order_id,
        sourceId: row.source_id,
        amount: row.amount,
        currency: row.currency,
        refunded: row.refunded,
        at: instant(row.at_ms),
        state: row.state,
      }),
    ),
    purchasesTotal,
    fields: fields.map(({ at_ms, ...field }) => ({ ...field, at: instant(at_ms) })),
  }
}

/** The value of a conversation that intake has not changed is its opening value, whatever was bought. */
const CONVERSATIONS = `
  select o.channel_id as "channelId",
         ${FIELD_LIST.map(({ name, column, double = column }) => `o.${double} as "${name}"`).join(', ')},
         o.opening_amount::text, o.opening_at_ms,
         trim_scale(coalesce(b.purchased, 0))::text as purchased, trim_scale(coalesce(b.refunded, 0))::text as refunded
    from (select *, opening_at_ms as since from conversations where organization_id = $1 and cuid = any($2::text[])
           order by channel_id, conversation_id limit $4) o
   cross join lateral (select o.cuid) p
    left join lateral (${BOUGHT_SINCE}) b on o.opening_amount is not null
   order by channel_id, conversation_id`

/** A purchase is before the opening only if it is before the opening of each conversation. */
const purchasesOf = (ids: string): string => `
  with ids as materialized (${ids}),
  opened as (
    select case when count(*) filter (where opening_at_ms is null) = 0 then min(opening_at_ms) end as at_ms
      from conversations where organization_id = $1 and cuid in (select cuid from ids)),
  latest as (
    select u.* from ids i
      join purchases u on u.organization_id = $1 and u.id_kind = i.kind and u.id = i.id
     where u.amount is not null
     order by u.at_ms desc, u.source_id, u.order_id limit $3)
  select u.order_id, u.source_id, u.amount::text, u.currency, u.at_ms, r.refunded::text as refunded,
         case when u.is_test then 'test' when ${isCancelled('u')} then 'cancelled' when ${isUnpaid('u')} then 'unpaid'
              when o.currency is null then 'no_currency'
              when u.currency <> o.currency then 'other_currency'
              when u.at_ms <= (select at_ms from opened) then 'before_opening'
              when u.amount > 0 and r.refunded = u.amount then 'refunded' else 'counted' end as state
    from latest u
    join organizations o on o.organization_id = $1
    left join lateral (
         select least(u.amount, coalesce(sum(${amountOfRefund('f', 'u')}), 0)) as refunded from refunds f
          where f.organization_id = $1 and f.source_id = u.source_id and f.order_id = u.order_id) r on true
   order by u.at_ms desc, u.source_id, u.order_id`

const purchasesTotalOf = (ids: string): string => `
  with ids as materialized (${ids})
  select count(*) from ids i
    join purchases u on u.organization_id = $1 and u.id_kind = i.kind and u.id = i.id
   where u.amount is not null`

const fieldsOf = (ids: string): string => `
  with ids as materialized (${ids})
  select distinct on (f.field) f.field, f.value, f.at_ms, f.source_id as "sourceId"
    from ids i join person_fields f on f.organization_id = $1 and f.id_kind = i.kind and f.id = i.id
   order by f.field, f.at_ms desc, coalesce(f.value, '') collate "C" desc`

const COLUMNS = FIELD_LIST.map(({ name, column, double = column }) => `c.${double} as "${name}"`).join(', ')
const NAMES = `names_of(c.${FIELDS.firstName.column}, c.${FIELDS.lastName.column}, c.${FIELDS.userName.column})`
/** Sorts after every character in byte order. */
const LAST = '\u{10FFFF}'
/**
 * The prefixes in the form in which names are stored; folding may lengthen one. A string of only invisible characters is not
 * a prefix of any name.
 */
const BEGINNINGS = `(select left(folded(given), 200) collate "C" as text from unnest($2::text[]) as g (given)) b`
/** Reads the next `limit` names that begin with one of them: each prefix is a walk of the index. */
const begun = (limit: string): string => `
  select n.* from ${BEGINNINGS}
   cross join lateral (
         select * from conversation_names
          where organization_id = $1 and b.text <> '' and name >= b.text and name < b.text || '${LAST}'
            and ($3::text is null or (name, channel_id, conversation_id) > ($3::text, $4::text, $5::text))
          order by name, channel_id, conversation_id limit ${limit}) n
   order by n.name, n.channel_id, n.conversation_id limit ${limit}`
const EXACT_MAX = 50

/** The prefixes of the names, none of which is a prefix of another, and the position of the previous page. */
interface WantedNames {
  beginnings: readonly string[]
  after: NamePosition | undefined
  rows: number
}

/** A position in the list of names. */
export type NamePosition = [name: string, channelId: string, conversationId: string]

/** Finds conversations by this text: their own id or cuid, or an external id of their person. */
export const findByIds = (database: Queryable, organizationId: string, text: string): Promise<FoundPerson[]> =>
  listRows(
    database,
    `with people as (
       select $2::text as cuid
        union
       select p.cuid from person_ids p where p.organization_id = $1 and p.id = $2),
     found as (
       select c.channel_id, c.conversation_id from people
         join conversations c on c.organization_id = $1 and c.cuid = people.cuid
        union
       select h.channel_id, $2 from channels h
        where h.organization_id = $1
          and exists (select from conversations o
                       where o.organization_id = $1 and o.channel_id = h.channel_id and o.conversation_id = $2))
     select c.channel_id as "channelId", ${COLUMNS}
       from found join conversations c on c.organization_id = $1 and c.channel_id = found.channel_id
                                      and c.conversation_id = found.conversation_id
      order by c.channel_id, c.conversation_id limit ${EXACT_MAX}`,
    [organizationId, text],
  )

/** Finds conversations with a name that begins like this, ordered by name, each by its first such name. */
export const findByName = (
  database: Queryable,
  organizationId: string,
  { beginnings, after, rows }: WantedNames,
): Promise<(FoundPerson & { place: string })[]> =>
  listRows(
    database,
    `select n.name as place, n.channel_id as "channelId", ${COLUMNS}
       from (${begun('$6')}) n
      cross join lateral (
            select * from conversations
             where organization_id = $1 and channel_id = n.channel_id and conversation_id = n.conversation_id limit 1) c
      where not exists (select from unnest(${NAMES}) as other (name), ${BEGINNINGS}
                         where other.name collate "C" >= b.text and other.name collate "C" < b.text || '${LAST}'
                           and other.name collate "C" < n.name)
      order by n.name, n.channel_id, n.conversation_id`,
    [organizationId, beginnings, after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null, rows],
  )

/** Returns the position of the last name that a page examined; undefined if it was the last of all. */
export const findLastPlace = (
  database: Queryable,
  organizationId: string,
  { beginnings, after, rows }: WantedNames,
): Promise<{ place: NamePosition; count: number }[]> =>
  listRows(
    database,
    `select json_build_array(name, channel_id, conversation_id) as place, count from (
       select name, channel_id, conversation_id, row_number() over (order by name, channel_id, conversation_id) as count
         from (${begun('$6 + 1')}) looked) numbered
      where count >= $6 order by count`,
    [organizationId, beginnings, after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null, rows],
  )
