import type { Queryable } from '../../database/database.js'
import { findRow, readValue } from '../../database/queries.js'
import type { WorkTable } from '../../work/claims.store.js'

/** Subscriptions of channels, each looked at again and again. */
export const SUBSCRIPTIONS: WorkTable = {
  name: 'channel_subscriptions',
  key: ['organization_id', 'channel_id'],
  columns: 't.organization_id, t.channel_id, t.source_id, t.attempts',
}

/** Conversations whose profile is to be read. */
export const WANTED_PROFILES: WorkTable = {
  name: 'wanted_profiles',
  key: ['organization_id', 'channel_id', 'conversation_id'],
  columns: 't.organization_id, t.channel_id, t.conversation_id, t.attempts',
}

/** Channels with a token that have no subscription, each with a source of Meta of its organization. */
const MISSING = `
  channels c
  cross join lateral (
        select source_id from sources s
         where s.organization_id = c.organization_id and s.type = 'META' order by created_at, source_id limit 1) s
  where c.access_token_sealed is not null and c.deleted_at is null
    and not exists (select from channel_subscriptions b
                     where b.organization_id = c.organization_id and b.channel_id = c.channel_id)`

/** True for a subscription `b` whose channel has no token any more. */
const IS_LEFT = `
  not exists (select from channels c
               where c.organization_id = b.organization_id and c.channel_id = b.channel_id
                 and c.access_token_sealed is not null and c.deleted_at is null)`

/**
 * Makes a subscription of each channel with a token, in an organization that has a source of Meta; removes the others. Where
 * nothing has changed it only reads: a write, even of nothing, costs the caches of the embedded engine.
 */
export async function reconcileSubscriptions(database: Queryable, now: Date): Promise<void> {
  const hasChanged = await readValue<boolean>(
    database,
    `select exists (select from ${MISSING}) or exists (select from channel_subscriptions b where ${IS_LEFT})`,
  )
  if (!hasChanged) return
  await database.query(
    `insert into channel_subscriptions (organization_id, channel_id, source_id, state, next_attempt_at)
     select c.organization_id, c.channel_id, s.source_id, 'PENDING', $1 from ${MISSING}
         on conflict do nothing`,
    [now],
  )
  await database.query(`delete from channel_subscriptions b where ${IS_LEFT}`)
}

/** A source of Meta of the organization, to which what is read from the platform is put down. */
export const findMetaSource = (
  database: Queryable,
  organizationId: string,
): Promise<{ source_id: string } | undefined> =>
  findRow(
    database,
    `select source_id from sources where organization_id = $1 and type = 'META' order by created_at, source_id limit 1`,
    [organizationId],
  )
