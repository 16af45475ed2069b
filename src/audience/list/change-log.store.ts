import type { Queryable } from '../../database/database.js'
import { EPOCH, toEpoch } from '../../database/epoch.js'
import { readRow } from '../../database/queries.js'
import type { AudienceRevision, ChannelKey } from '../../http/snapshot.js'
import { type StoredConversation, selectedColumns } from '../fields.js'

/** A changed conversation, with its current row. */
export interface ChangedConversation {
  conversationId: string
  /** Undefined if it was deleted. */
  row: AudienceRow | undefined
}

/** A conversation and the workspaces that list it as a VIP. */
export interface AudienceRow extends StoredConversation {
  /** The workspaces in which it is a VIP, unordered. */
  vip_of: string[]
}

export interface AudienceChanges {
  /** The revision that the rows belong to. */
  reached: AudienceRevision
  /** Each changed conversation once, unordered; `all` if the log does not reach back far enough. */
  changed: 'all' | ChangedConversation[]
}

export async function readAudienceRevision(
  database: Queryable,
  { organizationId, channelId }: ChannelKey,
): Promise<AudienceRevision> {
  const { epoch, revision } = await readRow<AudienceRevision>(
    database,
    `select ${EPOCH} as epoch, coalesce(max(revision), 0) as revision
       from audiences where organization_id = $1 and channel_id = $2`,
    [organizationId, channelId],
  )
  return { epoch: toEpoch(epoch), revision }
}

/** An audience, and the revision after which its changes are wanted. */
export interface AskedChanges {
  channel: ChannelKey
  since: number
}

/** Almost every call asks for one. As an array of one it takes the embedded engine more than twice as long. */
const ONE = '(select $1::text as organization_id, $2::text as channel_id, $3::bigint as since, 1 as place) as k'
const MANY = `unnest($1::text[], $2::text[], $3::bigint[])
                with ordinality as k (organization_id, channel_id, since, place)`

// Each `limit 1` keeps the planner at one lookup by key per id. Without it, and without statistics, the planner joins the
// tables and scans the whole channel for each id.
const changesOf = (asked: string): string => `
  with asked as materialized (
     select k.*, coalesce(a.revision, 0) as revision, coalesce(a.changes_since, 0) as changes_since,
            array(select workspace_id from workspace_channels w
                   where w.organization_id = k.organization_id and w.channel_id = k.channel_id) as workspace_ids
       from ${asked}
       left join lateral (
         select * from audiences where organization_id = k.organization_id and channel_id = k.channel_id limit 1
       ) a on true
   ), touched as (
     select distinct place, unnest(conversation_ids) collate "C" as touched_id
       from asked
      cross join lateral (
         select conversation_ids from audience_changes
          where organization_id = asked.organization_id and channel_id = asked.channel_id and revision > since
         offset 0
      ) l
      where changes_since <= since
   )
   select place::integer, ${EPOCH} as epoch, revision, since between changes_since and revision as known, touched_id,
          ${selectedColumns('c')},
          array(select workspace_id from unnest(workspace_ids) w (workspace_id)
                 where (select true from vip_marks v
                         where v.organization_id = asked.organization_id and v.channel_id = asked.channel_id
                           and v.workspace_id = w.workspace_id and v.conversation_id = touched_id limit 1)) as vip_of
     from asked
     left join touched using (place)
     left join lateral (
       select * from conversations
        where organization_id = asked.organization_id and channel_id = asked.channel_id
          and conversation_id = touched_id limit 1
     ) c on true`
const CHANGES_OF_ONE = changesOf(ONE)
const CHANGES_OF_MANY = changesOf(MANY)

/**
 * Reads the conversations of each channel that changed after the revision `since`: at most as many as the difference of the
 * two revisions. One statement reads all, so that revisions and rows come from one snapshot, and because the events of a
 * second may change a hundred lists. Triggers write the log (pending_audience_changes). Returns them in the order requested.
 */
export async function readAudienceChanges(
  database: Queryable,
  asked: readonly AskedChanges[],
): Promise<AudienceChanges[]> {
  type Row = Nullable<AudienceRow> & AudienceRevision & { place: number; known: boolean; touched_id: string | null }
  const [one] = asked
  const { rows } = await (asked.length === 1
    ? database.query<Row>(CHANGES_OF_ONE, [one!.channel.organizationId, one!.channel.channelId, one!.since])
    : database.query<Row>(CHANGES_OF_MANY, [
        asked.map(({ channel }) => channel.organizationId),
        asked.map(({ channel }) => channel.channelId),
        asked.map(({ since }) => since),
      ]))
  const changes: AudienceChanges[] = []
  for (const { place, epoch, revision, known, touched_id: conversationId, ...row } of rows) {
    changes[place - 1] ??= { reached: { epoch: toEpoch(epoch), revision }, changed: known ? [] : 'all' }
    const { changed } = changes[place - 1]!
    if (changed === 'all' || conversationId === null) continue
    changed.push({ conversationId, row: row.conversation_id === null ? undefined : (row as AudienceRow) })
  }
  return changes
}

type Nullable<T> = { [K in keyof T]: T[K] | null }
