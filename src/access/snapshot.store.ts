import type { Queryable } from '../database/database.js'
import { EPOCH, toEpoch } from '../database/epoch.js'
import type { ChannelKey } from '../http/snapshot.js'

export interface Revisions {
  /** Revisions of different epochs cannot be compared. */
  epoch: string
  /** Grows with every committed change of access data outside any organization. */
  common: number
  /**
   * The revision of each scope, in the given order. Grows with every committed change of the organization, its keys,
   * workspaces, channels or connections; 0 if it never changed.
   */
  scopes: number[]
  /** The revision of each channel's audience, in the given order; 0 if it never changed. */
  audiences: number[]
}

/** Reads the revisions in one statement, so that all come from one database snapshot. */
export async function readRevisions(
  database: Queryable,
  scopes: readonly string[],
  channels: readonly ChannelKey[],
): Promise<Revisions> {
  return scopes.length <= 1 && channels.length <= 1
    ? await readRevisionsOfOne(database, scopes, channels)
    : await readRevisionsOfMany(database, scopes, channels)
}

/**
 * Handles at most one scope and one channel, as in almost every call. Takes PostgreSQL two thirds of the time of the
 * general form, and the embedded engine a fifth (55 µs instead of 300), which every change pays.
 */
async function readRevisionsOfOne(
  database: Queryable,
  scopes: readonly string[],
  channels: readonly ChannelKey[],
): Promise<Revisions> {
  const [scope] = scopes
  const [channel] = channels
  const { rows } = await database.query<{ epoch: string; common: number; scope: number; audience: number }>(
    `select ${EPOCH} as epoch, revision as common,
            coalesce((select revision from access_revisions where scope_id = $3), 0) as scope,
            coalesce((select revision from audiences where organization_id = $1 and channel_id = $2), 0) as audience
       from access_revisions where scope_id = ''`,
    [channel?.organizationId ?? null, channel?.channelId ?? null, scope ?? null],
  )
  const { epoch, common, scope: ofScope, audience } = rows[0]!
  return {
    epoch: toEpoch(epoch),
    common,
    scopes: scopes.map(() => ofScope),
    audiences: channels.map(() => audience),
  }
}

async function readRevisionsOfMany(
  database: Queryable,
  scopes: readonly string[],
  channels: readonly ChannelKey[],
): Promise<Revisions> {
  const { rows } = await database.query<Revisions>(
    `select ${EPOCH} as epoch, revision as common,
            array(select coalesce(r.revision, 0)
                    from unnest($3::text[]) with ordinality as k (scope_id, place)
                    left join access_revisions r using (scope_id)
                   order by place) as scopes,
            array(select coalesce(a.revision, 0)
                    from unnest($1::text[], $2::text[]) with ordinality as k (organization_id, channel_id, place)
                    left join audiences a using (organization_id, channel_id)
                   order by place) as audiences
       from access_revisions where scope_id = ''`,
    [channels.map(({ organizationId }) => organizationId), channels.map(({ channelId }) => channelId), scopes],
  )
  const { epoch, common, scopes: ofScopes, audiences } = rows[0]!
  return { epoch: toEpoch(epoch), common, scopes: ofScopes, audiences }
}
