import type { Queryable } from '../../database/database.js'
import { hitsRow, listRows, listValues } from '../../database/queries.js'
import type { ExternalId } from '../facts.js'
import type { LinkedId } from './ids.store.js'

type SourceIds = readonly [organizationId: string, sourceId: string]

/** Returns the linked ids that are meant; an id of kind `meta:*` is that id on any channel. */
export const findMeantIds = (tx: Queryable, organizationId: string, ids: readonly ExternalId[]): Promise<LinkedId[]> =>
  listRows(
    tx,
    `select p.kind, p.id, p.cuid
       from unnest($2::text[], $3::text[]) as wanted (kind, id)
       join person_ids p on p.organization_id = $1 and p.id = wanted.id
                        and (p.kind = wanted.kind or wanted.kind = 'meta:*' and p.kind like 'meta:%')`,
    [organizationId, ids.map(({ kind }) => kind), ids.map(({ id }) => id)],
  )

/** Deletes everything stored about ids except conversations: links, fields, purchases with refunds, and comments. */
export async function deleteOfIds(
  tx: Queryable,
  organizationId: string,
  ids: readonly ExternalId[],
): Promise<{ purchases: number }> {
  const values = [organizationId, ids.map(({ kind }) => kind), ids.map(({ id }) => id)]
  const { rowCount: purchases } = await tx.query(
    `delete from purchases using unnest($2::text[], $3::text[]) as t (kind, id)
      where organization_id = $1 and id_kind = t.kind and purchases.id = t.id`,
    values,
  )
  await tx.query(
    `delete from person_fields using unnest($2::text[], $3::text[]) as t (kind, id)
      where organization_id = $1 and id_kind = t.kind and person_fields.id = t.id`,
    values,
  )
  await tx.query(
    `delete from incoming_comments using unnest($2::text[], $3::text[]) as t (kind, id)
      where organization_id = $1 and person_id = t.id and (t.kind = 'meta:*' or t.kind = 'meta:' || channel_id)`,
    values,
  )
  await forgetCommenters(tx, values)
  await tx.query(
    `delete from person_ids using unnest($2::text[], $3::text[]) as t (kind, id)
      where organization_id = $1 and person_ids.kind = t.kind and person_ids.id = t.id`,
    values,
  )
  return { purchases }
}

/** Deletes the purchases that came from a source. Returns the buyers' ids. */
export const deletePurchasesOfSource = (tx: Queryable, ...ids: SourceIds): Promise<{ kind: string; id: string }[]> =>
  listRows(
    tx,
    `with gone as (
       delete from purchases where organization_id = $1 and source_id = $2 returning id_kind, id)
     select distinct id_kind as kind, id from gone where id_kind is not null`,
    ids,
  )

/** Returns whether a purchase came from the source. */
export const hasPurchasesOfSource = (tx: Queryable, organizationId: string, sourceId: string): Promise<boolean> =>
  hitsRow(tx, 'select from purchases where organization_id = $1 and source_id = $2 limit 1', [organizationId, sourceId])

/** Returns when an order was last removed, if it was. */
export const listRemovalTimes = (
  tx: Queryable,
  [organizationId, sourceId]: SourceIds,
  orderId: string,
): Promise<number[]> =>
  listValues(
    tx,
    `select removed_ms from purchases
      where organization_id = $1 and source_id = $2 and order_id = $3 and removed_ms is not null`,
    [organizationId, sourceId, orderId],
  )

/** The ledger keeps that a comment was decided, so that it is not answered again, but nothing about its writer. */
async function forgetCommenters(tx: Queryable, given: readonly unknown[]): Promise<void> {
  const values = await withCommenters(tx, given)
  const named = `t.kind = 'meta:*' or t.kind = 'meta:' || channel_id`
  await forgetEntrants(tx, values, named)
  await tx.query(
    `with forgotten as (
       update automation_comments set person_id = null, from_name = null, text = null
         from unnest($2::text[], $3::text[]) as t (kind, id)
        where organization_id = $1 and person_id = t.id and (${named})
    returning channel_id, comment_id)
     update automation_effects e
        set reply = null, recipient_id = null, person_id = '', next_attempt_at = null,
            state = case when e.state = 'planned' then 'skipped' else e.state end,
            reason = case when e.state = 'planned' then 'person_forgotten' else e.reason end
       from forgotten
      where e.organization_id = $1 and e.channel_id = forgotten.channel_id and e.comment_id = forgotten.comment_id`,
    values,
  )
  await tx.query(
    `delete from opt_outs using unnest($2::text[], $3::text[]) as t (kind, id)
      where organization_id = $1 and person_id = t.id and (${named})`,
    values,
  )
  await tx.query(
    `delete from automation_turns using unnest($2::text[], $3::text[]) as t (kind, id)
      where organization_id = $1 and person_id = t.id and (${named})`,
    values,
  )
  await tx.query(
    `delete from automation_people using unnest($2::text[], $3::text[]) as t (kind, id)
      where organization_id = $1 and person_id = t.id and (${named})`,
    values,
  )
}

/** Adds the ids under which people comment whose conversations are meant: the response to a private reply links the two. */
async function withCommenters(tx: Queryable, [organizationId, kinds, ids]: readonly unknown[]): Promise<unknown[]> {
  const others = await listRows<{ kind: string; id: string }>(
    tx,
    `select distinct 'meta:' || m.channel_id as kind, m.person_id as id
       from unnest($2::text[], $3::text[]) as t (kind, id)
       join automation_effects e on e.organization_id = $1 and e.recipient_id = t.id
                                and (t.kind = 'meta:*' or t.kind = 'meta:' || e.channel_id)
       join automation_comments m on m.organization_id = $1 and m.channel_id = e.channel_id
                                 and m.comment_id = e.comment_id
      where m.person_id is not null`,
    [organizationId, kinds, ids],
  )
  return [
    organizationId,
    [...(kinds as string[]), ...others.map(({ kind }) => kind)],
    [...(ids as string[]), ...others.map(({ id }) => id)],
  ]
}

/**
 * Deletes a person's entry while the list is not frozen. Afterwards the entry stays without saying whose it was, so that the
 * list's count and hash remain valid.
 */
async function forgetEntrants(tx: Queryable, values: readonly unknown[], named: string): Promise<void> {
  // A running draw has read its entrants, so wait for it.
  await tx.query(
    `select from raffles r
      where organization_id = $1
        and exists (select from raffle_entrants e join unnest($2::text[], $3::text[]) as t (kind, id) on e.person_id = t.id
                     where e.organization_id = $1 and e.scheduled_post_id = r.scheduled_post_id
                       and e.channel_id = r.channel_id and (t.kind = 'meta:*' or t.kind = 'meta:' || e.channel_id))
      order by scheduled_post_id, channel_id
        for share`,
    values,
  )
  await tx.query(
    `delete from raffle_entrants e using raffles r, unnest($2::text[], $3::text[]) as t (kind, id)
      where e.organization_id = $1 and r.organization_id = $1 and r.scheduled_post_id = e.scheduled_post_id
        and r.channel_id = e.channel_id and r.frozen_at is null and r.drawn_at is null and e.person_id = t.id
        and (t.kind = 'meta:*' or t.kind = 'meta:' || e.channel_id)`,
    values,
  )
  await tx.query(
    `update raffle_entrants set person_id = null, comment_id = null
       from unnest($2::text[], $3::text[]) as t (kind, id)
      where organization_id = $1 and person_id = t.id and (${named})`,
    values,
  )
}
