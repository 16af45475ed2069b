import { setAutomationProblem } from '../channels/automation.store.js'
import { setTokenProblem } from '../channels/channels.store.js'
import { GraphError, requireGraphError } from '../graph/graph-error.js'
import type { Context } from '../http/context.js'
import type { EffectName, EffectReason } from '../interface/automation.js'
import { classifyEffectFailure, type EffectFailure } from '../networks/effect-failure.js'
import type { ReplyMessage } from '../networks/messages.js'
import { networkOf } from '../networks/networks.js'
import type { ChannelTarget } from '../networks/target.js'
import { recordEvent } from '../news/events.store.js'
import { LATE_MS, MESSAGE_WINDOW_MS, PLANNED_WINDOW_MS } from '../superpowers/decision.js'
import type { RuleReply } from '../superpowers/rule.js'
import { repeatLast } from '../work/backoff.js'
import { LeaseLostError } from '../work/claim.js'
import { claimDue } from '../work/claims.store.js'
import { type CallOutcome, oneCall } from '../work/one-call.js'
import { workSideBySide } from '../work/side-by-side.js'
import {
  attemptEffect,
  type EffectEnd,
  type EffectScene,
  endEffect,
  findEffect,
  findOpenEffect,
  findTurn,
  keepLane,
  LANES,
  type Lane,
  putOffEffect,
  releaseLane,
  settleTurns,
  skipSwitched,
  type Turn as TurnRow,
} from './effects.store.js'
import { WINNERS_QUEUE } from './ledger.store.js'
import { findOpening, type Opening } from './pace.js'
import { findTarget } from './target.js'

export type EffectsContext = Pick<Context, 'database' | 'clock' | 'graph' | 'sealer' | 'log' | 'metrics'>

const LANES_AT_ONCE = 20
const LEASE_MS = 60_000
/** The latest start of a call before the lease ends: longer than the client waits for an answer. */
const CALL_MS = 40_000
/** How many effects of a lane are made before the other lanes get their turn. */
const EFFECTS_AT_ONCE = 50
/** The embedded engine runs on the thread that answers requests. */
const TURNS_AT_ONCE = { postgres: 500, pglite: 100 } as const
const SKIPPED_AT_ONCE = { postgres: 500, pglite: 100 } as const
const BACK_OFF = repeatLast(10_000, 30_000, 120_000, 300_000)
/** The delay before another look at a channel that the platform has stopped, or whose access token does not work. */
const STOPPED_WAIT_MS = 60_000
/** How often the question before a call is asked if it gets no answer. */
const QUESTIONS_MAX = 5

interface Making {
  stopping?: AbortSignal
  /** Ends when it is time to look for further lanes besides the slow ones. */
  tick?: () => Promise<void>
}

/**
 * Makes the due effects, each call at most once. Any number of processes may do so at the same time. Returns their number.
 */
export function makeEffects(context: EffectsContext, { stopping, tick }: Making = {}): Promise<number> {
  const { database, clock } = context
  return workSideBySide<Lane>({
    ...{ max: LANES_AT_ONCE, stopping, tick },
    claim: (request) => claimDue<Lane>(database, LANES, { ...request, now: new Date(clock.now()), leaseMs: LEASE_MS }),
    work: (lane) => runLane(context, lane, stopping),
  })
}

/** Why a lane pauses; `isObstacle` means that the cause is something other than its rate limit. */
interface Wait {
  at: Date
  isObstacle: boolean
}

/**
 * Makes the effects of a lane one after the other, and returns their number. Stops if another holder has taken the lane
 * over.
 */
async function runLane(context: EffectsContext, lane: Lane, stopping?: AbortSignal): Promise<number> {
  const { database, clock, log } = context
  const turn: Turn = { ...context, lane }
  let attempts = lane.attempts
  let made = 0
  try {
    const open = await findOpenEffect(database, lane)
    if (open !== undefined) await takeEffect(turn, open)
    for (;;) {
      const now = new Date(clock.now())
      const effect = await findNext(turn, now)
      const isFull = made >= EFFECTS_AT_ONCE || stopping?.aborted === true
      if (effect instanceof Date || effect === null || isFull) {
        await releaseLane(database, lane, {
          at: effect === null || effect instanceof Date ? effect : now,
          attempts,
          now,
        })
        return made
      }
      const wait = await takeEffect(turn, effect.scene)
      if (wait !== undefined) {
        await releaseLane(database, lane, { at: wait.at, attempts: wait.isObstacle ? attempts + 1 : attempts, now })
        return made
      }
      const { queue, person_id: person } = effect.turn
      await settleTurns(database, lane, { queue, person, servedAt: now, limit: 1 })
      attempts = 0
      made += 1
    }
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error
    log.warn(
      { channel: lane.channel_id, effect: lane.effect },
      'another process has taken over the effects of a channel',
    )
    return made
  }
}

