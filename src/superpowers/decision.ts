import { createHmac } from 'node:crypto'
import type { CommentReason, EffectName, EffectReason } from '../interface/automation.js'
import { createPhraseFinder } from './phrase.js'
import { type Addressed, type ReplyWorld, toPrivateReply, toPublicReply } from './reply-text.js'
import type { Limits, Rule, RuleGroup, RuleReply } from './rule.js'

/** The parts of a comment that a rule asks about. */
export interface CommentToDecide extends Addressed {
  id: string
  text: string | null
  atMs: number
  personId: string | null
}

/** The people answered before a comment, by a group or by the superpower as a whole. */
export interface Answered {
  people: number
  includesPerson: boolean
  lastAtMs: number | null
}

export const NOBODY: Answered = { people: 0, includesPerson: false, lastAtMs: null }

export interface DecisionWorld extends ReplyWorld {
  /** Returns a number from 0 to below 1 for each purpose at a group's place, always the same for one comment. */
  chance(place: number, purpose: string): number
  /** Answered by the matching group. */
  group: Answered
  everyone: Answered
  /** True if the person has had a private reply on the post, or is about to get one. */
  hasPrivateReply: boolean
  nowMs: number
}

interface PlannedEffect {
  effect: EffectName
  state: 'planned' | 'skipped'
  reason: EffectReason | null
  dueAtMs: number
  /** With its text filled in; null for a like. */
  reply: RuleReply | null
  /** True if it follows once the private reply is done. */
  afterPrivate: boolean
  /** True for the one private reply to the person on the post: the superpower does not say when another may follow. */
  isOnce: boolean
}

export interface Decision {
  group: number | null
  reason: CommentReason
  /** In the order in which they are made. */
  effects: PlannedEffect[]
  entersRaffle: boolean
}

/** How long the platform allows an answer. */
export const WINDOW_MS = 7 * 86_400_000
/** Effects are planned with an hour to spare. */
export const PLANNED_WINDOW_MS = WINDOW_MS - 3_600_000

/** A person who wrote may be messaged for 24 hours, less a quarter of an hour to spare. */
export const MESSAGE_WINDOW_MS = 24 * 3_600_000 - 900_000

/** Effects delayed for longer than this are not made up for in a burst. */
export const LATE_MS = 3_600_000

/** Derives chance from the comment, so that a repeat and a second process decide the same. */
export function createChance(secret: Buffer | string, commentId: string): (place: number, purpose: string) => number {
  return (place, purpose) => {
    const digest = createHmac('sha256', secret).update(`${commentId}\0${place}\0${purpose}`).digest()
    // A number holds 53 bits.
    return (digest.readUInt32BE(0) * 2 ** 21 + (digest.readUInt32BE(4) >>> 11)) / 2 ** 53
  }
}

/** Returns the first group that matches, which acts. */
export function findGroup({ groups }: Rule, text: string | null): RuleGroup | undefined {
  const isThere = createPhraseFinder(text ?? '')
  return groups.find(
    ({ canMatch, conditions }) => canMatch && conditions.every((phrases) => phrases === null || phrases.some(isThere)),
  )
}

/** Decides what a comment leads to, by the rule only: switches, stops and opt-outs are checked before. */
export function decide(rule: Rule, comment: CommentToDecide, world: DecisionWorld): Decision {
  const without = (reason: CommentReason, group: RuleGroup | null = null): Decision => ({
    ...{ group: group?.place ?? null, reason, effects: [], entersRaffle: false },
  })
  if (!rule.isActive || rule.groups.every(({ canMatch }) => !canMatch)) return without('inactive')
  if (rule.expiresAtMs !== null && comment.atMs >= rule.expiresAtMs) return without('expired')
  if (world.nowMs - comment.atMs > WINDOW_MS) return without('too_old')
  const group = findGroup(rule, comment.text)
  if (group === undefined) return without('no_match')
  const { place } = group
  if (world.chance(place, 'group') >= group.probability) return without('chance', group)
  const limit =
    findLimit(group.limits, world.group, comment.atMs) ?? findLimit(rule.everyone, world.everyone, comment.atMs)
  if (limit !== undefined) return without(limit, group)
  return {
    group: place,
    reason: 'matched',
    effects: planEffects(rule, group, comment, world),
    entersRaffle: entersAt(rule, group, comment),
  }
}

function findLimit({ peopleMax, periodMs }: Limits, answered: Answered, atMs: number): CommentReason | undefined {
  const { people, includesPerson, lastAtMs } = answered
  if (peopleMax !== null && !includesPerson && people >= peopleMax) return 'users_limit'
  // A comment that is found late was written before the last answer, and counts as within the time too.
  return periodMs !== null && lastAtMs !== null && atMs - lastAtMs < periodMs ? 'time_limit' : undefined
}

const entersAt = ({ raffle }: Rule, { entersRaffle }: RuleGroup, { atMs }: CommentToDecide): boolean =>
  entersRaffle && raffle !== null && atMs >= (raffle.startsAtMs ?? -Infinity) && atMs < raffle.endsAtMs

function planEffects(rule: Rule, group: RuleGroup, comment: CommentToDecide, world: DecisionWorld): PlannedEffect[] {
  const { place, privateReplies, publicReplies } = group
  const { chance, nowMs } = world
  const effects: PlannedEffect[] = []
  const plan = (dueAtMs: number, reason: EffectReason | undefined) => {
    const skip = reason ?? (nowMs - dueAtMs > LATE_MS ? 'late' : undefined)
    return { dueAtMs, ...(skip === undefined ? PLANNED : ({ state: 'skipped', reason: skip } as const)) }
  }
  const privateReply = pick(privateReplies, chance(place, 'which private reply'))
  if (privateReply !== undefined) {
    const dueAtMs = comment.atMs + group.privateDelayMs
    // A time limit says when a person may be answered again.
    const isOnce = group.limits.periodMs === null && rule.everyone.periodMs === null
    const isLate = group.privateDelayMs > PLANNED_WINDOW_MS
    effects.push({
      ...{ effect: 'private_reply', afterPrivate: false, reply: toPrivateReply(privateReply, comment, world), isOnce },
      ...plan(dueAtMs, isOnce && world.hasPrivateReply ? 'person_answered' : isLate ? 'window' : undefined),
    })
  }
  const hasLostPrivate = effects[0]?.state === 'skipped'
  const publicReply = pick(publicReplies, chance(place, 'which public reply'))
  if (publicReply !== undefined) {
    const isLuckless = chance(place, 'public_reply') >= group.publicProbability
    effects.push({
      ...{ effect: 'public_reply', afterPrivate: privateReply !== undefined, isOnce: false },
      ...plan(
        comment.atMs + group.publicDelayMs,
        isLuckless ? 'chance' : hasLostPrivate ? 'no_private_reply' : undefined,
      ),
      reply: toPublicReply(publicReply, comment, world.channelType),
    })
  }
  if (group.likeProbability > 0) {
    const isLuckless = chance(place, 'like') >= group.likeProbability
    const planned = plan(comment.atMs, isLuckless ? 'chance' : undefined)
    effects.push({ effect: 'like', afterPrivate: false, isOnce: false, reply: null, ...planned })
  }
  return effects
}

const PLANNED = { state: 'planned', reason: null } as const

const pick = <T>(items: readonly T[], chance: number): T | undefined => items[Math.floor(chance * items.length)]
