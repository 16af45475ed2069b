import type { Queryable } from '../../database/database.js'
import { findRow, listRows } from '../../database/queries.js'
import type { WorkTable } from '../../work/claims.store.js'

/** Subscriptions of channels, which are checked repeatedly. */
export const SUBSCRIPTIONS: WorkTable = {
  name: 'channel_subscriptions',
  key: ['organization_id', 'channel_id'],
  columns: 't.organization_id, t.channel_id, t.source_id, t.attempts',
}

/** Conversations whose profile must be read. */
export const WANTED_PROFILES: WorkTable = {
  name: 'wanted_profiles',
  key: ['organization_id', 'channel_id', 'conversation_id'],
  columns: 't.organization_id, t.channel_id, t.conversation_id, t.attempts',
  // An organization to which many strangers write does not delay the others.
  fair: { by: 'organization_id', max: 5, among: 'select organization_id from organizations' },
}

/**
 * Creates a subscription for each channel with a token in an organization that has a source of Meta, and deletes the others.
 * If nothing has changed, this only reads: a write, even an empty one, invalidates the caches of the embedded engine.
 */
export async function reconcileSubscriptions(database: Queryable, now: Date): Promise<void> {
  const missing = await listRows<{ organization_id: string; channel_id: string; source_id: string }>(
    database,
    `select c.organization_id, c.channel_id, s.source_id
       from channels c
      cross join lateral (
            select source_id from sources s
             where s.organization_id = c.organization_id and s.type = 'META' order by created_at, source_id limit 1) s
      where c.access_token_sealed is not null and c.deleted_at is null
        and not exists (select from channel_subscriptions b
                         where b.organization_id = c.organization_id and b.channel_id = c.channel_id)`,
  )
  if (missing.length > 0) {
    // The source may be removed in the meantime.
    await database.query(
      `insert into channel_subscriptions (organization_id, channel_id, source_id, state, next_attempt_at)
       select s.organization_id, t.channel_id, s.source_id, 'PENDING', $4
         from unnest($1::text[], $2::text[], $3::text[]) as t (organization_id, channel_id, source_id)
         join sources s on s.organization_id = t.organization_id and s.source_id = t.source_id
           on conflict do nothing`,
      [...columnsOf(missing), missing.map(({ source_id }) => source_id), now],
    )
  }
  const left = await listRows<{ organization_id: string; channel_id: string }>(
    database,
    `select b.organization_id, b.channel_id from channel_subscriptions b
      where not exists (select from channels c
                         where c.organization_id = b.organization_id and c.channel_id = b.channel_id
                           and c.access_token_sealed is not null and c.deleted_at is null)`,
  )
  if (left.length > 0) {
    await database.query(
      `delete from channel_subscriptions b using unnest($1::text[], $2::text[]) as t (organization_id, channel_id)
        where b.organization_id = t.organization_id and b.channel_id = t.channel_id`,
      columnsOf(left),
    )
  }
}

const columnsOf = (rows: readonly { organization_id: string; channel_id: string }[]): [string[], string[]] => [
  rows.map(({ organization_id }) => organization_id),
  rows.map(({ channel_id }) => channel_id),
]

/** Returns a source of Meta of the organization, to which data read from the platform are attributed. */
export const findMetaSource = (
  database: Queryable,
  organizationId: string,
): Promise<{ source_id: string } | undefined> =>
  findRow(
    database,
    `select source_id from sources where organization_id = $1 and type = 'META' order by created_at, source_id limit 1`,
    [organizationId],
  )
