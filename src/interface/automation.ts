import type { Superpower } from './generated/types.js'
import type { PageQuery } from './pages.js'

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

export interface CommentEffect {
  effect: EffectName
  state: EffectState
  /** Null where nothing is to be said: planned for its time, or done. */
  reason: EffectReason | null
  /** ISO 8601: when it ended; of a planned one, when it is due. */
  at: string
  /** The text that is sent; null for a like. */
  text: string | null
}

export interface DecidedComment {
  commentId: string
  channelId: string
  text: string | null
  from: { id: string | null; name: string | null }
  /** ISO 8601: when it was written. */
  at: string
  /** The place of the condition group that matched, counted from 0. */
  group: number | null
  reason: CommentReason
  effects: CommentEffect[]
}

export interface DecidedCommentQuery extends PageQuery {
  channelId?: string
}

/** A part of a superpower that is kept and passed through, and not executed. */
export interface NotExecuted {
  /** Such as `conditionGroups[0].conditions[1].aiValues`. */
  path: string
  /** A sentence for people. */
  reason: string
}

/** The most comments that one call explains. */
export const EXPLAINED_COMMENTS_MAX = 200

export interface CommentToExplain {
  /** Chance is decided by it; made up when absent. */
  commentId?: string
  text: string
  from?: { id?: string; name?: string }
  /** ISO 8601; now when absent. */
  at?: string
}

export interface ExplainRequest {
  superpower: Superpower
  channelType: 'FB_PAGE' | 'INSTAGRAM_ACCOUNT'
  comments: CommentToExplain[]
}

export interface ExplainedComment {
  commentId: string
  text: string
  group: number | null
  reason: CommentReason
  entersRaffle: boolean
  effects: CommentEffect[]
}

export interface Explanation {
  comments: ExplainedComment[]
  notExecuted: NotExecuted[]
  /** Sentences about what is executed, and is seldom meant so. */
  warnings: string[]
}

/** The state of a superpower of a published post on one of its channels, and what it did. */
export interface SuperpowerReport {
  channelId: string
  /** The mode that holds there now: the lower of the channel's switch and the organization's. */
  automation: AutomationMode
  /** Set when it was stopped by hand. */
  stopped: { at: string; reason: string } | null
  /** Why the platform stopped the channel; null while it does not. */
  problem: string | null
  publishedAt: string
  /** When the platform was last asked for comments; null before the first time. */
  lastReadAt: string | null
  /** Why it could not be asked the last time. */
  readProblem: string | null
  /** When the newest comment that was seen was written. */
  newestCommentAt: string | null
  comments: { total: number; byReason: Partial<Record<CommentReason, number>> }
  groups: { group: number; matched: number }[]
  effects: { group: number; effect: EffectName; state: EffectState; reason: EffectReason | null; count: number }[]
  /** Replies that went out, by their place among those of their group, from 0. */
  replies: { group: number; effect: EffectName; reply: number; count: number }[]
}

export interface SuperpowerReports {
  items: SuperpowerReport[]
}

export interface SuperpowerStop {
  reason: string
}

export interface StoppedSuperpower {
  scheduledPostId: string
  channelId: string
  /** The first stop counts. */
  stoppedAt: string
  reason: string
}

/** A person who gets no automated messages on a channel. */
export interface OptOut {
  /** The platform's id of the person on the channel: `from.id` of their comments. */
  fromId: string
  at: string
  /** How the person came on the list. */
  source: 'comment' | 'message' | 'hand'
}

export interface OptOutKey {
  channelId: string
  fromId: string
}

/**
 * `planned`: the post is not out. `ended`: the comments from before the end are read, within ten minutes. `frozen`: the
 * list of the entrants is fixed, and the draw waits for the value of the beacon, which is published a quarter of an
 * hour after the end. `cancelled`: the superpower was stopped before the end.
 */
export const RAFFLE_STATES = ['planned', 'open', 'ended', 'frozen', 'drawn', 'cancelled'] as const
export type RaffleState = (typeof RAFFLE_STATES)[number]

