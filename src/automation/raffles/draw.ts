import { recordEvent } from '../../events/events.store.js'
import type { Context } from '../../http/context.js'
import { hashEntrants, orderByLot } from '../../lib/raffle-proof.js'
import type { AutomationPostKey } from '../posts.store.js'
import { cancelRaffle, insertWinners, listDueRaffles, lockDueRaffle, storeDraw } from './draw.store.js'
import { readEntrants } from './entrants.store.js'
import { seedOf } from './secrets.js'

export type DrawContext = Pick<Context, 'database' | 'clock' | 'chanceKey' | 'log'>

const RAFFLES_AT_ONCE = 10
/** A raffle waits no longer for comments from before its end. */
const READ_WITHIN_MS = 10 * 60_000

/** Draws the raffles that have ended, and gives their number. Any number of processes may do so at once. */
export async function drawRaffles(context: DrawContext): Promise<number> {
  const due = await listDueRaffles(context.database, dueAt(context), RAFFLES_AT_ONCE)
  let drawn = 0
  for (const post of due) if (await drawRaffle(context, post)) drawn += 1
  return drawn
}

function dueAt({ clock }: DrawContext): { now: Date; atLatest: Date } {
  const nowMs = clock.now()
  return { now: new Date(nowMs), atLatest: new Date(nowMs - READ_WITHIN_MS) }
}

/** Freezes the entrants and stores who has won, in one transaction. Nothing is sent before that. */
async function drawRaffle(context: DrawContext, post: AutomationPostKey): Promise<boolean> {
  const { database, chanceKey, log } = context
  const { now, atLatest } = dueAt(context)
  const drawn = await database.transaction(async (tx) => {
    const raffle = await lockDueRaffle(tx, post, { now, atLatest })
    if (raffle === undefined) return undefined
    if (raffle.is_stopped) {
      await cancelRaffle(tx, post, now)
      return { entrants: 0, winners: 0 }
    }
    const seed = seedOf(chanceKey, post)
    const entrants = await readEntrants(tx, post)
    const order = await orderByLot(seed, entrants)
    const winners = order.slice(0, raffle.winners_max)
    await storeDraw(tx, post, {
      ...{ seed, at: now, entrants: entrants.length, entrantsSha256: hashEntrants(entrants) },
    })
    await insertWinners(tx, post, winners, now)
    const counts = { entrants: entrants.length, winners: winners.length }
    const { organization_id: organizationId, scheduled_post_id: scheduledPostId, channel_id: channelId } = post
    const data = { scheduledPostId, channelId, ...counts }
    await recordEvent(tx, { organizationId, type: 'raffle.drawn', at: now, data })
    return counts
  })
  if (drawn === undefined) return false
  log.info({ post: post.scheduled_post_id, channel: post.channel_id, ...drawn }, 'a raffle has ended')
  return true
}
