/** The hold of one claim on one post. */
export interface Lease {
  organizationId: string
  scheduledPostId: string
  publisherId: string
  /** The publisher's id, a slash, and an id of this claim. Every write names it. */
  holder: string
  durationMs: number
  /** Another publisher may take the post over from then on; each write moves it. */
  until: Date
}

/** Another publisher has taken the post over: the caller stops at once and writes nothing more. */
export class LeaseLostError extends Error {
  constructor({ scheduledPostId, holder }: Lease) {
    super(`the lease ${holder} of ${scheduledPostId} is lost`)
    this.name = 'LeaseLostError'
  }
}
