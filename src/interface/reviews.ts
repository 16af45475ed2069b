import type { PostForPeople, ScheduledPostChannel } from './posts.js'

export interface NewReviewLink {
  /** Whom it is for, as the history will name them. */
  name: string
  /** In seven days unless said. */
  expiresAt?: string
}

/** A link by which one person without an account approves or returns one post. */
export interface ReviewLink {
  id: string
  name: string
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

/** A post as its channels will show it, for who holds a link to it. */
export interface PostForReview extends Pick<PostForPeople, 'media' | 'mediaType' | 'altText' | 'scheduledFor'> {
  /** Whom the link is for. */
  name: string
  madeBy: string
  organizationName: string
  /** An IANA name: in which the times are meant. */
  timeZone: string
  expiresAt: string
  channels: Omit<ScheduledPostChannel, 'failedToPublish'>[]
}
