import Joi from 'joi'
import type { Config } from '../../config/index.js'
import type { Queryable } from '../../database/database.js'
import { named, namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { EFFECT_REASONS } from '../../interface/automation.js'
import type { PostRaffle, RaffleBeacon, RaffleState } from '../../interface/generated/types.js'
import { beaconRoundOf, beaconTimeOf, sha256 } from '../../lib/raffle-proof.js'
import { STATUS_RULES } from '../../posts/lifecycle.js'
import { requireScheduledPost } from '../../posts/scheduled-posts.store.js'
import { parseRule } from '../../superpowers/rule.js'
import { chainOf } from './beacon.js'
import { findStanding, leftOutBody, redrawBody, toBeaconValue, toRedraws, toTold } from './raffle-body.js'
import { countLosers, listRaffleRows, listWinners, type RaffleRow } from './raffles.store.js'
import { seedOf } from './secrets.js'

const rank = Joi.number().integer().min(1).required()
const count = Joi.number().integer().min(0).required()
const instant = Joi.string().isoDate()
const hash = Joi.string().hex().length(64).allow(null).required()
const told = named('ToldState', Joi.string().valid('waiting', 'told', 'not_told', 'unknown'))
  .required()
  .description(
    '`not_told`: a human has to write; the reason says why no message could be sent. `unknown`: the answer of the platform was lost.',
  )
/** The reasons for which no message to an entrant was planned. Those of effects hold too. */
const UNTOLD_REASONS = [
  // The superpower has none.
  'no_message',
  // The one private reply of each comment was used, and the person wrote no message within 24 hours.
  'private_reply_used',
  // The comments are older than 7 days, and the person wrote no message within 24 hours.
  'window',
  'opted_out',
  // A human answered the comment by which the person entered.
  'human_first',
  'person_forgotten',
]
const reason = named('UntoldReason', Joi.string().valid(...new Set([...UNTOLD_REASONS, ...EFFECT_REASONS])))
  .allow(null)
  .required()

const raffleBody = namedObject('PostRaffle', {
  channelId: Joi.string().required(),
  state: named('RaffleState', Joi.string().valid('planned', 'open', 'ended', 'frozen', 'drawn', 'cancelled'))
    .required()
    .description(
      '`planned`: the post is not out. `ended`: the comments from before the end are read, within ten minutes. `frozen`: the list of the entrants is fixed, and the draw waits for the beacon. `cancelled`: the superpower was stopped before the end.',
    ),
  entrants: count.description('The people who have entered.'),
  winnersLimit: Joi.number().integer().min(1).required(),
  endsAt: instant.required(),
  frozenAt: instant.allow(null).required().description('When the list of the entrants was fixed.'),
  drawnAt: instant.allow(null).required(),
  entrantsSha256: hash.description('Of the list of the entrants. Null until it is fixed.'),
  leftOut: leftOutBody,
  beacon: namedObject('RaffleBeacon', {
    chain: Joi.string().hex().length(64).required().description('The chain of drand, by its hash.'),
    round: rank.description('The first one from a quarter of an hour after the end on.'),
    at: instant.required().description('When the value of the round is published.'),
    signature: Joi.string().hex().length(96).allow(null).required(),
    randomness: hash.description('The value: SHA-256 of the signature. Null until it is fetched.'),
    problem: Joi.string()
      .allow(null)
      .required()
      .description('Why it could not be fetched the last time: the draw waits.'),
  })
    .allow(null)
    .required()
    .description(
      'The public beacon that decides the draw with the seed, as the approval names it. Null: the seed alone decides.',
    ),
  seedSha256: hash.description('Of the seed, from the approval of the post on.'),
  seed: hash.description('Null before the draw.'),
  winners: Joi.array()
    .items(
      namedObject('RaffleWinner', {
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
    .items(named('LoserCount', Joi.object({ told, reason, count })))
    .required()
    .description('The messages to those who did not win, counted.'),
  redraws: Joi.array().items(redrawBody).required(),
})

/** The raffles of a post, by channel. Idempotent. */
export const listRaffles = operation({
  operationId: 'listRaffles',
  summary: 'List the raffles of a post with their entrants, and once they are drawn with their winners and the proof.',
  description:
    'For publishing the hash of the seed before anyone enters, and for who has won, who was told, and whom a human has to tell. Costs a count over the entrants.',
  route: 'GET /scheduled-posts/{scheduledPostId}/raffles',
  surfaces: ['v1', 'api'],
  permission: 'posts:read',
  answers: [200, 404],
  success: namedObject('PostRaffles', { items: Joi.array().items(raffleBody).required() }),
  async handle(
    { params: { scheduledPostId }, principal: { organizationId }, meter },
    { database, clock, config, chanceKey },
  ) {
    await requireScheduledPost(database, organizationId, scheduledPostId)
    const items: PostRaffle[] = []
    for (const row of await listRaffleRows(database, organizationId, scheduledPostId)) {
      const raffle = await toBody(database, row, { nowMs: clock.now(), config, chanceKey })
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
  { nowMs, config, chanceKey }: { nowMs: number; config: Config; chanceKey: Buffer },
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
    frozenAt: (row.frozen_at ?? row.drawn_at)?.toISOString() ?? null,
    drawnAt: row.drawn_at?.toISOString() ?? null,
    entrantsSha256: row.entrants_sha256,
    leftOut: row.left_out ?? [],
    beacon: toBeacon(row, endsAtMs, config),
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

/** That of the approved version; before the approval the one that it would name. */
function toBeacon(row: RaffleRow, endsAtMs: number, config: Config): RaffleBeacon | null {
  const chain = chainOf(config)
  const { isApproved } = STATUS_RULES[row.status]
  const named = isApproved ? row.approved_beacon : config.automation.beacon && chain.hash
  const hash = row.ends_at === null ? named : row.beacon_chain
  if (hash === null) return null
  const round = row.beacon_round ?? beaconRoundOf(chain, endsAtMs)
  const value = toBeaconValue(row)
  return {
    ...{ chain: hash, round, at: beaconTimeOf(chain, round), problem: row.beacon_problem },
    ...{ signature: value?.signature ?? null, randomness: value?.randomness ?? null },
  }
}

function findState(row: RaffleRow, endsAtMs: number, nowMs: number): RaffleState {
  if (row.drawn_at !== null) return 'drawn'
  const isStopped = row.stopped_at !== null && row.stopped_at.getTime() < endsAtMs
  if (row.cancelled_at !== null || isStopped) return 'cancelled'
  if (!row.is_out) return 'planned'
  if (row.frozen_at !== null) return 'frozen'
  return nowMs < endsAtMs ? 'open' : 'ended'
}
