import { GraphError } from '../../graph/graph-error.js'
import { loginOf } from '../../graph/login.js'
import { readData, requireId, requireObjectId } from '../../graph/reading.js'
import { toRecord } from '../../lib/json.js'
import {
  type ListedComments,
  listCommentPages,
  type PlatformComment,
  postLike,
  postReply,
  toComment,
} from '../comments.js'
import type { ChannelTarget } from '../target.js'

/** The platform's maximum. */
const LIMIT = 50
const FIELDS = 'id,text,username,from{id,username},timestamp,parent_id'
const LIST = {
  fields: `${FIELDS},replies.limit(${LIMIT}){${FIELDS}}`,
  limit: String(LIMIT),
}

/**
 * Instagram sorts comments by their own time, not by that of their replies, and cannot filter by time. So a new reply to an
 * older comment is yielded only if the page with that comment is read.
 */
export async function* listComments(target: ChannelTarget, list: ListedComments): AsyncGenerator<PlatformComment[]> {
  yield* listCommentPages(target, list, { params: LIST, parse: (item) => withReplies(item, list.objectId) })
}

/** A comment and its replies, newest first. */
function withReplies(item: Record<string, unknown>, objectId: string): PlatformComment[] {
  const comment = toComment(item, objectId, null)
  const nested = toRecord(item.replies)
  const replies = nested === undefined ? [] : readData(nested).map((reply) => toComment(reply, objectId, comment.id))
  return [comment, ...replies].toSorted((a, b) => b.atMs - a.atMs)
}

/** Instagram accepts replies only to comments that are not replies themselves. */
export const sendPublicReply = async (
  target: ChannelTarget,
  reply: { commentId: string; text: string },
): Promise<{ id: string }> => await postReply(target, 'replies', reply)

const NO_LIKES = 'Likes are not available with Instagram login: connect the account through Facebook login to use them.'

export async function likeComment(target: ChannelTarget, commentId: string): Promise<void> {
  const id = requireObjectId(commentId)
  if (loginOf(target.access.accessToken) === 'instagram') {
    throw new GraphError('invalid', `not called: ${NO_LIKES}`, { outcome: 'refused', userText: NO_LIKES })
  }
  await postLike(target, `/${requireId(target.platformId)}/likes`, { comment_id: id })
}
