import type { Queryable } from '../database/database.js'

/** A channel, as whose audience revisions are counted. */
export interface ChannelKey {
  organizationId: string
  channelId: string
}

export interface Revisions {
  /** Grows with every committed change of organizations, keys, workspaces, channels or connections. */
  directory: number
  /** Of the audience of each channel, in the order of the keys; 0 for one that never changed. */
  audiences: number[]
}

/** All of one moment. */
export async function readRevisions(database: Queryable, channels: readonly ChannelKey[]): Promise<Revisions> {
  const { rows } = await database.query<Revisions>(
    `select revision as directory,
            array(select coalesce(a.revision, 0)
                    from unnest($1::text[], $2::text[]) with ordinality as k (organization_id, channel_id, place)
                    left join audiences a using (organization_id, channel_id)
                   order by place) as audiences
       from directory_revision`,
    [channels.map(({ organizationId }) => organizationId), channels.map(({ channelId }) => channelId)],
  )
  return rows[0]!
}
