import Joi from 'joi'
import { changeAudited } from '../../audit/audited-change.js'
import type { Config } from '../../config/index.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { COMMENT_REASONS, EFFECT_REASONS, type EffectState } from '../../interface/automation.js'
import type {
  NotificationState,
  PostRaffle,
  RaffleBeacon,
  RaffleRedraw,
  RaffleState,
  RaffleWinner,
} from '../../interface/generated/types.js'
import { randomnessOf } from '../../lib/beacon.js'
import { beaconRoundOf, beaconTimeOf, drawKeyOf, orderByLot, sha256 } from '../../lib/raffle-proof.js'
import { STATUS_RULES } from '../../posts/lifecycle.js'
import { requireScheduledPost } from '../../posts/scheduled-posts.store.js'
import { parseRule } from '../../superpowers/rule.js'
import { chainOf } from './beacon.js'
import { findLastRank, insertRedraw, isStanding, lockDrawnRaffle, readEntrants } from './draw.store.js'
import { seedOf } from './enter.js'
import {
  countLosers,
  findDrawnRaffle,
  listRaffleRows,
  listWinners,
  type MessageRow,
  type RaffleRow,
  type WinnerRow,
} from './raffles.store.js'

const NOTIFICATION: Record<EffectState, NotificationState> = {
  planned: 'waiting',
  attempting: 'waiting',
  done: 'sent',
  refused: 'not_sent',
  skipped: 'not_sent',
  unknown: 'unknown',
}

/** The reasons of the last comment of people who did not enter. */
const LEFT_OUT_REASONS = [
  ...COMMENT_REASONS.filter((reason) => reason !== 'matched' && reason !== 'own_comment'),
  // The matching group does not take part, or the decision was a dry run, or before the start.
  'no_part',
  'person_forgotten',
]

const leftOutBody = Joi.array()
  .items(
    namedObject('LeftOut', {
      reason: named('LeftOutReason', Joi.string().valid(...LEFT_OUT_REASONS)).required(),
      people: Joi.number().integer().min(1).required(),
    }),
  )
  .required()
  .description(
    'People who commented before the end but did not enter, by the reason of their last comment. A comment with an unknown author counts as one person.',
  )

const rank = Joi.number().integer().min(1).required()
const redrawBody = namedObject('RaffleRedraw', {
  rank: rank.description('The rank that was replaced.'),
  newRank: rank.description('The next rank, which won instead.'),
  reason: Joi.string().required(),
  at: Joi.string().isoDate().required(),
})

interface BeaconRow {
  beacon_chain: string | null
  beacon_round: number | null
  beacon_signature: string | null
}

/** Returns the value that the beacon published; null if only the seed decides, or the value has not been fetched yet. */
export const toBeaconValue = ({
  beacon_chain: chain,
  beacon_round: round,
  beacon_signature: signature,
}: BeaconRow): { chain: string; round: number; signature: string; randomness: string } | null =>
  chain === null || round === null || signature === null
    ? null
    : { chain, round, signature, randomness: randomnessOf(signature) }

/** A message to an entrant has the state of its effect. */
function toNotification({
  effect,
  state,
  reason,
  not_sent_reason,
}: MessageRow): Pick<RaffleWinner, 'notification' | 'way' | 'reason'> {
  if (not_sent_reason !== null) return { notification: 'not_sent', way: null, reason: not_sent_reason }
  return { notification: state === null ? 'waiting' : NOTIFICATION[state], way: effect, reason }
}

/** Returns the current winners, without those who were replaced. */
function findStanding(winners: readonly WinnerRow[]): WinnerRow[] {
  const replaced = new Set(winners.map(({ replaces }) => replaces))
  return winners.filter(({ rank }) => !replaced.has(rank))
}

const toRedraws = (winners: readonly WinnerRow[]): (RaffleRedraw & { entrant: string })[] =>
  winners.flatMap(({ rank, replaces, redraw_reason: reason, drawn_at, entrant }) =>
    replaces === null || reason === null
      ? []
      : [{ rank: replaces, newRank: rank, reason, at: drawn_at.toISOString(), entrant }],
  )

const count = Joi.number().integer().min(0).required()
const instant = Joi.string().isoDate()
const hash = Joi.string().hex().length(64).allow(null).required()
const notification = named('NotificationState', Joi.string().valid('waiting', 'sent', 'not_sent', 'unknown'))
  .required()
  .description(
    '`not_sent`: a human has to write to them; the reason says why no message could be sent. `unknown`: the answer of the platform was lost.',
  )
