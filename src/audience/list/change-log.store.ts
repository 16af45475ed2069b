import type { Queryable } from '../../database/database.js'
import { EPOCH, toEpoch } from '../../database/epoch.js'
import { readRow } from '../../database/queries.js'
import type { AudienceRevision, ChannelKey } from '../../http/snapshot.js'
import { type StoredConversation, selectedColumns } from '../fields.js'

/** A conversation that was touched, with its current row. */
export interface ChangedConversation {
  conversationId: string
  /** Undefined when it was deleted. */
  row: AudienceRow | undefined
}

/** A conversation and the workspaces that list it as a VIP. */
export interface AudienceRow extends StoredConversation {
  /** The workspaces of which it is a VIP, unordered. */
  vip_of: string[]
}

export interface AudienceChanges {
  /** The revision to which the rows belong. */
  reached: AudienceRevision
  /** Each touched conversation once, unordered; `all` when the log does not reach back far enough. */
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

/**
 * The conversations of the channel that were touched after the revision `since`: at most as many as the two revisions
 * differ by. One statement, so that revision and rows are of one snapshot. Triggers write the log (migrations/0005).
 */
export async function readAudienceChanges(
  database: Queryable,
  { organizationId, channelId }: ChannelKey,
  since: number,
): Promise<AudienceChanges> {
  type Row = Nullable<AudienceRow> & AudienceRevision & { known: boolean; touched_id: string | null }
  // Each limit 1 keeps the planner at one look-up by key for each id. Without it, and without statistics, it joins the
  // tables and scans the whole channel for each id.
  const { rows } = await database.query<Row>(
    `with head as (
       select ${EPOCH} as epoch, coalesce(max(revision), 0) as revision, coalesce(max(changes_since), 0) as changes_since
         from audiences where organization_id = $1 and channel_id = $2
     ), touched as (
       select distinct unnest(l.conversation_ids) collate "C" as touched_id
         from audience_changes l, head
        where l.organization_id = $1 and l.channel_id = $2 and l.revision > $3 and head.changes_since <= $3
     )
     select head.epoch, head.revision, $3 between head.changes_since and head.revision as known, touched_id,
            ${selectedColumns('c')},
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
  const { epoch, revision, known } = rows[0]!
  const reached = { epoch: toEpoch(epoch), revision }
  if (!known) return { reached, changed: 'all' }
  const changed = rows.flatMap(({ touched_id: conversationId, epoch: _, revision: __, known: ___, ...row }) =>
    conversationId === null
      ? []
      : [{ conversationId, row: row.conversation_id === null ? undefined : (row as AudienceRow) }],
  )
  return { reached, changed }
}

type Nullable<T> = { [K in keyof T]: T[K] | null }
