import type { ListedComments, PlatformComment } from './comments.js'
import type { AnsweredMessage, ReplyMessage } from './messages.js'
import type { MediaType, PublishAdapter } from './publishing.js'
import type { ChannelTarget } from './target.js'
import type { AccountPage, CheckedToken } from './tokens.js'

/**
 * Everything that differs between networks. Every call throws a GraphError unless it says otherwise. A call that sends must
 * not be repeated unless `classifyEffectFailure` returns `wait`.
 */
export interface Network {
  // Connect.
  /**
   * Asks the platform whether the token may publish on the channel, and what else it may do. Throws access_token_refused
   * (400), which says what is missing, or platform_* (502, 503, 504) if the platform gives no response.
   */
  checkToken(target: ChannelTarget, appSecret: string | undefined): Promise<CheckedToken>
  /** Finds the page through which the channel is reached; undefined if it needs none, or the token shows none. */
  findPage(target: ChannelTarget): Promise<AccountPage | undefined>
  /** Returns the path of the object whose edges carry messages and subscriptions. */
  messagingPath(target: ChannelTarget): string
  /** The fields that intake reads. */
  fieldsToSubscribe(target: ChannelTarget): readonly string[]
  /** The fields of the profile of a person who wrote. */
  profileFields: string

  // Publish.
  publishing: Readonly<Record<MediaType, PublishAdapter>>
  /** Reads the public URL of what was published; undefined if the platform gives none. */
  getPermalink(target: ChannelTarget, id: string): Promise<string | undefined>

  // Read.
  /**
   * Yields pages of comments of a post or medium, newest first, replies included, until those before `sinceMs` or
   * `pagesMax`. Each page is an array, which may be empty.
   */
  listComments(target: ChannelTarget, list: ListedComments): AsyncGenerator<PlatformComment[]>
  /** Finds the other id under which a publication is commented; null if there is none, or none yet. */
  findCommentedId(
    target: ChannelTarget,
    published: { externalId: string; mediaType: MediaType },
  ): Promise<string | null>

  // Act.
  /** Returns whether a private reply is still possible. Ask before sending one. Also true if the platform does not say. */
  mayReplyPrivately(target: ChannelTarget, commentId: string): Promise<boolean>
  /** Sends the one private message that the platform allows for a comment, within 7 days. */
  sendPrivateReply(target: ChannelTarget, reply: { commentId: string; message: ReplyMessage }): Promise<AnsweredMessage>
  /** Sends a message to a person who wrote within 24 hours. */
  sendMessage(target: ChannelTarget, message: { recipientId: string; message: ReplyMessage }): Promise<AnsweredMessage>
  /** Replies beneath a comment. */
  sendPublicReply(target: ChannelTarget, reply: { commentId: string; text: string }): Promise<{ id: string }>
  /** Likes a comment. May be repeated. */
  likeComment(target: ChannelTarget, commentId: string): Promise<void>
}
