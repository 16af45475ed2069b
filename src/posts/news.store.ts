import type { Queryable } from '../database/database.js'
import { listValues } from '../database/queries.js'

/**
 * Returns the people that news about a post concerns: its author, and the person who last asked for its approval. Keys do
 * not count, so a post that only programs have touched has none.
 */
export const listPeopleOfPost = (tx: Queryable, organizationId: string, scheduledPostId: string): Promise<string[]> =>
  listValues(
    tx,
    `select distinct substr(actor, ${'user:'.length + 1})
       from ((select actor from scheduled_post_history
               where organization_id = $1 and scheduled_post_id = $2 and action = 'created' order by version limit 1)
             union all
             (select actor from scheduled_post_history
               where organization_id = $1 and scheduled_post_id = $2 and action <> 'reverted'
                 and to_status = 'WAITING_FOR_APPROVAL' and from_status is distinct from to_status
               order by version desc limit 1)) a
      where actor like 'user:%'`,
    [organizationId, scheduledPostId],
  )
