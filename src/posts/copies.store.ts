import type { Queryable } from '../database/database.js'
import { listValues } from '../database/queries.js'
import { type Actor, textOfActor } from '../http/principal.js'
import { DAY_MS } from '../lib/dates.js'
import { limit } from '../lib/limits.js'

const KEPT_MS = limit('postTextDays') * DAY_MS
const BLANKS = "E' \\t\\r\\n'"

/** SQL that is true for a text long enough that nobody else writes the same one by chance. */
export const isOwnText = (text: string): string => `char_length(btrim(${text}, ${BLANKS})) >= ${limit('ownTextChars')}`

/** SQL for the digest by which post_texts knows a text. */
export const textDigest = (text: string): string => `sha256(convert_to(btrim(${text}, ${BLANKS}), 'UTF8'))`

/**
 * Records who wrote these texts of posts, unless a person or key of the organization wrote them earlier: the first writer
 * counts. Works in the order of the digests, so that transactions wait for each other without deadlocks.
 */
export async function noteTexts(
  tx: Queryable,
  organizationId: string,
  { texts, actor, at }: { texts: readonly string[]; actor: Actor; at: Date },
): Promise<void> {
  if (!texts.some((text) => text.trim().length >= limit('ownTextChars'))) return
  await tx.query(
    `insert into post_texts (organization_id, text_sha256, actor, written_at)
     select $1, digest, $3, $4::timestamptz
       from (select distinct ${textDigest('text')} as digest from unnest($2::text[]) as t (text)
              where ${isOwnText('text')}) d
      order by digest
         on conflict do nothing`,
    [organizationId, texts, textOfActor(actor), at],
  )
  await tx.query('delete from post_texts where organization_id = $1 and written_at < $2', [
    organizationId,
    new Date(at.getTime() - KEPT_MS),
  ])
}

/** Lists the saved texts and groups of hashtags that one of these texts contains. */
export const listContainedTexts = (
  tx: Queryable,
  organizationId: string,
  texts: readonly string[],
): Promise<string[]> =>
  listValues(
    tx,
    `select saved_text_id from saved_texts s
      where organization_id = $1 and ${isOwnText('s.text')}
        and exists (select from unnest($2::text[]) as t (text) where strpos(t.text, btrim(s.text, ${BLANKS})) > 0)`,
    [organizationId, texts],
  )

/** Returns the ids of posts that exist or existed: a copy may come from a deleted post. */
export const listKnownPosts = (tx: Queryable, organizationId: string, ids: readonly string[]): Promise<string[]> =>
  listValues(
    tx,
    `select id from unnest($2::text[]) as t (id)
      where exists (select from scheduled_posts where organization_id = $1 and scheduled_post_id = id)
         or exists (select from scheduled_post_history where organization_id = $1 and scheduled_post_id = id)`,
    [organizationId, ids],
  )

/** Returns the ids of saved texts that exist or existed. */
export const listKnownTexts = (tx: Queryable, organizationId: string, ids: readonly string[]): Promise<string[]> =>
  listValues(
    tx,
    `select id from unnest($2::text[]) as t (id)
      where exists (select from saved_texts where organization_id = $1 and saved_text_id = id)
         or exists (select from audit_trail where organization_id = $1 and target_type = 'savedText' and target_id = id)`,
    [organizationId, ids],
  )

/** Lists who made these saved texts and saved superpowers, and who changed their content. */
export const listWritersOfSaved = (
  tx: Queryable,
  organizationId: string,
  { savedTexts, superpowers }: { savedTexts: readonly string[]; superpowers: readonly string[] },
): Promise<string[]> =>
  listValues(
    tx,
    `select distinct actor_type || coalesce(':' || actor_id, '') from audit_trail
      where organization_id = $1
        and ((target_type = 'savedText' and target_id = any($2::text[])
              and (operation = 'createSavedText' or (operation = 'updateSavedText' and changes -> 'text' is not null)))
          or (target_type = 'superpower' and target_id = any($3::text[])
              and (operation = 'createSuperpower' or (operation = 'updateSuperpower' and changes -> 'superpower' is not null))))`,
    [organizationId, savedTexts, superpowers],
  )
