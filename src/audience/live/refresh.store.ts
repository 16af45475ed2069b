import type { Queryable } from '../../database/database.js'
import { listValues } from '../../database/queries.js'
import { FIELDS, PROFILE_FIELDS } from '../fields.js'
import type { LiveAudience } from './live-audiences.store.js'
import { amountOfRefund } from './refunds.store.js'

const VALUE = FIELDS.lifetimeValue.column
const DOUBLE = FIELDS.lifetimeValue.double
const BOUGHT = FIELDS.lastPurchaseTimestamp.column
const OPENED = FIELDS.lastAppOpenTimestamp.column

/** The ids of the people $2; their cuids too, unless another person has one as an id. */
export const IDS_OF_PEOPLE = `
  select p.cuid, i.kind, i.id
    from unnest($2::text[]) as p (cuid) join person_ids i on i.organization_id = $1 and i.cuid = p.cuid
   union all
  select p.cuid, 'userId', p.cuid from unnest($2::text[]) as p (cuid)
   where not exists (select from person_ids i where i.organization_id = $1 and i.kind = 'userId' and i.id = p.cuid)`

/**
 * Purchases of the ids that count in the currency $3, and their refunds, each with its time. The refunds of an order never
 * come to more than the order. bought_ms is the time of a purchase that is not wholly refunded.
 */
export const ENTRIES = `
  select i.cuid, u.at_ms, u.amount as delta,
         case when u.amount > coalesce(r.amount, 0) then u.at_ms end as bought_ms
    from ids i
    join purchases u on u.organization_id = $1 and u.id_kind = i.kind and u.id = i.id
    left join lateral (
         select sum(${amountOfRefund('f', 'u')}) as amount from refunds f
          where f.organization_id = $1 and f.source_id = u.source_id and f.order_id = u.order_id) r on true
   where u.currency = $3 and not u.is_test and not u.is_cancelled and u.amount is not null
   union all
  select i.cuid, r.at_ms, least(r.before, u.amount) - least(r.before + r.amount, u.amount), null
    from ids i
    join purchases u on u.organization_id = $1 and u.id_kind = i.kind and u.id = i.id
    join lateral (
         select f.at_ms, f.amount,
                coalesce(sum(f.amount) over (
                  order by f.at_ms, f.refund_id rows between unbounded preceding and 1 preceding), 0) as before
           from (select f.at_ms, f.refund_id, ${amountOfRefund('f', 'u')} as amount from refunds f
                  where f.organization_id = $1 and f.source_id = u.source_id and f.order_id = u.order_id) f) r on true
   where u.currency = $3 and not u.is_test and not u.is_cancelled and u.amount is not null`

/** True where the newest value of a field of the profile is newer than what the conversation has. */
const isNewer = ({ name, column }: (typeof PROFILE_FIELDS)[number]): string =>
  `(f.newest -> '${name}' is not null and (c.${column} is null and c.field_times -> '${name}' is null
     or row((f.newest -> '${name}' ->> 1)::bigint, coalesce(f.newest -> '${name}' ->> 0, '') collate "C")
        > row(coalesce((c.field_times ->> '${name}')::bigint, $4::bigint), coalesce(c.${column}, '') collate "C")))`

const newest = (field: (typeof PROFILE_FIELDS)[number]): string =>
  `case when ${isNewer(field)} then f.newest -> '${field.name}' ->> 0 else c.${field.column} end as ${field.column}`

const newestTime = (field: (typeof PROFILE_FIELDS)[number]): string =>
  `'${field.name}', case when ${isNewer(field)} then (f.newest -> '${field.name}' ->> 1)::bigint end`

const listed = (write: (field: (typeof PROFILE_FIELDS)[number]) => string): string =>
  PROFILE_FIELDS.map(write).join(', ')
const NEWEST = listed(newest)
const NEWEST_TIMES = listed(newestTime)
const ASSIGNED = listed(({ column }) => `${column} = n.${column}`)
const STORED = listed(({ column }) => `c.${column}`)
const COMPUTED = listed(({ column }) => `n.${column}`)