/** The reasons why no message to an entrant was planned. Those of effects apply too. */
const NOT_SENT_REASONS = [
  // The superpower has none.
  'no_message',
  // The one private reply of each comment was used, and the person sent no message within 24 hours.
  'private_reply_used',
  // The comments are older than 7 days, and the person sent no message within 24 hours.
  'window',
  'opted_out',
  // A human answered the comment with which the person entered.
  'human_first',
  'person_forgotten',
]
const reason = named('NotSentReason', Joi.string().valid(...new Set([...NOT_SENT_REASONS, ...EFFECT_REASONS])))
  .allow(null)
  .required()

const raffleBody = namedObject('PostRaffle', {
  channelId: Joi.string().required(),
  state: named('RaffleState', Joi.string().valid('planned', 'open', 'ended', 'frozen', 'drawn', 'cancelled'))
    .required()
    .description(
      '`planned`: the post is not published yet. `ended`: the last comments from before the end are being read, for up to ten minutes. `frozen`: the list of entrants is fixed, and the draw is waiting for the beacon. `cancelled`: the superpower was stopped before the end.',
    ),
  entrants: count.description('The people who have entered.'),
  winnersLimit: Joi.number().integer().min(1).required(),
  endsAt: instant.required(),
  frozenAt: instant.allow(null).required().description('When the list of entrants was fixed.'),
  drawnAt: instant.allow(null).required(),
  entrantsSha256: hash.description('SHA-256 of the list of entrants. Null until it is fixed.'),
  leftOut: leftOutBody,
  beacon: namedObject('RaffleBeacon', {
    chain: Joi.string().hex().length(64).required().description('The hash of the drand chain.'),
    round: rank.description('The first round at least 15 minutes after the end.'),
    at: instant.required().description('When the value of the round is published.'),
    signature: Joi.string().hex().length(96).allow(null).required(),
    randomness: hash.description('The value of the round: SHA-256 of the signature. Null until it is fetched.'),
    problem: Joi.string()
      .allow(null)
      .required()
      .description('Why the last attempt to fetch the value failed. The draw waits for it.'),
  })
    .allow(null)
    .required()
    .description(
      'The public beacon that decides the draw together with the seed, as named in the approval. Null if only the seed decides.',
    ),
  seedSha256: hash.description('SHA-256 of the seed, available once the post is approved.'),
  seed: hash.description('Null before the draw.'),
  winners: Joi.array()
    .items(
      namedObject('RaffleWinner', {
        rank,
        conversationId: Joi.string().allow(null).required().description('Null for a person who was forgotten.'),
        name: Joi.string().allow(null, '').required(),
        notification,
        way: Joi.string().valid('private_reply', 'message').allow(null).required(),
        reason,
      }),
    )
    .required()
    .description('The current winners by rank, without those that a redraw replaced.'),
  losers: Joi.array()
    .items(named('LoserCount', Joi.object({ notification, reason, count })))
    .required()
    .description('The people who did not win, counted by what became of their message.'),
  redraws: Joi.array().items(redrawBody).required(),
})

/** List the raffles of a post, by channel. Idempotent. */
export const listRaffles = operation({
  operationId: 'listRaffles',
  summary: 'List the raffles of a post with the number of entrants and, after the draw, the winners and the proof.',
  description:
    'Use it to publish the hash of the seed before anyone enters, and to see who won, who got a message, and who still needs one from a human. Costs a count over the entrants.',
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

/** Returns null for a channel without a raffle. */
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
      ...toNotification(winner),
    })),
    losers: losers.map((loser) => {
      const { notification, reason } = toNotification(loser)
      return { notification, reason, count: loser.count }
    }),
    redraws: toRedraws(winners).map(({ entrant: _, ...redraw }) => redraw),
  }
}

/** Returns the beacon of the approved version; before the approval, the one that it would name. */
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

const hex = Joi.string().hex().length(64).required()

