import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { Principal } from '../http/principal.js'
import { endWaitOnChannel, failOnChannel, lockPostsBoundFor } from './end-post.store.js'

/** The reason that people read on a post that could not be published on the channel. */
export const CHANNEL_DELETED = 'The channel was deleted.'

/** The posts that will not be published on a channel because it is deleted. */
export interface LostPosts {
  failed: number
  /** A publisher is working on these: it fails them on the channel with its next step, unless that step is the last. */
  publishing: number
}

/**
 * Fails the posts of a channel that is deleted in this transaction, which has locked the channel. Throws channel_in_use if
 * any is SCHEDULED or PUBLISHING there, unless forced. A SCHEDULED post then fails only on this channel, and is published on
 * its others. Posts without approval stay, and the publish check asks for another channel.
 */
export async function loseChannel(
  tx: Queryable,
  { organizationId, actor }: Principal,
  { channelId, force, operation, at }: { channelId: string; force: boolean; operation: string; at: Date },
): Promise<LostPosts> {
  const bound = await lockPostsBoundFor(tx, organizationId, channelId)
  if (bound.length > 0 && !force) {
    const some = bound.length === 1 ? '1 post is' : `${bound.length} posts are`
    throw new ApiError('channel_in_use', {
      message: `${some} about to be published on this channel, such as ${bound[0]!.scheduled_post_id}: revert or delete them first, or delete the channel with force=true, which fails them on it.`,
    })
  }
  const lost = { failed: 0, publishing: 0 }
  for (const post of bound) {
    if (post.status === 'SCHEDULED') {
      await failOnChannel(tx, post, { channelId, reason: CHANNEL_DELETED, actor, operation, at })
      lost.failed += 1
    } else {
      await endWaitOnChannel(tx, post, channelId)
      lost.publishing += 1
    }
  }
  return lost
}
