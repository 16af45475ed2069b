import type { RecurrenceRule } from './generated/types.js'
import type { PostStatus } from './post-status.js'

/** A post of a series. */
export interface SeriesPost {
  id: string
  status: PostStatus
  /** ISO 8601 in UTC. */
  scheduledFor?: string
  /** True for the post that the others began as copies of. */
  isFirst: boolean
}

export interface PostSeries {
  id: string
  rule: RecurrenceRule
  /** The time zone in which the rule was read. */
  timeZone: string
  createdAt: string
  stoppedAt?: string
  /** Those that are there: one that was deleted is left out. */
  posts: SeriesPost[]
}

/** The series of a post; null where it has none. */
export interface SeriesOfPost {
  series: PostSeries | null
}

export interface StoppedSeries {
  id: string
  stoppedAt: string
  /** The posts that were deleted: by this call, so that a repeat answers 0. */
  deleted: number
}