/** Export a drawn raffle in a form that anyone may have. Idempotent. */
export const exportRaffle = operation({
  operationId: 'exportRaffle',
  summary: 'Export a drawn raffle so that anyone can verify it. It names nobody.',
  description:
    'Use it to publish the proof of a draw; `greenroom raffle verify` checks it against the hash published earlier. Costs one read of the entrants; each adds 70 bytes to the answer.',
  route: 'GET /scheduled-posts/{scheduledPostId}/raffles/{channelId}/export',
  surfaces: ['v1', 'api'],
  permission: 'posts:read',
  answers: [200, 404, 409],
  success: namedObject('RaffleExport', {
    version: Joi.number().valid(2).required(),
    scheduledPostId: Joi.string().required(),
    channelId: Joi.string().required(),
    endsAt: Joi.string().isoDate().required(),
    frozenAt: Joi.string().isoDate().required().description('After this time nobody could enter.'),
    drawnAt: Joi.string().isoDate().required(),
    winnersLimit: rank,
    beacon: named(
      'UsedBeacon',
      Joi.object({
        chain: hex,
        round: rank,
        at: Joi.string().isoDate().required().description('When the value was published.'),
        signature: Joi.string().hex().length(96).required(),
        randomness: hex,
      }),
    )
      .allow(null)
      .required()
      .description('The public value used in the draw. Null if only the seed decided.'),
    seed: hex,
    seedSha256: hex,
    entrants: Joi.array()
      .items(Joi.string().hex().length(64))
      .required()
      .description("The HMAC of each person's id under an unpublished key, in order."),
    entrantsSha256: hex,
    leftOut: leftOutBody,
    winners: Joi.array()
      .items(named('ExportedWinner', Joi.object({ rank, entrant: hex })))
      .required(),
    redraws: Joi.array()
      .items(named('ExportedRedraw', Joi.object({ rank, newRank: rank, entrant: hex })))
      .required(),
  }),
  async handle({ params: { scheduledPostId, channelId }, principal: { organizationId }, meter }, { database, config }) {
    await requireScheduledPost(database, organizationId, scheduledPostId)
    const post = { organization_id: organizationId, scheduled_post_id: scheduledPostId, channel_id: channelId }
    const raffle = await findDrawnRaffle(database, post)
    if (raffle === undefined) throw new ApiError('raffle_not_drawn')
    const beacon = toBeaconValue(raffle)
    const winners = await listWinners(database, post)
    const entrants = await readEntrants(database, post)
    meter.rows = entrants.length
    return ok({
      version: 2,
      scheduledPostId,
      channelId,
      endsAt: raffle.ends_at.toISOString(),
      frozenAt: (raffle.frozen_at ?? raffle.drawn_at).toISOString(),
      drawnAt: raffle.drawn_at.toISOString(),
      winnersLimit: raffle.winners_max,
      beacon: beacon && { ...beacon, at: beaconTimeOf(chainOf(config), beacon.round) },
      seed: raffle.seed,
      seedSha256: sha256(raffle.seed),
      entrants,
      entrantsSha256: raffle.entrants_sha256,
      leftOut: raffle.left_out ?? [],
      winners: findStanding(winners).map(({ rank, entrant }) => ({ rank, entrant })),
      // Reasons are written for people, and may name someone.
      redraws: toRedraws(winners).map(({ rank, newRank, entrant }) => ({ rank, newRank, entrant })),
    })
  },
})

const standingRank = Joi.number().integer().min(1).max(2_147_483_647).required()

/** Let the next rank win instead of another. A repeat is refused, because the rank it names is no longer current. */
export const redrawRaffle = operation({
  operationId: 'redrawRaffle',
  summary: 'Replace a winner of a raffle by the next rank, with a reason.',
  description:
    'Use it if a winner is not eligible or cannot be reached. The seed and the beacon of the draw decide who is next: nobody can choose. The new winner gets the same message as the others. Costs one read of the entrants.',
  route: 'POST /scheduled-posts/{scheduledPostId}/raffles/{channelId}/redraw',
  permission: 'automation:manage',
  answers: [200, 404, 409],
  body: namedObject('RaffleRedrawRequest', {
    rank: standingRank.description('The rank of a current winner.'),
    reason: Joi.string().trim().max(500).required().description('Why the winner cannot win. The raffle shows it.'),
  }),
  success: redrawBody,
  async handle({ params: { scheduledPostId, channelId }, body, principal }, context) {
    const { organizationId } = principal
    const { rank: replaces, reason } = body
    await requireScheduledPost(context.database, organizationId, scheduledPostId)
    const post = { organization_id: organizationId, scheduled_post_id: scheduledPostId, channel_id: channelId }
    const at = new Date(context.clock.now())
    const newRank = await changeAudited(context, principal, 'redrawRaffle', async (tx, record) => {
      const raffle = await lockDrawnRaffle(tx, post)
      if (raffle === undefined) throw new ApiError('raffle_not_drawn')
      if (!(await isStanding(tx, post, replaces))) throw new ApiError('winner_not_found')
      const last = await findLastRank(tx, post)
      const entrant = (await orderByLot(drawKeyOf(raffle.seed, toBeaconValue(raffle)), await readEntrants(tx, post)))[
        last
      ]
      if (entrant === undefined) throw new ApiError('nobody_left')
      await insertRedraw(tx, post, { rank: last + 1, entrant, replaces, reason, at })
      await record('superpower', `${scheduledPostId}/${channelId}`, {
        rank: replaces,
        newRank: last + 1,
        reason,
      })
      return last + 1
    })
    return ok({ rank: replaces, newRank, reason, at: at.toISOString() })
  },
})
