/** The kinds of news in an inbox. */
const INBOX_KINDS = ['returned', 'approved', 'failed', 'published', 'mentioned', 'replied'] as const
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
