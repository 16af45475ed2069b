import type { AuditEntry } from './generated/types.js'
import type { PageQuery } from './pages.js'

/** The author of a message, or who resolved it: a person who has left is still named. */
export interface DiscussionActor extends Pick<AuditEntry['actor'], 'type' | 'id' | 'name'> {
  /** For a person with a review link: the name of the one who made the link. */
  linkOf?: string
}

/** A message of the discussion of a post. */
export interface DiscussionMessage {
  id: string
  /** The message that begins the thread; absent for that one itself. */
  replyTo?: string
  /** True where people with a review link see it too. */
  shared: boolean
  author: DiscussionActor
  /** Empty once it is deleted. */
  text: string
  mentions: MentionedPerson[]
  createdAt: string
  editedAt?: string
  /** It stays while it has replies. */
  deletedAt?: string
  /** For the message that begins a thread. */
  resolvedAt?: string
  resolvedBy?: DiscussionActor
}

export interface MentionedPerson {
  id: string
  /** The present name of the person. */
  name: string
}

export interface NewDiscussionMessage {
  text: string
  /** The ids of members. */
  mentions?: string[]
  /** A message of the thread to which it replies. */
  replyTo?: string
  /** Shows it to people with a review link. A reply is shared as its thread is. */
  shared?: boolean
}

export type DiscussionMessagePatch = Pick<NewDiscussionMessage, 'text' | 'mentions'>

/** At most 200 messages per page, which is the default. */
export type DiscussionQuery = PageQuery

export interface DeletedDiscussionMessage {
  id: string
  /** False where it stays as deleted, because others have replied to it. */
  removed: boolean
}

export const DISCUSSION_ACTIONS = ['written', 'edited', 'deleted', 'resolved', 'reopened'] as const
export type DiscussionAction = (typeof DISCUSSION_ACTIONS)[number]

/** A change of the discussion, for the history of the post. It has no text of a message. */
export interface DiscussionChange {
  id: string
  at: string
  actor: DiscussionActor
  action: DiscussionAction
  messageId: string
  /** True where people with a review link see the message too. */
  shared: boolean
}

/** A message as a person with a review link sees it. */
export interface ReviewMessage {
  id: string
  replyTo?: string
  /** The name of the author; absent where it is not a person. */
  author?: string
  /** True where the holder of this link wrote it. */
  own: boolean
  /** Empty once it is deleted. */
  text: string
  createdAt: string
  edited: boolean
  deleted: boolean
  /** For the message that begins a thread. */
  resolved: boolean
}

export type NewReviewMessage = Pick<NewDiscussionMessage, 'text' | 'replyTo'>
export type ReviewMessagePatch = Pick<NewDiscussionMessage, 'text'>