const REFRESH = `
  with ids as materialized (${IDS_OF_PEOPLE}),
  entries as materialized (${ENTRIES}),
  fields as (
    select cuid, json_object_agg(field, json_build_array(value, at_ms)) as newest
      from (select distinct on (i.cuid, f.field) i.cuid, f.field, f.value, f.at_ms
              from ids i join person_fields f on f.organization_id = $1 and f.id_kind = i.kind and f.id = i.id
             order by i.cuid, f.field, f.at_ms desc, coalesce(f.value, '') collate "C" desc) newest
     group by cuid),
  openings as materialized (
    select c.*, coalesce(c.opening_amount, c.${VALUE}) as opening,
           case when c.opening_amount is not null then c.opening_at_ms
                when c.${VALUE} <> 0 then $4::bigint end as since,
           case when c.opening_amount is not null then c.opening_purchase_ms else c.${BOUGHT} end as opening_purchase
      from unnest($2::text[]) as p (cuid)
      join conversations c on c.organization_id = $1 and c.cuid = p.cuid),
  sums as (
    select c.channel_id, c.conversation_id, max(e.bought_ms) as bought_ms,
           sum(e.delta) filter (where e.at_ms > coalesce(c.since, -1)) as delta
      from openings c join entries e on e.cuid = c.cuid
     group by c.channel_id, c.conversation_id),
  computed as (
    select c.channel_id, c.conversation_id, c.opening, c.since, c.opening_purchase,
           c.opening + coalesce(e.delta, 0) as amount,
           greatest(c.opening_purchase, e.bought_ms) as bought_ms,
           greatest(c.${OPENED}, (f.newest -> 'lastAppOpen' ->> 1)::bigint) as opened_ms,
           case when f.newest is null then c.field_times
                else coalesce(c.field_times, '{}') || jsonb_strip_nulls(jsonb_build_object(${NEWEST_TIMES})) end as field_times,
           ${NEWEST}
      from openings c
      left join sums e on e.channel_id = c.channel_id and e.conversation_id = c.conversation_id
      left join fields f on f.cuid = c.cuid)
  update conversations c
     set opening_amount = n.opening, opening_at_ms = n.since, opening_purchase_ms = n.opening_purchase,
         ${VALUE} = n.amount, ${DOUBLE} = n.amount::float8,
         ${BOUGHT} = n.bought_ms, ${OPENED} = n.opened_ms, field_times = n.field_times,
         ${ASSIGNED}
    from computed n
   where c.organization_id = $1 and c.channel_id = n.channel_id and c.conversation_id = n.conversation_id
     and row(c.opening_amount, c.${VALUE}, c.${BOUGHT}, c.${OPENED},
             ${STORED})
         is distinct from row(n.opening, n.amount, n.bought_ms, n.opened_ms,
             ${COMPUTED})`

/**
 * The planner joins what it believes to be a few rows by comparing each with each, so the cost grows with the square of
 * the people of a statement. Events applied a second on PostgreSQL, in batches of 100 (bench:intake, two runs of three
 * rounds each): 4,000 to 5,000 with 1,500 people at once, 8,000 to 9,000 with 250, 8,200 to 10,100 with 120, 7,500 to
 * 10,500 with 50; all at once 14,700 on an empty table, and 1,100 two rounds later.
 */
const PEOPLE_AT_ONCE = 120

/** Computes the values and fields of all conversations of these people again. The audience must be locked. */
export async function refreshPeople(
  tx: Queryable,
  organizationId: string,
  { currency, live_since_ms: liveSince }: Pick<LiveAudience, 'currency' | 'live_since_ms'>,
  cuids: Iterable<string>,
): Promise<void> {
  const people = [...new Set(cuids)]
  for (let from = 0; from < people.length; from += PEOPLE_AT_ONCE) {
    const some = people.slice(from, from + PEOPLE_AT_ONCE)
    await tx.query(REFRESH, [organizationId, some, currency, liveSince])
  }
}

/** The next cuids of the organization, in their order. */
export const listCuidsAfter = (
  tx: Queryable,
  organizationId: string,
  after: string,
  limit: number,
): Promise<string[]> =>
  listValues(
    tx,
    `select distinct cuid from (
       select cuid from conversations where organization_id = $1 and cuid > $2 order by cuid limit $3
     ) next order by cuid`,
    [organizationId, after, limit],
  )
