/**
 * The reasons why a due post is not out, with the text for people. If several apply, the first one counts.
 * docs/incidents.md says what to do about each.
 */
export const WAIT_TEXTS = {
  publisher_off: 'No process publishes: start one with the role publisher, or look at why it ended.',
  organization_inactive: 'Its organization is not active: nothing is published until it is activated again.',
  token_unreadable: 'The access token of the channel does not open under this MASTER_KEY.',
  rate_limit_app: 'The platform limits the calls of the app.',
  rate_limit_channel: 'The platform limits the calls for the page or account.',
  posting_quota: 'The account has used up its quota of posts a day.',
  platform_unreachable: 'The platform does not answer.',
  platform_down: 'The platform answers with an error of its own.',
  media_unreachable: 'The picture or video cannot be read, here or by the platform.',
  answer_lost: 'The answer to the publishing call was lost: the publisher looks for the post on the channel.',
  same_text: 'Another post with the same text is being published on the channel.',
  processing: 'The platform is still working on the picture or video.',
  interrupted: 'The publisher stood still right before its call, and makes it again.',
  in_progress: 'It is being published at this moment.',
  queue: 'Other posts are before it.',
} as const

export type WaitReason = keyof typeof WAIT_TEXTS
export const WAIT_REASONS = Object.keys(WAIT_TEXTS) as readonly WaitReason[]

/** Returns the reason that counts; undefined if the list is empty. */
export const foremost = (reasons: readonly WaitReason[]): WaitReason | undefined =>
  WAIT_REASONS.find((reason) => reasons.includes(reason))

/** A post is late this long after its time. Until then, working on it does not count as waiting. */
export const LATE_MS = 120_000

/** The causes of a late claim, which the history of the post shows. */
export const LATE_TEXTS = {
  publisher_off: 'No process was publishing at its time.',
  database_away: 'The publisher could not reach its database.',
  clock_jumped: 'The clock of the server jumped ahead, or the server stood still.',
  queue: 'Other posts were before it.',
} as const
export type LateCause = keyof typeof LATE_TEXTS
