import type { Queryable } from '../../database/database.js'
import type { Context } from '../../http/context.js'
import { MESSAGE_WINDOW_MS, PLANNED_WINDOW_MS } from '../../superpowers/decision.js'
import { toPrivateReply } from '../../superpowers/reply-text.js'
import { parseRule, type RuleReply } from '../../superpowers/rule.js'
import { LOSERS_QUEUE, takeTurns, WINNERS_QUEUE } from '../ledger.store.js'
import {
  type EntrantScene,
  insertMessages,
  listLosers,
  listRafflesToMessage,
  listScenes,
  listUnplannedWinners,
  lockRaffleToMessage,
  type PlannedMessage,
  type RaffleToMessage,
  recordLoserMessages,
  recordProgress,
  recordWinnerMessages,
} from './messages.store.js'

export type MessageContext = Pick<Context, 'database' | 'clock'>

const RAFFLES_AT_ONCE = 10
/** Batches are smaller on the embedded engine, which runs on the thread that answers requests. */
const BATCH_SIZE = { postgres: 500, pglite: 100 } as const

/** The places of a raffle's own replies. They are negative, because the replies of a group count from 0. */
const WINNERS_PLACE = -1
const LOSERS_PLACE = -2

/**
 * Plans the messages of drawn raffles, winners first, a batch at a time. Returns the number of raffles that advanced. The
 * planned effects are carried out like any others.
 */
export async function planMessages({ database, clock }: MessageContext): Promise<number> {
  let advanced = 0
  for (const post of await listRafflesToMessage(database, RAFFLES_AT_ONCE)) {
    const isLocked = await database.transaction(async (tx) => {
      const raffle = await lockRaffleToMessage(tx, post)
      if (raffle === undefined) return false
      await planBatch(tx, raffle, { now: new Date(clock.now()), limit: BATCH_SIZE[database.engine] })
      return true
    })
    if (isLocked) advanced += 1
  }
  return advanced
}

interface Batch {
  now: Date
  limit: number
}

async function planBatch(tx: Queryable, raffle: RaffleToMessage, { now, limit }: Batch): Promise<void> {
  const rule = parseRule(raffle.superpower ?? {}).raffle
  const winners = await listUnplannedWinners(tx, raffle, limit)
  if (winners.length > 0) {
    const reply = rule?.winnersReply ? { ...rule.winnersReply, place: WINNERS_PLACE } : null
    return await recordWinnerMessages(tx, raffle, await plan(tx, raffle, { entrants: winners, reply, now }), now)
  }
  // Without a message for the losers, nothing needs to be recorded for them.
  if (!rule?.losersReply) return await recordProgress(tx, raffle, { plannedTo: null, plannedAt: now })
  const losers = await listLosers(tx, raffle, raffle.messages_planned_to, limit)
  const reply = { ...rule.losersReply, place: LOSERS_PLACE }
  if (losers.length > 0) await recordLoserMessages(tx, raffle, await plan(tx, raffle, { entrants: losers, reply, now }))
  await recordProgress(tx, raffle, { plannedTo: losers.at(-1) ?? null, plannedAt: losers.length < limit ? now : null })
}

/** Plans the messages to some entrants, and returns how each is notified. */
async function plan(
  tx: Queryable,
  raffle: RaffleToMessage,
  { entrants, reply, now }: { entrants: readonly string[]; reply: RuleReply | null; now: Date },
): Promise<PlannedMessage[]> {
  const since = new Date(now.getTime() - PLANNED_WINDOW_MS)
  const scenes = await listScenes(tx, raffle, entrants, since)
  const messages = scenes.map((scene) => planMessage(raffle, scene, reply, now))
  await insertMessages(tx, raffle, messages, now)
  await takeTurns(
    tx,
    raffle,
    messages.flatMap(({ effect, queue, personId }) =>
      effect === null ? [] : [{ effect, queue, personId, atMs: now.getTime() }],
    ),
  )
  return messages
}

function planMessage(raffle: RaffleToMessage, scene: EntrantScene, reply: RuleReply | null, now: Date): PlannedMessage {
  const { entrant, group_place: groupPlace, unused_comment_id: unused, from_name: name } = scene
  const queue = reply?.place === WINNERS_PLACE ? WINNERS_QUEUE : LOSERS_QUEUE
  const turn = { queue, personId: scene.person_id ?? '' }
  const notSent = { ...turn, entrant, commentId: null, effect: null, groupPlace, reply: null, recipientId: null }
  if (scene.person_id === null || scene.comment_id === null) return { ...notSent, reason: 'person_forgotten' }
  if (reply === null) return { ...notSent, reason: 'no_message' }
  if (scene.is_answered) return { ...notSent, reason: 'human_first' }
  if (scene.is_opted_out) return { ...notSent, reason: 'opted_out' }
  const isInstagram = raffle.type === 'INSTAGRAM_ACCOUNT'
  const filled = toPrivateReply(
    reply,
    { personName: isInstagram ? null : name, username: isInstagram ? name : null },
    { channelType: raffle.type, notice: raffle.automated_notice },
  )
  const sent = { ...turn, entrant, reason: null, groupPlace, reply: filled }
  if (unused !== null) return { ...sent, commentId: unused, effect: 'private_reply', recipientId: null }
  const canMessage = scene.wrote_at_ms !== null && now.getTime() - scene.wrote_at_ms <= MESSAGE_WINDOW_MS
  if (canMessage && !scene.has_message) {
    return { ...sent, commentId: scene.comment_id, effect: 'message', recipientId: scene.conversation_id }
  }
  return { ...notSent, reason: scene.has_fresh_comment ? 'private_reply_used' : 'window' }
}
