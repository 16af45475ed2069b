import { requireId } from '../../graph/reading.js'
import type { Network } from '../network.js'
import { findCommentedId, likeComment, listComments, sendPublicReply } from './comments.js'
import { checkToken } from './connect.js'
import { mayReplyPrivately, sendMessage, sendPrivateReply } from './messages.js'
import { getPermalink, pagePhoto, pageVideo } from './publishing.js'

/** Facebook pages. */
export const facebook: Network = {
  checkToken,
  findPage: async () => undefined,
  messagingPath: ({ platformId }) => `/${requireId(platformId)}`,
  fieldsToSubscribe: () => ['feed', 'messages', 'messaging_postbacks', 'message_echoes'],
  profileFields: 'first_name,last_name,profile_pic',
  publishing: { IMAGE: pagePhoto, VIDEO: pageVideo },
  getPermalink,
  listComments,
  findCommentedId,
  mayReplyPrivately,
  sendPrivateReply,
  sendMessage,
  sendPublicReply,
  likeComment,
}
