import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { beaconTimeOf, sha256 } from '../../lib/raffle-proof.js'
import { requireScheduledPost } from '../../posts/scheduled-posts.store.js'
import { chainOf } from './beacon.js'
import { readEntrants } from './entrants.store.js'
import { findStanding, leftOutBody, toBeaconValue, toRedraws } from './raffle-body.js'
import { findDrawnRaffle, listWinners } from './raffles.store.js'

const hex = Joi.string().hex().length(64).required()
const rank = Joi.number().integer().min(1).required()

/** A drawn raffle as anyone may have it. Idempotent. */
export const exportRaffle = operation({
  operationId: 'exportRaffle',
  summary: 'Export a drawn raffle so that anyone can verify it: it names nobody.',
  description:
    'For publishing the proof of a draw; `greenroom raffle verify` holds it against the hash that was published before. Costs one read of the entrants, and 70 bytes of the answer for each.',
  route: 'GET /scheduled-posts/{scheduledPostId}/raffles/{channelId}/export',
  surfaces: ['v1', 'api'],
  permission: 'posts:read',
  answers: [200, 404, 409],
  success: namedObject('RaffleExport', {
    version: Joi.number().valid(2).required(),
    scheduledPostId: Joi.string().required(),
    channelId: Joi.string().required(),
    endsAt: Joi.string().isoDate().required(),
    frozenAt: Joi.string().isoDate().required().description('From then on nobody entered.'),
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
      .description('The public value that the draw was made with. Null: the seed alone has decided.'),
    seed: hex,
    seedSha256: hex,
    entrants: Joi.array()
      .items(Joi.string().hex().length(64))
      .required()
      .description("HMAC of each person's id under a key that is not published, in order."),
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
