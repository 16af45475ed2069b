/** `shadow` is a dry run: comments are decided and written down, and nothing is sent. */
export const AUTOMATION_MODES = ['off', 'shadow', 'on'] as const
export type AutomationMode = (typeof AUTOMATION_MODES)[number]

/**
 * The calls that a superpower can make for one comment: each at most once, whatever matches. `message`: of a raffle, to
 * someone who wrote within 24 hours.
 */
export const EFFECTS = ['private_reply', 'public_reply', 'like', 'message'] as const
export type EffectName = (typeof EFFECTS)[number]

/**
 * `planned`: waits for its time, for the private reply, or for a limit. `attempting` is stored before the call. `unknown`:
 * the answer was lost, and the call is never made again. `skipped`: the call was not made, and the reason says why.
 */
export const EFFECT_STATES = ['planned', 'attempting', 'done', 'refused', 'unknown', 'skipped'] as const
export type EffectState = (typeof EFFECT_STATES)[number]

/** The reason of a decision about a comment. */
export const COMMENT_REASONS = [
  /** A condition group matched, and its effects say what came of it. */
  'matched',
  /** No condition group matches. */
  'no_match',
  /** The superpower is not active, or nothing of it can be executed. */
  'inactive',
  'expired',
  /** The group matched, and its probability decided against it. */
  'chance',
  /** The group, or the superpower as a whole, has answered as many people as it may. */
  'users_limit',
  /** The person was answered within the time of the limit. */
  'time_limit',
  /** Written by the channel itself. */
  'own_comment',
  /** A reply to what was written by the channel. */
  'reply_to_us',
  /** Older than the switch that turned the automation on. */
  'before_switch',
  /** The automation of the channel or the organization is off. */
  'switched_off',
  /** The superpower of the post was stopped by hand. */
  'stopped',
  /** The person asked for no automated messages, or was put on the list by hand. */
  'opted_out',
  /** A human of the page has answered already. */
  'human_first',
  /** Older than the 7 days that the platform allows for an answer. */
  'too_old',
  /** The platform did not say who wrote it. */
  'no_person',
] as const
export type CommentReason = (typeof COMMENT_REASONS)[number]

/** The reason for which an effect was skipped, was refused, or waits; those of comments hold for effects as well. */
export const EFFECT_REASONS = [
  /** Its probability decided against it. */
  'chance',
  /** The private reply, which the public one announces, did not go out. */
  'no_private_reply',
  /** A dry run. */
  'dry_run',
  /**
   * The person has had a private reply on the post, or awaits one, and the superpower does not say when another may
   * follow.
   */
  'person_answered',
  /** It would have been sent later than the 7 days of the platform. */
  'window',
  /** It was due more than an hour ago while nothing could be sent. */
  'late',
  'opted_out',
  'human_first',
  'stopped',
  'switched_off',
  /** The platform stopped the channel, or refuses its access token. */
  'channel_stopped',
  'comment_deleted',
  /** The person was erased. */
  'person_forgotten',
  // Refusals of the platform.
  'already_replied',
  'not_replyable',
  'not_eligible',
  'not_a_follower',
  'unavailable',
  'other_app',
  'refused',
  /** Called too often: it waits. */
  'throttled',
  /** The platform could not be reached: it waits. */
  'unreachable',
  /** The answer was lost: the call may have gone through. */
  'answer_lost',
] as const
export type EffectReason = (typeof EFFECT_REASONS)[number]
