import Joi from 'joi'
import type { Queryable } from '../../database/database.js'
import { ok, operation } from '../../http/operation.js'
import {
  EFFECT_REASONS,
  type PostRaffle,
  type PostRaffles,
  RAFFLE_STATES,
  type RaffleRedraw,
  type RaffleState,
  type RaffleWinner,
  TOLD_STATES,
  UNTOLD_REASONS,
} from '../../interface/automation.js'
import { sha256 } from '../../lib/raffle-proof.js'
import { STATUS_RULES } from '../../posts/lifecycle.js'
import { scheduledPostParams } from '../../posts/scheduled-post.js'
import { requireScheduledPost } from '../../posts/scheduled-posts.store.js'
import { parseRule } from '../../superpowers/rule.js'
import { findStanding, toRedraws, toTold } from './raffle-body.js'
import { countLosers, listRaffleRows, listWinners, type RaffleRow } from './raffles.store.js'
import { seedOf } from './secrets.js'

const rank = Joi.number().integer().min(1).required()
const count = Joi.number().integer().min(0).required()
const instant = Joi.string().isoDate()
const hash = Joi.string().hex().length(64).allow(null).required()
const told = Joi.string()
  .valid(...TOLD_STATES)
  .required()
  .description('`not_told`: a human has to write; the reason says why no message could be sent.')
const reason = Joi.string()
  .valid(...new Set([...UNTOLD_REASONS, ...EFFECT_REASONS]))
  .allow(null)
  .required()

const raffleBody = Joi.object<PostRaffle, true>({
  channelId: Joi.string().required(),
  state: Joi.string()
    .valid(...RAFFLE_STATES)
    .required(),
  entrants: count.description('The people who have entered.'),
  winnersLimit: Joi.number().integer().min(1).required(),
  endsAt: instant.required(),
  drawnAt: instant.allow(null).required(),
  entrantsSha256: hash.description('Of the list of the entrants. Null before the draw.'),
  seedSha256: hash.description('Of the seed, from the approval of the post on.'),
  seed: hash.description('Null before the draw.'),
  winners: Joi.array()
    .items(
      Joi.object<RaffleWinner, true>({
        rank,
        conversationId: Joi.string().allow(null).required().description('Null for a person who was forgotten.'),
        name: Joi.string().allow(null, '').required(),
        told,
        way: Joi.string().valid('private_reply', 'message').allow(null).required(),
        reason,
      }),
    )
    .required()
    .description('Those who stand, by rank: a winner who was replaced by a redraw is not among them.'),
  losers: Joi.array()
    .items(Joi.object({ told, reason, count }))
    .required()
    .description('The messages to those who did not win, counted.'),
  redraws: Joi.array()
    .items(
      Joi.object<RaffleRedraw, true>({
        rank: rank.description('The rank that won no longer.'),
        newRank: rank.description('The next one, which won in its place.'),
        reason: Joi.string().required(),
        at: instant.required(),
      }),
    )
    .required(),
}).label('PostRaffle')

/** The raffles of a post, by channel. Idempotent. */
export const listRaffles = operation({
  operationId: 'listRaffles',
  summary: 'List the raffles of a post with their entrants, and once they are drawn with their winners and the proof.',
  description:
    'For publishing the hash of the seed before anyone enters, and for who has won, who was told, and whom a human has to tell. Costs a count over the entrants.',
  method: 'GET',
  path: '/scheduled-posts/{scheduledPostId}/raffles',
  surfaces: ['v1', 'operator', 'console'],
  permission: 'posts:read',
  answers: [200, 404],
  params: scheduledPostParams,
  success: Joi.object<PostRaffles, true>({ items: Joi.array().items(raffleBody).required() }),
  async handle({ params: { scheduledPostId }, principal: { organizationId }, meter }, { database, clock, chanceKey }) {
    await requireScheduledPost(database, organizationId, scheduledPostId)
    const items: PostRaffle[] = []
    for (const row of await listRaffleRows(database, organizationId, scheduledPostId)) {
      const raffle = await toBody(database, row, { nowMs: clock.now(), chanceKey })
      if (raffle !== null) items.push(raffle)
    }
    meter.rows = items.length
    return ok({ items })
  },
})

/** Null for a channel without a raffle. */
async function toBody(
  database: Queryable,
  row: RaffleRow,
  { nowMs, chanceKey }: { nowMs: number; chanceKey: Buffer },
): Promise<PostRaffle | null> {
  const rule = parseRule(row.superpower ?? {}).raffle
  const endsAtMs = row.ends_at?.getTime() ?? rule?.endsAtMs
  const winnersLimit = row.winners_max ?? rule?.winnersMax
  if (endsAtMs === undefined || winnersLimit === undefined) return null
  const winners = row.drawn_at === null ? [] : await listWinners(database, row)
  const losers = row.drawn_at === null ? [] : await countLosers(database, row)
  const isPublished = STATUS_RULES[row.status].isApproved
  return {
    channelId: row.channel_id,
    state: findState(row, endsAtMs, nowMs),
    entrants: row.entrants,
    winnersLimit,
    endsAt: new Date(endsAtMs).toISOString(),
    drawnAt: row.drawn_at?.toISOString() ?? null,
    entrantsSha256: row.entrants_sha256,
    seedSha256: isPublished ? sha256(row.seed ?? seedOf(chanceKey, row)) : null,
    seed: row.seed,
    winners: findStanding(winners).map((winner) => ({
      ...{ rank: winner.rank, conversationId: winner.conversation_id, name: winner.from_name },
      ...toTold(winner),
    })),
    losers: losers.map((loser) => {
      const { told, reason } = toTold(loser)
      return { told, reason, count: loser.count }
    }),
    redraws: toRedraws(winners).map(({ entrant: _, ...redraw }) => redraw),
  }
}

function findState(row: RaffleRow, endsAtMs: number, nowMs: number): RaffleState {
  if (row.drawn_at !== null) return 'drawn'
  const isStopped = row.stopped_at !== null && row.stopped_at.getTime() < endsAtMs
  if (row.cancelled_at !== null || isStopped) return 'cancelled'
  if (!row.is_out) return 'planned'
  return nowMs < endsAtMs ? 'open' : 'ended'
}
