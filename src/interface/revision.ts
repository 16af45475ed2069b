/** Four values of which one differs when something of an organization has changed. They say nothing by themselves. */
export interface Revision {
  /** Posts, with their histories, reviews and discussions. */
  posts: string
  /** Conversations, people and VIP marks. */
  audience: string
  /** Everything else, the rights of the caller included. */
  other: string
  /** Posts that wait for approval, for a caller who may read posts. */
  waiting?: number
}
