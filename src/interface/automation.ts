/** `shadow` is a dry run: decisions about comments are recorded, and nothing is sent. */
export const AUTOMATION_MODES = ['off', 'shadow', 'on'] as const
export type AutomationMode = (typeof AUTOMATION_MODES)[number]

/**
 * The calls that a superpower can make for a comment, each at most once, however many groups match. `message` is sent
 * by a raffle, to someone who wrote within 24 hours.
 */
export const EFFECTS = ['private_reply', 'public_reply', 'like', 'message'] as const
export type EffectName = (typeof EFFECTS)[number]

/**
 * `planned` waits for its time, for the private reply, or for a limit. `attempting` is stored before the call.
 * `unknown` means that the response was lost; the call is never repeated. `skipped` means that the call was not made,
 * for the given reason.
 */
export const EFFECT_STATES = ['planned', 'attempting', 'done', 'refused', 'unknown', 'skipped'] as const
export type EffectState = (typeof EFFECT_STATES)[number]

/** The reasons for decisions about comments. */
export const COMMENT_REASONS = [
  /** A condition group matched; its effects show the outcome. */
  'matched',
  /** No condition group matches. */
  'no_match',
  /** The superpower is inactive, or no part of it can be executed. */
  'inactive',
  'expired',
  /** The group matched, but its probability decided against it. */
  'chance',
  /** The group or the superpower has already answered its maximum number of people. */
  'users_limit',
  /** The person was answered within the time of the limit. */
  'time_limit',
  /** Written by the channel itself. */
  'own_comment',
  /** A reply to something that the channel wrote. */
  'reply_to_us',
  /** Written before the automation was switched on. */
  'before_switch',
  /** The automation of the channel or the organization is off. */
  'switched_off',
  /** The superpower of the post was stopped manually. */
  'stopped',
  /** The person opted out of automated messages, or was added to the list manually. */
  'opted_out',
  /** A human from the page has already answered. */
  'human_first',
  /** Older than the 7 days within which the platform allows a response. */
  'too_old',
  /** The platform did not say who wrote the comment. */
  'no_person',
] as const
export type CommentReason = (typeof COMMENT_REASONS)[number]

/** The reasons why an effect was skipped, was refused, or waits. The reasons for comments apply to effects too. */
export const EFFECT_REASONS = [
  /** Its probability decided against it. */
  'chance',
  /** The private reply, which the public reply announces, was not sent. */
  'no_private_reply',
  /** A dry run. */
  'dry_run',
  /**
   * The person has received or awaits a private reply on the post, and the superpower does not say when another may
   * follow.
   */
  'person_answered',
  /** It would have been sent after the platform's 7 days. */
  'window',
  /** It was due more than an hour ago, when nothing could be sent. */
  'late',
  'opted_out',
  'human_first',
  'stopped',
  'switched_off',
  /** The platform blocked the channel, or refuses its access token. */
  'channel_stopped',
  'comment_deleted',
  /** The person was erased. */
  'person_forgotten',
  // Refusals by the platform.
  'already_replied',
  'not_replyable',
  'not_eligible',
  'not_a_follower',
  'unavailable',
  'other_app',
  'refused',
  /** Waits because the platform limits calls. */
  'throttled',
  /** Waits because the platform is unreachable. */
  'unreachable',
  /** The response was lost, so the call may have succeeded. */
  'answer_lost',
] as const
export type EffectReason = (typeof EFFECT_REASONS)[number]
