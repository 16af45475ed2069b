import type { Queryable } from '../../database/database.js'
import type { ChannelKey } from '../../http/snapshot.js'
import type { VipUserRow } from '../vip-user.js'

/**
 * How many touched conversations the log of a channel keeps, and at most one transaction's more. To read further back than
 * that takes longer than to read the first 25,000 conversations anew.
 */
export const AUDIENCE_CHANGES_KEPT = 10_000

/** A conversation as it stands now, for one that was touched. */
export interface ChangedConversation {
  conversationId: string
  /** Undefined: it is gone. */
  row: AudienceRow | undefined
}

/** A conversation with what the list filters and orders it by. */
export interface AudienceRow extends VipUserRow {
  lifetime_value: number
  /** The workspaces that hold it for a VIP, in no order. */
  vip_of: string[]
}

export interface AudienceChanges {
  /** The revision at which the rows stand. */
  revision: number
  /** Each touched conversation once, in no order; `all` when the log does not reach back far enough. */
  changed: 'all' | ChangedConversation[]
}

/**
 * Gives the channel's audience its next revision and notes which conversations the transaction touched; undefined stands
 * for any number of them. Must be the last statement of the transaction, because it holds up every other writer of the
 * channel until the end. Nothing touched, nothing noted.
 */
export async function recordAudienceChange(
  tx: Queryable,
  { organizationId, channelId }: ChannelKey,
  conversationIds: readonly string[] | undefined,
): Promise<void> {
  if (conversationIds?.length === 0) return
  const ids = conversationIds !== undefined && conversationIds.length <= AUDIENCE_CHANGES_KEPT ? conversationIds : null
  // The log is trimmed from its end, which the primary key finds; what another writer has just noted stays one turn longer.
  await tx.query(
    `with taken as (
       insert into audiences as a (organization_id, channel_id, revision, changes_since)
       values ($1, $2, $4::bigint, case when $3::text[] is null then $4 else 0 end)
       on conflict (organization_id, channel_id) do update
         set revision = a.revision + $4,
             changes_since = case when $3::text[] is null then a.revision + $4
                                  else greatest(a.changes_since, a.revision + $4 - ${AUDIENCE_CHANGES_KEPT}) end
       returning revision, changes_since
     ), noted as (
       insert into audience_changes (organization_id, channel_id, revision, conversation_ids)
       select $1, $2, revision, $3 from taken where $3 is not null
     )
     delete from audience_changes c using taken
      where c.organization_id = $1 and c.channel_id = $2 and c.revision <= taken.changes_since`,
    [organizationId, channelId, ids, ids?.length ?? 1],
  )
}

/** The revision of the channel's audience; 0 for one that never changed. */
export async function readAudienceRevision(
  database: Queryable,
  { organizationId, channelId }: ChannelKey,
): Promise<number> {
  const { rows } = await database.query<{ revision: number }>(
    'select revision from audiences where organization_id = $1 and channel_id = $2',
    [organizationId, channelId],
  )
  return rows[0]?.revision ?? 0
}

/**
 * What changed in the channel's audience after the revision `since`, as it stands now. One statement, so that revision
 * and rows are of one moment. The difference of the two revisions says beforehand how many conversations it is at most.
 */
export async function readAudienceChanges(
  database: Queryable,
  { organizationId, channelId }: ChannelKey,
  since: number,
): Promise<AudienceChanges> {
  type Row = Nullable<AudienceRow> & { revision: number; known: boolean; touched_id: string | null }
  // Each limit 1 holds the planner to one look-up by key for each id: free to join the tables, and without statistics of
  // them, it goes through the whole channel for each id.
  const { rows } = await database.query<Row>(
    `with head as (
       select coalesce(max(revision), 0) as revision, coalesce(max(changes_since), 0) as changes_since
         from audiences where organization_id = $1 and channel_id = $2
     ), touched as (
       select distinct unnest(l.conversation_ids) collate "C" as touched_id
         from audience_changes l, head
        where l.organization_id = $1 and l.channel_id = $2 and l.revision > $3 and head.changes_since <= $3
     )
     select head.revision, $3 between head.changes_since and head.revision as known, touched_id,
            c.conversation_id, c.cuid, c.user_name, c.first_name, c.last_name, c.profile_pic, c.birthday,
            c.last_purchase_at_ms, c.last_user_message_at_ms, c.last_app_open_at_ms, c.lifetime_value,
            array(select w.workspace_id from workspace_channels w
                   where w.organization_id = $1 and w.channel_id = $2
                     and (select true from vip_marks v
                           where v.organization_id = $1 and v.channel_id = $2 and v.workspace_id = w.workspace_id
                             and v.conversation_id = touched_id limit 1)) as vip_of
       from head
       left join touched on true
       left join lateral (
         select * from conversations
          where organization_id = $1 and channel_id = $2 and conversation_id = touched_id limit 1
       ) c on true`,
    [organizationId, channelId, since],
  )
  const { revision, known } = rows[0]!
  if (!known) return { revision, changed: 'all' }
  const changed = rows.flatMap(({ touched_id: conversationId, revision: _, known: __, ...row }) =>
    conversationId === null ? [] : [{ conversationId, row: toAudienceRow(row) }],
  )
  return { revision, changed }
}

type Nullable<T> = { [K in keyof T]: T[K] | null }

function toAudienceRow(row: Nullable<AudienceRow>): AudienceRow | undefined {
  return row.conversation_id === null ? undefined : (row as AudienceRow)
}
