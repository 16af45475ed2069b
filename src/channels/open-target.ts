import type { Queryable } from '../database/database.js'
import type { Context } from '../http/context.js'
import type { ChannelType } from '../interface/generated/types.js'
import { type ChannelTarget, toChannelTarget } from '../networks/target.js'
import { channelTokenContext, findChannelToken } from './channels.store.js'

/** A channel with an access token. */
export interface ConnectedChannel {
  organization_id: string
  channel_id: string
  type: ChannelType
  page_id: string | null
  access_token_sealed: string
}

/** Returns the channel on its platform. Throws an UnsealError if its token cannot be decrypted with this master key. */
export function openTarget(
  { graph, sealer }: Pick<Context, 'graph' | 'sealer'>,
  { organization_id, channel_id, type, page_id, access_token_sealed }: ConnectedChannel,
): ChannelTarget {
  const accessToken = sealer.open(access_token_sealed, channelTokenContext(organization_id, channel_id))
  return toChannelTarget(graph, { channelId: channel_id, type, pageId: page_id }, accessToken)
}

/** Returns undefined if the channel does not exist or has no token. */
export async function findConnectedChannel(
  database: Queryable,
  organizationId: string,
  channelId: string,
): Promise<ConnectedChannel | undefined> {
  const found = await findChannelToken(database, organizationId, channelId)
  if (found?.access_token_sealed == null) return undefined
  const { type, page_id, access_token_sealed } = found
  return { organization_id: organizationId, channel_id: channelId, type, page_id, access_token_sealed }
}
