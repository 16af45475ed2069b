import type { Queryable } from '../../database/database.js'
import { findValue, listRows, readValue } from '../../database/queries.js'
import type {
  PersonConversation,
  PersonDetails,
  PersonLink,
  ProfileField,
  Purchase,
  PurchaseState,
} from '../../interface/intake.js'
import { FIELD_LIST } from '../fields.js'
import { IDS_OF_PEOPLE } from '../live/refresh.store.js'
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

/** All that is known of a person, with the latest purchases; undefined where nothing is known. */
export async function findPersonDetails(
  database: Queryable,
  organizationId: string,
  cuid: string,
  purchasesMax: number,
): Promise<PersonDetails | undefined> {
  const person = [organizationId, [cuid]]
  const [currency, conversations, purchases, purchasesTotal, links, fields] = await Promise.all([
    findValue<string | null>(database, 'select currency from organizations where organization_id = $1', [
      organizationId,
    ]),
    listRows<ConversationRow>(database, CONVERSATIONS, [organizationId, cuid]),
    listRows<PurchaseDetailsRow>(database, PURCHASES, [...person, purchasesMax]),
    readValue<number>(database, PURCHASES_TOTAL, person),
    listRows<PersonLink & { at: Date | string }>(
      database,
      `select kind, id, source_id as "sourceId", at from person_ids
        where organization_id = $1 and cuid = $2 order by kind, id`,
      [organizationId, cuid],
    ),
    listRows<ProfileField & { at_ms: number }>(database, FIELDS, person),
  ])
  if (conversations.length + purchasesTotal + links.length + fields.length === 0) return undefined
  return {
    cuid,
    currency: currency ?? null,
    conversations: conversations.map(({ opening_amount, opening_at_ms, ...conversation }) => ({
      ...conversation,
      opening:
        opening_amount === null
          ? null
          : { amount: opening_amount, at: opening_at_ms === null ? null : instant(opening_at_ms) },
    })),
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
    links: links.map(({ at, ...link }) => ({ ...link, at: new Date(at).toISOString() })),
    fields: fields.map(({ at_ms, ...field }) => ({ ...field, at: instant(at_ms) })),
  }
}

const CONVERSATIONS = `
  select channel_id as "channelId", ${FIELD_LIST.map(({ name, column, double = column }) => `${double} as "${name}"`).join(', ')},
         opening_amount::text, opening_at_ms
    from conversations where organization_id = $1 and cuid = $2
   order by channel_id, conversation_id limit 1000`

/** A purchase is before the opening only if it is before that of each conversation. */
const PURCHASES = `
  with ids as materialized (${IDS_OF_PEOPLE}),
  opened as (
    select case when count(*) filter (where opening_at_ms is null) = 0 then min(opening_at_ms) end as at_ms
      from conversations where organization_id = $1 and cuid = any($2::text[]))
  select u.order_id, u.source_id, u.amount::text, u.currency, u.at_ms,
         least(u.amount, coalesce((select sum(${amountOfRefund('f', 'u')}) from refunds f
            where f.organization_id = $1 and f.source_id = u.source_id and f.order_id = u.order_id), 0))::text as refunded,
         case when u.is_test then 'test' when u.is_cancelled then 'cancelled' when o.currency is null then 'no_currency'
              when u.currency <> o.currency then 'other_currency'
              when u.at_ms <= (select at_ms from opened) then 'before_opening' else 'counted' end as state
    from ids i
    join purchases u on u.organization_id = $1 and u.id_kind = i.kind and u.id = i.id
    join organizations o on o.organization_id = $1
   where u.amount is not null
   order by u.at_ms desc, u.source_id, u.order_id limit $3`

const PURCHASES_TOTAL = `
  with ids as materialized (${IDS_OF_PEOPLE})
  select count(*) from ids i
    join purchases u on u.organization_id = $1 and u.id_kind = i.kind and u.id = i.id
   where u.amount is not null`

const FIELDS = `
  with ids as materialized (${IDS_OF_PEOPLE})
  select distinct on (f.field) f.field, f.value, f.at_ms, f.source_id as "sourceId"
    from ids i join person_fields f on f.organization_id = $1 and f.id_kind = i.kind and f.id = i.id
   order by f.field, f.at_ms desc, coalesce(f.value, '') collate "C" desc`
