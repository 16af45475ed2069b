/** Values of which one differs when something of an organization has changed. They say nothing by themselves. */
export interface Revision {
  /** Posts, with their histories, reviews and discussions. */
  posts: string
  /** Conversations, people and VIP marks. */
  audience: string
  /** The caller's own inbox. */
  inbox: string
  /** Everything else, the rights of the caller included. */
  other: string
  /** Posts that wait for approval, for a caller who may read posts. */
  waiting?: number
  /** News in the caller's inbox that is not read. */
  unread: number
  /**
   * Posts of the last 30 days that failed and are not repaired, for a caller who may do something about it. It stops at
   * FAILED_MAX.
   */
  failed?: number
  /** Channels and ad accounts whose access token the platform refuses, for the same callers. */
  refused?: number
}

export const FAILED_MAX = 100
/** Older failures are history. */
export const FAILED_DAYS = 30
