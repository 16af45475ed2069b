import type { Actor } from './/access.js'
import type { PageQuery } from './pages.js'
import type { PostStatus } from './post-status.js'

/** The kinds of news in an inbox. */
export const INBOX_KINDS = ['returned', 'approved', 'failed', 'published', 'mentioned', 'replied'] as const
export type InboxKind = (typeof INBOX_KINDS)[number]

/** The facts of a piece of news besides who and when. Which there are follows from the kind. */
export interface InboxDetail {
  /** The notes of a return, whole. */
  notes?: string
  /** The beginning of a message of the discussion. */
  text?: string
  /** The id of that message. */
  messageId?: string
  /** The channels on which a post failed, with the reasons that people read. */
  failures?: { channelId: string; reason: string }[]
  /** The name of an outsider, who decided by a link. */
  outsider?: string
}

/** A post as people know it. */
export interface NamedPost {
  id: string
  /** The beginning of the first text that it has; empty where it has none. */
  text: string
  status: PostStatus
  /** Left out for a post without a time. */
  scheduledFor?: string
}

/** A piece of news. */
export interface InboxEntry {
  id: string
  kind: InboxKind
  at: string
  /** As in the history of the post. */
  actor: Actor
  /** The name of a person who did it, also of one who has left. */
  actorName?: string
  /** As it is now. */
  post: NamedPost
  detail: InboxDetail
  isRead: boolean
}

export interface InboxQuery extends PageQuery {
  unread?: boolean
}

/** Names entries, or all up to an instant. */
export interface InboxMark {
  ids?: string[]
  until?: string
  /** False marks them as unread, as for taking it back; true unless given. */
  read?: boolean
}

export interface InboxMarked {
  /** The entries that this call has changed. */
  ids: string[]
  /** The number of unread entries after it. */
  unread: number
}

/** The posts that wait for the caller, soonest first. */
export interface WaitingForMe {
  items: NamedPost[]
  /** How many there are in all, of those that were looked at. */
  count: number
  /** True where more posts wait than were looked at. */
  mayHaveMore: boolean
}
