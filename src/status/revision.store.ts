import type { Queryable } from '../database/database.js'
import { readRow } from '../database/queries.js'
import { FAILED_MAX } from '../interface/revision.js'

/** Numbers that change when the data behind them changes. */
export interface RevisionRow {
  posts: number
  /** The messages about posts. */
  discussions: number
  audience: number
  access: number
  trail: number
  waiting: number
  unread: number
  inbox: number
  failed: number
  refused: number
}

/**
 * How many of the newest rows are included. Transactions do not end in the order in which they begin, so reading
 * only the newest row would hide one that is committed later.
 */
const NEWEST = 50

/** SQL for a hash sum that fits into a JavaScript number. */
const sumOf = (parts: string): string =>
  `coalesce(sum(hashtextextended(concat_ws(' ', ${parts}), 0)::numeric) % 9007199254740991, 0)::bigint`

/** Every count uses an index that contains little else, because unread, failed or refused items are few. */
export const readRevisionRow = (
  database: Queryable,
  organizationId: string,
  { personId, failedFrom }: { personId: string; failedFrom: Date },
): Promise<RevisionRow> =>
  readRow<RevisionRow>(
    database,
    `select (select ${sumOf('scheduled_post_id, version')}
               from (select scheduled_post_id, version from scheduled_posts
                      where organization_id = $1 order by updated_at desc limit ${NEWEST}) p) as posts,
            (select ${sumOf('message_id, changed_at')}
               from (select message_id, changed_at from discussion_messages
                      where organization_id = $1 order by changed_at desc limit ${NEWEST}) m) as discussions,
            (select ${sumOf('channel_id, revision')} from audiences where organization_id = $1) as audience,
            (select ${sumOf('scope_id, revision')} from access_revisions where scope_id in ($1, $2, '')) as access,
            (select ${sumOf('a.audit_id, r.times')}
               from (select audit_id from audit_trail where organization_id = $1 order by audit_id desc limit ${NEWEST}) a
               left join audit_repeats r on r.organization_id = $1 and r.audit_id = a.audit_id) as trail,
            (select count(*) from scheduled_posts
              where organization_id = $1 and status = 'WAITING_FOR_APPROVAL') as waiting,
            (select count(*) from inbox_entries
              where organization_id = $1 and person_id = $2 and read_at is null) as unread,
            -- The newest entry reveals news that is stored as read.
            (select ${sumOf('i.entry_id, i.part')}
               from (select entry_id, 'unread' as part from inbox_entries
                      where organization_id = $1 and person_id = $2 and read_at is null
                      union all
                     (select entry_id, 'newest' from inbox_entries
                       where organization_id = $1 and person_id = $2 order by at desc, entry_id desc limit 1)) i) as inbox,
            (select count(*) from (select from scheduled_posts
              where organization_id = $1 and status = 'FAILED' and list_time >= $3 limit ${FAILED_MAX}) f) as failed,
            (select count(*) from channels
              where organization_id = $1 and token_problem is not null and deleted_at is null)
            + (select count(*) from ad_accounts
                where organization_id = $1 and token_problem is not null) as refused`,
    [organizationId, personId, failedFrom],
  )
