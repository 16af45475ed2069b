import type { Queryable } from '../database/database.js'

/** An actor as it is stored beside what it did. */
interface StoredActor {
  type: string
  id: string | null
}

/**
 * Finds the present names of the people and keys among the actors, by `<type>:<id>`. People may have left the
 * organization.
 */
export async function findActorNames(
  database: Queryable,
  organizationId: string,
  actors: readonly StoredActor[],
): Promise<Map<string, string>> {
  const idsOf = (type: string): string[] => [
    ...new Set(actors.flatMap((actor) => (actor.type === type && actor.id !== null ? [actor.id] : []))),
  ]
  const [personIds, keyIds] = [idsOf('user'), idsOf('key')]
  if (personIds.length === 0 && keyIds.length === 0) return new Map()
  const { rows } = await database.query<{ actor: string; name: string }>(
    `select 'user:' || person_id as actor, name from people where person_id = any($2::text[])
      union all
     select 'key:' || key_id, name from api_keys
      where organization_id = $1 and key_id = any($3::text[]) and name <> ''`,
    [organizationId, personIds, keyIds],
  )
  return new Map(rows.map(({ actor, name }) => [actor, name]))
}
