import type { Queryable } from '../../database/database.js'
import type { Context } from '../../http/context.js'
import { publishedAtMs } from '../../lib/beacon.js'
import { drawKeyOf, hashEntrants, orderByLot } from '../../lib/raffle-proof.js'
import { recordEvent } from '../../news/events.store.js'
import type { AutomationPostKey } from '../posts.store.js'
import { type BeaconContext, chainOf, fetchBeacons } from './beacon.js'
import {
  cancelRaffle,
  countLeftOut,
  type DueRaffle,
  insertWinners,
  listDueRaffles,
  listFrozenRaffles,
  lockDueRaffle,
  lockFrozenRaffle,
  readEntrants,
  storeDraw,
  storeFreeze,
} from './draw.store.js'
import { seedOf } from './enter.js'
import { toBeaconValue } from './raffles.js'

export type DrawContext = BeaconContext & Pick<Context, 'chanceKey'>

const RAFFLES_AT_ONCE = 10
/** How long a raffle waits for comments from before its end. */
const READ_WITHIN_MS = 10 * 60_000

/**
 * Freezes the entrants of raffles that have ended, fetches the values of their beacons, and draws. Returns the number of
 * raffles that advanced. Any number of processes may do so at the same time.
 */
export async function drawRaffles(context: DrawContext, stopping?: AbortSignal): Promise<number> {
  const { database } = context
  let moved = 0
  for (const post of await listDueRaffles(database, dueAt(context), RAFFLES_AT_ONCE)) {
    if (await freezeRaffle(context, post)) moved += 1
  }
  moved += await fetchBeacons(context, stopping)
  for (const post of await listFrozenRaffles(database, RAFFLES_AT_ONCE)) if (await drawFrozen(context, post)) moved += 1
  return moved
}

function dueAt({ clock }: DrawContext): { now: Date; atLatest: Date } {
  const nowMs = clock.now()
  return { now: new Date(nowMs), atLatest: new Date(nowMs - READ_WITHIN_MS) }
}

/** Freezes the entrants. Without a beacon the raffle is drawn in the same transaction. */
async function freezeRaffle(context: DrawContext, post: AutomationPostKey): Promise<boolean> {
  const { database, config, log } = context
  const { now, atLatest } = dueAt(context)
  const ended = await database.transaction(async (tx) => {
    const raffle = await lockDueRaffle(tx, post, { now, atLatest })
    if (raffle === undefined) return undefined
    if (raffle.is_stopped) {
      await cancelRaffle(tx, post, now)
      return { entrants: 0 }
    }
    const { beacon_round: round } = raffle
    const entrants = await readEntrants(tx, post)
    const leftOut = await countLeftOut(tx, post, raffle.ends_at)
    const drawsFrom = round === null ? null : new Date(publishedAtMs(chainOf(config), round))
    const freeze = { leftOut, entrants: entrants.length, entrantsSha256: hashEntrants(entrants) }
    await storeFreeze(tx, post, { ...freeze, at: now, drawsFrom })
    return round === null
      ? await draw(tx, { context, raffle, entrants, beacon: null, now })
      : { entrants: entrants.length, drawsFrom }
  })
  if (ended === undefined) return false
  log.info({ post: post.scheduled_post_id, channel: post.channel_id, ...ended }, 'a raffle has ended')
  return true
}

/** Draws a raffle whose beacon value was stored earlier. */
async function drawFrozen(context: DrawContext, post: AutomationPostKey): Promise<boolean> {
  const { database, clock, log } = context
  const now = new Date(clock.now())
  const drawn = await database.transaction(async (tx) => {
    const raffle = await lockFrozenRaffle(tx, post)
    if (raffle === undefined) return undefined
    const entrants = await readEntrants(tx, post)
    if (hashEntrants(entrants) !== raffle.entrants_sha256) {
      throw new Error(`the entrants of a raffle were changed after its end: ${post.scheduled_post_id}`)
    }
    return await draw(tx, { context, raffle, entrants, beacon: toBeaconValue(raffle), now })
  })
  if (drawn === undefined) return false
  log.info({ post: post.scheduled_post_id, channel: post.channel_id, ...drawn }, 'a raffle was drawn')
  return true
}

interface Drawing {
  context: DrawContext
  raffle: AutomationPostKey & Pick<DueRaffle, 'winners_max'>
  entrants: readonly string[]
  beacon: ReturnType<typeof toBeaconValue>
  now: Date
}

/** Stores the winners. Nothing is sent before that. */
async function draw(
  tx: Queryable,
  { context, raffle, entrants, beacon, now }: Drawing,
): Promise<{ entrants: number; winners: number }> {
  const seed = seedOf(context.chanceKey, raffle)
  const order = await orderByLot(drawKeyOf(seed, beacon), entrants)
  const winners = order.slice(0, raffle.winners_max)
  await storeDraw(tx, raffle, seed, now)
  await insertWinners(tx, raffle, winners, now)
  const counts = { entrants: entrants.length, winners: winners.length }
  const { organization_id: organizationId, scheduled_post_id: scheduledPostId, channel_id: channelId } = raffle
  const data = { scheduledPostId, channelId, ...counts }
  await recordEvent(tx, { organizationId, type: 'raffle.drawn', at: now, data })
  return counts
}
