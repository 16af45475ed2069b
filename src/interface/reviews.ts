import type { ReviewedContent, ScheduledPostChannel } from './generated/types.js'
import type { PageQuery } from './pages.js'
import type { CheckedMedia } from './/posts.js'

export interface NewReviewLink {
  /** Whom it is for, as the history will name them. */
  name: string
  /** In seven days unless said. */
  expiresAt?: string
}

/** A link by which one person without an account approves or returns one post or several. */
export interface ReviewLink {
  id: string
  name: string
  /** The address to which it was sent; absent for one that its maker handed over. */
  mail?: string
  /** The name of the person who made it. */
  madeBy: string
  createdAt: string
  expiresAt: string
}

/** The only answer that ever holds the token. */
export interface IssuedReviewLink extends ReviewLink {
  token: string
  /** To be put behind the address of the server, and handed to the person. */
  path: string
}

export interface NewSeveralReviewLink extends NewReviewLink {
  /** In the order in which the holder sees them. */
  scheduledPostIds: string[]
}

/** A link that goes to its holder by mail alone. */
export interface SentReviewLink extends NewSeveralReviewLink {
  /** One of the organization's reviewers. */
  mail: string
}

/** The end of a link. `maker`: the one who made it may no longer; `reviewer`: the address is no reviewer's any more. */
export interface EndedReviewLink {
  why: 'approved' | 'returned' | 'over' | 'revoked' | 'expired' | 'maker' | 'reviewer'
  /** Absent where it may work again, with the right that it lost. */
  at?: string
}

/** Those that work, or with `ended` those that have ended in the last 30 days. */
export interface ReviewLinkQuery extends PageQuery {
  ended?: boolean
}

/** A link among all of the organization. */
export interface ListedReviewLink extends ReviewLink {
  /** The post of a link to one post. */
  scheduledPostId?: string
  posts: number
  /** So many are decided about, or wait no longer. */
  decided: number
  /** To the minute; absent while it was never opened. */
  openedAt?: string
  /** True where the caller may revoke it. */
  mayRevoke: boolean
  /** Absent while it works. */
  ended?: EndedReviewLink
}

/** Says for whom a link is, by whom, and until when. */
export interface LinkHead {
  /** Whom the link is for. */
  name: string
  madeBy: string
  organizationName: string
  /** An IANA name: in which the times are meant. */
  timeZone: string
  expiresAt: string
}

/** The part of a post that its channels will show. */
export interface ReviewedPost extends Omit<ReviewedContent, 'mediumsData'>, CheckedMedia {
  channels: Omit<ScheduledPostChannel, 'failedToPublish'>[]
}

/** A post as its channels will show it, for who holds a link to it. */
export interface PostForReview extends LinkHead, ReviewedPost {}

/** A post of a link to several. */
export interface LinkedPost {
  /** It names the post in this link. */
  number: number
  /** `over`: it was decided about elsewhere, or changed after the holder had approved it. */
  state: 'open' | 'approved' | 'returned' | 'over'
  /** Absent where the post is not shown. */
  etag?: string
  mayUndo: boolean
  /** True where the holder has returned the post before: this is another version. */
  isBack?: boolean
  /** The shared threads that are not resolved, while the post is open. */
  openMessages?: number
  /** While the post is open, or is as the holder has decided about it. */
  content?: ReviewedPost
}

export interface PostsForReview extends LinkHead {
  posts: LinkedPost[]
}
