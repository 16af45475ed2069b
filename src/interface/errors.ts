/** interface 2.5 */
export interface HashtagConflict {
  mediumId: string
  hashtag: string
  reason: 'already-in-use'
  /** The post that has it. The console alone says it. */
  scheduledPostId?: string
}

/** An item of the validation error of interface 7. */
export interface ValidationDetail {
  message: string
  path: string[]
  type: string
  context: Record<string, unknown>
}
