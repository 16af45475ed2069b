import { loginOf } from '../../graph/login.js'
import type { Network } from '../network.js'
import { likeComment, listComments, sendPublicReply } from './comments.js'
import { checkToken, findPage } from './connect.js'
import { messagingPath, sendMessage, sendPrivateReply } from './messages.js'
import { account, getPermalink } from './publishing.js'

/**
 * Instagram accounts. With Facebook login, subscribing to any field of the page makes the platform send those fields of its
 * Instagram account that the app's dashboard selects.
 */
export const instagram: Network = {
  checkToken,
  findPage,
  messagingPath,
  fieldsToSubscribe({ access }) {
    const fields = ['messages', 'messaging_postbacks']
    return loginOf(access.accessToken) === 'instagram' ? ['comments', ...fields] : fields
  },
  profileFields: 'name,username,profile_pic',
  publishing: { IMAGE: account, VIDEO: account },
  getPermalink,
  listComments,
  // Media are commented under the id they were published with.
  findCommentedId: async () => null,
  // Instagram has no such check.
  mayReplyPrivately: async () => true,
  sendPrivateReply,
  sendMessage,
  sendPublicReply,
  likeComment,
}