/** Returns the next effect, the time of the next turn, or null if nothing is waiting. */
async function findNext(turn: Turn, now: Date): Promise<{ turn: TurnRow; scene: EffectScene } | Date | null> {
  const { database, lane } = turn
  for (;;) {
    const next = await findTurn(database, lane, now)
    if (next === undefined) return null
    if (next.turn_at > now) return next.turn_at
    const { queue, comment_id: commentId, next_attempt_at: dueAt } = next
    const scene = commentId !== null && dueAt! <= now ? await findEffect(database, lane, commentId) : undefined
    if (scene !== undefined) {
      // Winners do not use up a post's turn.
      if (queue !== WINNERS_QUEUE) lane.after_queue = queue
      return { turn: next, scene }
    }
    // The waiting effects were skipped, postponed or deleted.
    await settleTurns(database, lane, { queue, person: null, servedAt: null, limit: TURNS_AT_ONCE[database.engine] })
    await hold(turn, null)
  }
}

interface Turn extends EffectsContext {
  lane: Lane
}

/** Completes one effect, or returns how long its lane must wait. */
async function takeEffect(turn: Turn, effect: EffectScene): Promise<Wait | undefined> {
  const now = new Date(turn.clock.now())
  // A call left open by a dead process is lost; its time says nothing about the queue.
  if (effect.state === 'attempting') return await end(turn, effect, LOST, null)
  const opening = findOpening(effect.effect, turn.lane.open_at, now, effect.private_replies_per_hour)
  const skipped = findSkip(turn.lane, effect, opening, now)
  if (skipped !== undefined) return await skip(turn, effect, skipped)
  if (opening.from > now) return { at: opening.from, isObstacle: false }
  const target = effect.automation_problem === null ? findTarget(turn, effect) : undefined
  if (target === undefined) {
    return await putOff(turn, effect, { reason: 'channel_stopped', waitMs: STOPPED_WAIT_MS, problem: null })
  }
  const asked = await askFirst(turn, effect, target)
  if (asked !== 'go on') return asked
  return await call(turn, effect, { target, opening })
}

const NOTHING = { reason: null, problem: null, externalId: null, recipientId: null } as const
const LOST: EffectEnd = { ...NOTHING, state: 'unknown', reason: 'answer_lost' }

/** Returns the reason why a due effect is not made. */
function findSkip(lane: Lane, effect: EffectScene, { gapMs }: Opening, now: Date): EffectReason | undefined {
  const { mode, since, is_stopped, is_opted_out, commented_at, due_at } = effect
  if (is_stopped) return 'stopped'
  if (mode === 'off' || (since !== null && wasPlannedFrom(effect) < since)) return 'switched_off'
  if (mode === 'shadow') return 'dry_run'
  if (is_opted_out) return 'opted_out'
  const isMessage = effect.effect === 'message'
  const windowMs = isMessage ? MESSAGE_WINDOW_MS : PLANNED_WINDOW_MS
  if (now.getTime() - (isMessage ? (effect.wrote_at_ms ?? 0) : commented_at.getTime()) > windowMs) return 'window'
  // A lane that is only slowed by its limit served someone recently, however many are waiting.
  const lateFrom = now.getTime() - LATE_MS
  const isServed = lane.served_at !== null && lane.served_at.getTime() >= lateFrom - gapMs
  return due_at.getTime() < lateFrom && !isServed ? 'late' : undefined
}

/** Skips an effect. A stop or a switch also skips all others that it applies to, one batch at a time. */
async function skip(turn: Turn, effect: EffectScene, reason: EffectReason): Promise<undefined> {
  if (reason === 'stopped' || reason === 'switched_off' || reason === 'dry_run') {
    const { database, clock, metrics, lane } = turn
    const now = new Date(clock.now())
    const skipped = await skipSwitched(database, lane, { now, limit: SKIPPED_AT_ONCE[database.engine] })
    metrics.countEffect(effect.effect, 'skipped', skipped)
    if (skipped > 0) {
      await hold(turn, null)
      return
    }
  }
  return await end(turn, effect, { ...NOTHING, state: 'skipped', reason })
}

