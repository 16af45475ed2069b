import type { Queryable } from '../database/database.js'

/** An actor as stored. */
interface StoredActor {
  type: string
  id: string | null
}

/**
 * Returns the current names of the people and keys among the actors, by `<type>:<id>`. Includes people who have left
 * the organization.
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

/** The targets that have names, by type: their table and its id column. */
const NAMED: Readonly<Record<string, readonly [table: string, id: string]>> = {
  key: ['api_keys', 'key_id'],
  webhook: ['webhooks', 'webhook_id'],
  workspace: ['workspaces', 'workspace_id'],
  channel: ['channels', 'channel_id'],
  adAccount: ['ad_accounts', 'ad_account_id'],
  superpower: ['superpowers', 'creative_template_id'],
  source: ['sources', 'source_id'],
}

/** Returns the current names of the targets, by `<type>:<id>`. Deleted targets have none. */
export async function findTargetNames(
  database: Queryable,
  organizationId: string,
  targets: readonly { target_type: string; target_id: string }[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const [type, [table, id]] of Object.entries(NAMED)) {
    const ids = [...new Set(targets.flatMap((one) => (one.target_type === type ? [one.target_id] : [])))]
    if (ids.length === 0) continue
    const { rows } = await database.query<{ id: string; name: string }>(
      `select ${id} as id, name from ${table} where organization_id = $1 and ${id} = any($2::text[]) and name <> ''`,
      [organizationId, ids],
    )
    for (const row of rows) names.set(`${type}:${row.id}`, row.name)
  }
  return names
}
