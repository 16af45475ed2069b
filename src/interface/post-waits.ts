/**
 * The reasons why a due post is not out, with the text for people. If several apply, the first one counts.
 * docs/incidents.md says what to do about each.
 */
export const WAIT_TEXTS = {
  publisher_off: 'No publisher is running: start a process with the role publisher, or find out why it stopped.',
  organization_inactive: 'The organization is not active: nothing is published until it is reactivated.',
  token_unreadable: 'The access token of the channel cannot be opened with this MASTER_KEY.',
  rate_limit_app: 'The platform is limiting calls from the app.',
  rate_limit_channel: 'The platform is limiting calls for the page or account.',
  posting_quota: 'The account has used its daily quota of posts.',
  platform_unreachable: 'The platform does not answer.',
  platform_down: 'The platform returns an internal error.',
  media_unreachable: 'Neither this server nor the platform can read the picture or video.',
  answer_lost: 'The response to the publishing call was lost: the publisher is looking for the post on the channel.',
  same_text: 'Another post with the same text is being published on the channel.',
  processing: 'The platform is still processing the picture or video.',
  interrupted: 'The publisher was paused just before its call, and makes it again.',
  in_progress: 'It is being published now.',
  queue: 'Other posts are ahead of it.',
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
  publisher_off: 'No publisher was running at its time.',
  database_away: 'The publisher could not reach its database.',
  clock_jumped: "The server's clock jumped ahead, or the server was paused.",
  queue: 'Other posts were ahead of it.',
} as const
export type LateCause = keyof typeof LATE_TEXTS