/** Messages of a raffle are planned, and due, when it is drawn; other effects follow from a comment at once. */
const wasPlannedFrom = ({ reply, commented_at, due_at }: EffectScene): Date =>
  reply !== null && reply.place < 0 ? due_at : commented_at

/** Asks the network whether the comment can be answered in private: otherwise the platform uses up the one reply. */
async function askFirst(turn: Turn, effect: EffectScene, target: ChannelTarget): Promise<Wait | undefined | 'go on'> {
  if (effect.effect !== 'private_reply') return 'go on'
  try {
    if (await networkOf(target).mayReplyPrivately(target, effect.comment_id)) return 'go on'
    return await end(turn, effect, { ...NOTHING, state: 'refused', reason: 'not_replyable' })
  } catch (error) {
    if (!(error instanceof GraphError)) throw error
    const failure = classifyEffectFailure(error)
    if (failure.is !== 'unknown') return await afterRefusal(turn, effect, failure, error)
    const problem = error.userText
    // Nothing was sent, and the rest of the lane does not wait for this answer.
    if (effect.attempts < QUESTIONS_MAX) {
      const at = new Date(turn.clock.now() + BACK_OFF.after(effect.attempts))
      return void (await putOffEffect(turn.database, effect, { at, reason: 'unreachable', problem }))
    }
    return await end(turn, effect, { ...NOTHING, state: 'refused', reason: 'unreachable', problem })
  }
}

/** The ids in the answer to a call. */
interface Sent {
  id: string | null
  recipientId: string | null
}

const CALLS: Record<EffectName, (target: ChannelTarget, effect: EffectScene) => Promise<Sent>> = {
  private_reply: (target, { comment_id, reply }) =>
    networkOf(target).sendPrivateReply(target, { commentId: comment_id, message: toMessage(reply!) }),
  public_reply: async (target, { comment_id, reply }) => {
    const { id } = await networkOf(target).sendPublicReply(target, { commentId: comment_id, text: reply!.text })
    return { id, recipientId: null }
  },
  like: async (target, { comment_id }) => {
    await networkOf(target).likeComment(target, comment_id)
    return { id: null, recipientId: null }
  },
  message: (target, { recipient_id, reply }) =>
    networkOf(target).sendMessage(target, { recipientId: recipient_id!, message: toMessage(reply!) }),
}

const toMessage = ({ text, media, links }: RuleReply): ReplyMessage => ({ text, mediaUrl: media?.url ?? null, links })

/** Makes the one call of an effect. The intention is stored first. */
async function call(
  turn: Turn,
  effect: EffectScene,
  { target, opening }: { target: ChannelTarget; opening: Opening },
): Promise<Wait | undefined> {
  const { database, clock, lane } = turn
  let wait: Wait | undefined
  await oneCall<EffectScene, Sent>(effect, {
    stateOf: ({ state }) => (state === 'planned' || state === 'skipped' ? undefined : state),
    async attempt(row) {
      const now = new Date(clock.now())
      const isAttempted = await attemptEffect(database, lane, row, { now, openAt: opening.after })
      if (isAttempted) lane.open_at = opening.after
      // A switch was flipped, or the lane has another holder: the row is read again.
      else await hold(turn, null)
      return isAttempted ? { ...row, state: 'attempting', attempted_at: now } : row
    },
    isHeld: () => clock.now() < lane.leased_until.getTime() - CALL_MS,
    call: (row) => CALLS[row.effect](target, row),
    outcomeOf: (error) => (classifyEffectFailure(requireGraphError(error)).is === 'unknown' ? 'unknown' : 'refused'),
    async store(row, outcome) {
      wait = await saveOutcome(turn, row, outcome)
      return row
    },
  })
  return wait
}

