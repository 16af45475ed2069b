import type { Queryable } from '../../database/database.js'
import { listValues } from '../../database/queries.js'
import { type Actor, idOfActor } from '../../http/principal.js'
import type { DiscussionKey } from './discussion.store.js'

/**
 * Finds the people whom a message concerns, in the transaction that writes it: those whom it mentions, the author of the
 * post, everyone who has a message in the discussion, and the makers of the links with which others have written there.
 * Its own author is not among them, nor is anyone who can no longer read the organization. An edit concerns only those
 * whom it mentions for the first time (`onlyMentioned`).
 */
export const findConcerned = (
  tx: Queryable,
  { organizationId, scheduledPostId }: DiscussionKey,
  {
    author,
    mentioned,
    onlyMentioned = false,
  }: { author: Actor; mentioned: readonly string[]; onlyMentioned?: boolean },
): Promise<string[]> =>
  listValues(
    tx,
    `with concerned as (
       select unnest($3::text[]) as person_id
        union
       select coalesce(link_of, author_id) from discussion_messages
        where organization_id = $1 and scheduled_post_id = $2 and not $5 and author_type in ('user', 'outsider')
          and deleted_at is null
        union
       select substr(actor, ${'user:'.length + 1}) from scheduled_post_history
        where organization_id = $1 and scheduled_post_id = $2 and not $5 and action = 'created' and actor like 'user:%')
     select person_id from concerned
       join memberships m using (person_id)
       join people p using (person_id)
      where m.organization_id = $1 and p.active and person_id is distinct from $4
      order by person_id`,
    [organizationId, scheduledPostId, mentioned, author.type === 'user' ? idOfActor(author) : null, onlyMentioned],
  )
