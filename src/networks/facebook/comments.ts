import { requireId, requireObjectId, requireText } from '../../graph/reading.js'
import {
  type ListedComments,
  listCommentPages,
  OBJECT_ID,
  type PlatformComment,
  postLike,
  postReply,
  read,
  toComment,
  toSeconds,
} from '../comments.js'
import type { MediaType } from '../publishing.js'
import type { ChannelTarget } from '../target.js'

const LIMIT = 100

export async function* listComments(target: ChannelTarget, list: ListedComments): AsyncGenerator<PlatformComment[]> {
  const since = toSeconds(list.sinceMs)
  const params = {
    fields: 'id,message,from{id,name},created_time,parent{id}',
    filter: 'stream',
    order: 'reverse_chronological',
    limit: String(LIMIT),
    ...(since === null ? {} : { since: String(since) }),
  }
  yield* listCommentPages(target, list, { params, parse: (item) => [toComment(item, list.objectId, null)] })
}

/** Videos are published under a video id, but commented under a post id (`<page>_<post>`). */
export async function findCommentedId(
  target: ChannelTarget,
  { externalId, mediaType }: { externalId: string; mediaType: MediaType },
): Promise<string | null> {
  if (mediaType !== 'VIDEO' || externalId.includes('_')) return null
  const { post_id: postId } = await read(target, `/${requireId(externalId)}`, { fields: 'post_id' })
  if (postId === undefined || postId === null) return null
  const id = requireText(postId, OBJECT_ID, 'a post_id')
  return id.includes('_') ? id : `${requireId(target.platformId)}_${id}`
}

export const sendPublicReply = async (
  target: ChannelTarget,
  reply: { commentId: string; text: string },
): Promise<{ id: string }> => await postReply(target, 'comments', reply)

export const likeComment = async (target: ChannelTarget, commentId: string): Promise<void> =>
  await postLike(target, `/${requireObjectId(commentId)}/likes`, {})