async function saveOutcome(turn: Turn, effect: EffectScene, outcome: CallOutcome<Sent>): Promise<Wait | undefined> {
  switch (outcome.is) {
    case 'done':
      return await end(turn, effect, {
        ...{ ...NOTHING, state: 'done' },
        externalId: outcome.answer.id,
        recipientId: outcome.answer.recipientId,
      })
    case 'unknown': {
      const problem = outcome.error === undefined ? null : requireGraphError(outcome.error).userText
      return await end(turn, effect, { ...LOST, problem })
    }
    // The lease expired before the call, so nothing was sent.
    case 'not-held':
      return await putOff(turn, effect, { reason: 'unreachable', waitMs: 0, problem: null })
    case 'refused': {
      const error = requireGraphError(outcome.error)
      return await afterRefusal(turn, effect, classifyEffectFailure(error), error)
    }
  }
}

/** Handles a call that sent nothing. Temporary failures wait; all others end the effect, or stop the channel. */
async function afterRefusal(
  turn: Turn,
  effect: EffectScene,
  failure: EffectFailure,
  { userText: problem }: GraphError,
): Promise<Wait | undefined> {
  switch (failure.is) {
    case 'refused':
      return await end(turn, effect, { ...NOTHING, state: 'refused', reason: failure.reason, problem })
    case 'unknown':
      return await end(turn, effect, { ...LOST, problem })
    case 'wait':
      return await putOff(turn, effect, { reason: failure.reason, waitMs: failure.waitMs, problem })
    case 'token':
      await setTokenProblem(turn.database, effect.organization_id, effect.channel_id, {
        problem,
        refusedTokenSealed: effect.access_token_sealed!,
        at: new Date(turn.clock.now()),
      })
      return await putOff(turn, effect, { reason: 'channel_stopped', waitMs: STOPPED_WAIT_MS, problem })
    case 'permission':
    case 'blocked':
      await stopChannel(turn, effect, problem)
      return await putOff(turn, effect, { reason: 'channel_stopped', waitMs: STOPPED_WAIT_MS, problem })
  }
}

/** Repeating the call would prolong a block, and a missing permission does not appear by itself. */
async function stopChannel({ database, clock, log }: Turn, effect: EffectScene, problem: string): Promise<void> {
  const { organization_id: organizationId, channel_id: channelId } = effect
  const at = new Date(clock.now())
  const isNew = await database.transaction(async (tx) => {
    if (!(await setAutomationProblem(tx, organizationId, channelId, { problem, at }))) return false
    await recordEvent(tx, { organizationId, type: 'superpower.stopped', at, data: { channelId } })
    return true
  })
  if (isNew) log.warn({ organization: organizationId, channel: channelId, problem }, 'the platform stopped a channel')
}

async function end(
  turn: Turn,
  effect: EffectScene,
  result: EffectEnd,
  servedAt = result.state === 'skipped' ? null : new Date(turn.clock.now()),
): Promise<undefined> {
  const { database, clock, metrics } = turn
  const now = new Date(clock.now())
  const isEnded = await database.transaction(async (tx) => {
    if (!(await endEffect(tx, effect, result, now))) return false
    if (result.state === 'done') await recordActed(tx, effect, now)
    return true
  })
  if (isEnded) metrics.countEffect(effect.effect, result.state)
  await hold(turn, servedAt)
}

const recordActed = (tx: Parameters<typeof recordEvent>[0], effect: EffectScene, at: Date): Promise<void> =>
  recordEvent(tx, {
    organizationId: effect.organization_id,
    type: 'superpower.acted',
    at,
    data: {
      scheduledPostId: effect.scheduled_post_id,
      channelId: effect.channel_id,
      commentId: effect.comment_id,
      effect: effect.effect,
    },
  })

/** Keeps the lane. Throws LeaseLostError. */
async function hold({ database, clock, lane }: Turn, servedAt: Date | null): Promise<void> {
  const until = new Date(clock.now() + LEASE_MS)
  if (!(await keepLane(database, lane, { servedAt, until }))) {
    throw new LeaseLostError(`${lane.effect} of ${lane.channel_id} by ${lane.leased_by}`)
  }
  lane.leased_until = until
  lane.served_at = servedAt ?? lane.served_at
}

async function putOff(
  { database, clock, lane }: Turn,
  effect: EffectScene,
  { reason, waitMs, problem }: { reason: EffectReason; waitMs: number | null; problem: string | null },
): Promise<Wait> {
  const at = new Date(clock.now() + (waitMs ?? BACK_OFF.after(lane.attempts)))
  await putOffEffect(database, effect, { at, reason, problem })
  return { at, isObstacle: true }
}