/** `not_told`: a human has to write, and the reason says why. `unknown`: the answer of the platform was lost. */
export const TOLD_STATES = ['waiting', 'told', 'not_told', 'unknown'] as const
export type ToldState = (typeof TOLD_STATES)[number]

/** The reason for which no message to an entrant was planned; those of effects hold as well. */
export const UNTOLD_REASONS = [
  /** The superpower has none. */
  'no_message',
  /** The one private reply of each comment was used, and the person wrote no message within 24 hours. */
  'private_reply_used',
  /** The comments are older than 7 days, and the person wrote no message within 24 hours. */
  'window',
  'opted_out',
  /** A human answered the comment by which the person entered. */
  'human_first',
  'person_forgotten',
] as const
export type UntoldReason = (typeof UNTOLD_REASONS)[number]

export interface RaffleWinner {
  /** From 1. */
  rank: number
  /** The conversation with the person, where there is one; null for a person who was forgotten. */
  conversationId: string | null
  name: string | null
  told: ToldState
  /** How the message goes; null where none was planned. */
  way: 'private_reply' | 'message' | null
  reason: UntoldReason | EffectReason | null
}

export interface RaffleRedraw {
  /** The rank that won no longer. */
  rank: number
  /** The next one, which won in its place. */
  newRank: number
  reason: string
  at: string
}

/** The public beacon whose value is part of the draw. */
export interface RaffleBeacon {
  /** The hash of the chain of drand. */
  chain: string
  round: number
  /** When the value is published. */
  at: string
  /** Null until it is fetched. */
  signature: string | null
  /** SHA-256 of the signature: the value. */
  randomness: string | null
  /** Why it could not be fetched the last time; the draw waits. */
  problem: string | null
}

/**
 * The reasons for which people who commented before the end did not enter: those of their last comment. `no_part`: the
 * group that matched takes no part, or it was decided in a dry run, or before the start.
 */
export const LEFT_OUT_REASONS = [
  ...COMMENT_REASONS.filter((reason) => reason !== 'matched' && reason !== 'own_comment'),
  'no_part',
  'person_forgotten',
] as const
export type LeftOutReason = Exclude<CommentReason, 'matched' | 'own_comment'> | 'no_part' | 'person_forgotten'

export interface LeftOut {
  reason: LeftOutReason
  /** Where it is not known who wrote, each comment counts as one. */
  people: number
}

export interface PostRaffle {
  channelId: string
  state: RaffleState
  /** The people who have entered. */
  entrants: number
  winnersLimit: number
  endsAt: string
  drawnAt: string | null
  /** From then on nobody enters; null before. */
  frozenAt: string | null
  /** The hash of the list of the entrants; null until it is fixed. */
  entrantsSha256: string | null
  /** The people who commented before the end and did not enter; empty until the list is fixed. */
  leftOut: LeftOut[]
  /** Named by the approval. Null: the seed alone decides. */
  beacon: RaffleBeacon | null
  /** The hash of the seed; null until the post is approved. */
  seedSha256: string | null
  /** Null before the draw. */
  seed: string | null
  /** Those who stand: a winner who was replaced by a redraw is not among them. */
  winners: RaffleWinner[]
  /** The messages to those who did not win, counted. */
  losers: { told: ToldState; reason: UntoldReason | EffectReason | null; count: number }[]
  redraws: RaffleRedraw[]
}

export interface PostRaffles {
  items: PostRaffle[]
}

export interface RaffleRedrawRequest {
  /** The rank of a winner who stands. */
  rank: number
  reason: string
}

/** A drawn raffle, to verify: it names nobody. */
export interface RaffleExport {
  version: 2
  scheduledPostId: string
  channelId: string
  endsAt: string
  frozenAt: string
  drawnAt: string
  winnersLimit: number
  /** Null: the seed alone decides. */
  beacon: { chain: string; round: number; at: string; signature: string; randomness: string } | null
  seed: string
  seedSha256: string
  /** HMAC of each person's id under a key that is not published, in order. */
  entrants: string[]
  entrantsSha256: string
  leftOut: LeftOut[]
  winners: { rank: number; entrant: string }[]
  redraws: { rank: number; newRank: number; entrant: string }[]
}
