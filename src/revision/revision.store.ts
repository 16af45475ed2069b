import type { Queryable } from '../database/database.js'
import { readRow } from '../database/queries.js'

/** Numbers that differ from those before when something of it has changed. */
export interface RevisionRow {
  posts: number
  /** The messages of their discussions. */
  discussions: number
  audience: number
  access: number
  trail: number
  waiting: number
}

/**
 * This many of the newest rows count: transactions end in another order than they begin, so that the newest one alone
 * would hide one that ended later.
 */
const NEWEST = 50

/** A sum that a number of JavaScript holds. */
const sumOf = (parts: string): string =>
  `coalesce(sum(hashtextextended(concat_ws(' ', ${parts}), 0)::numeric) % 9007199254740991, 0)::bigint`

export const readRevisionRow = (database: Queryable, organizationId: string, personId: string): Promise<RevisionRow> =>
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
              where organization_id = $1 and status = 'WAITING_FOR_APPROVAL') as waiting`,
    [organizationId, personId],
  )
