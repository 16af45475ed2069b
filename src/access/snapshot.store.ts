import type { Queryable } from '../database/database.js'
import { EPOCH, toEpoch } from '../database/epoch.js'
import type { ChannelKey } from '../http/snapshot.js'

export interface Revisions {
  /** The history that they are of: revisions of different epochs do not compare. */
  epoch: string
  /** Grows with every committed change of organizations, keys, workspaces, channels or connections. */
  access: number
  /** Of the audience of each channel, in the order of the keys; 0 for one that never changed. */
  audiences: number[]
}

/** In one statement, so that all are of one database snapshot. */
export async function readRevisions(database: Queryable, channels: readonly ChannelKey[]): Promise<Revisions> {
  return channels.length === 1
    ? await readRevisionsOfOne(database, channels[0]!)
    : await readRevisionsOfMany(database, channels)
}

/** What is asked most, in the form that takes PostgreSQL two thirds of the time. */
async function readRevisionsOfOne(database: Queryable, { organizationId, channelId }: ChannelKey): Promise<Revisions> {
  const { rows } = await database.query<{ epoch: string; access: number; audience: number }>(
    `select ${EPOCH} as epoch, revision as access,
            coalesce((select revision from audiences where organization_id = $1 and channel_id = $2), 0) as audience
       from directory_revision`,
    [organizationId, channelId],
  )
  const { epoch, access, audience } = rows[0]!
  return { epoch: toEpoch(epoch), access, audiences: [audience] }
}

async function readRevisionsOfMany(database: Queryable, channels: readonly ChannelKey[]): Promise<Revisions> {
  const { rows } = await database.query<Revisions>(
    `select ${EPOCH} as epoch, revision as access,
            array(select coalesce(a.revision, 0)
                    from unnest($1::text[], $2::text[]) with ordinality as k (organization_id, channel_id, place)
                    left join audiences a using (organization_id, channel_id)
                   order by place) as audiences
       from directory_revision`,
    [channels.map(({ organizationId }) => organizationId), channels.map(({ channelId }) => channelId)],
  )
  const { epoch, ...revisions } = rows[0]!
  return { epoch: toEpoch(epoch), ...revisions }
}
