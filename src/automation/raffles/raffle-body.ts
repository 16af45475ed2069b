import Joi from 'joi'
import { named, namedObject } from '../../http/named.js'
import { COMMENT_REASONS, type EffectState } from '../../interface/automation.js'
import type { RaffleRedraw, RaffleWinner, ToldState } from '../../interface/generated/types.js'
import { randomnessOf } from '../../lib/beacon.js'
import type { ToldRow, WinnerRow } from './raffles.store.js'

const TOLD: Record<EffectState, ToldState> = {
  planned: 'waiting',
  attempting: 'waiting',
  done: 'told',
  refused: 'not_told',
  skipped: 'not_told',
  unknown: 'unknown',
}

/** The reasons of the last comment of people who did not enter. */
const LEFT_OUT_REASONS = [
  ...COMMENT_REASONS.filter((reason) => reason !== 'matched' && reason !== 'own_comment'),
  // The group that matched takes no part, or it was decided in a dry run, or before the start.
  'no_part',
  'person_forgotten',
]

export const leftOutBody = Joi.array()
  .items(
    namedObject('LeftOut', {
      reason: named('LeftOutReason', Joi.string().valid(...LEFT_OUT_REASONS)).required(),
      people: Joi.number().integer().min(1).required(),
    }),
  )
  .required()
  .description(
    'People who commented before the end and did not enter, by the reason of their last comment. Where it is not known who wrote, each comment counts as one.',
  )

const rank = Joi.number().integer().min(1).required()
export const redrawBody = namedObject('RaffleRedraw', {
  rank: rank.description('The rank that won no longer.'),
  newRank: rank.description('The next one, which won in its place.'),
  reason: Joi.string().required(),
  at: Joi.string().isoDate().required(),
})

interface BeaconRow {
  beacon_chain: string | null
  beacon_round: number | null
  beacon_signature: string | null
}

/** Returns the value that the beacon published; null if only the seed decides, or the value is not fetched yet. */
export const toBeaconValue = ({
  beacon_chain: chain,
  beacon_round: round,
  beacon_signature: signature,
}: BeaconRow): { chain: string; round: number; signature: string; randomness: string } | null =>
  chain === null || round === null || signature === null
    ? null
    : { chain, round, signature, randomness: randomnessOf(signature) }

/** The state of a message to an entrant is that of its effect. */
export function toTold({
  effect,
  state,
  reason,
  untold_reason,
}: ToldRow): Pick<RaffleWinner, 'told' | 'way' | 'reason'> {
  if (untold_reason !== null) return { told: 'not_told', way: null, reason: untold_reason }
  return { told: state === null ? 'waiting' : TOLD[state], way: effect, reason }
}

/** Those who stand: a winner who was replaced has not won. */
export function findStanding(winners: readonly WinnerRow[]): WinnerRow[] {
  const replaced = new Set(winners.map(({ replaces }) => replaces))
  return winners.filter(({ rank }) => !replaced.has(rank))
}

export const toRedraws = (winners: readonly WinnerRow[]): (RaffleRedraw & { entrant: string })[] =>
  winners.flatMap(({ rank, replaces, redraw_reason: reason, drawn_at, entrant }) =>
    replaces === null || reason === null
      ? []
      : [{ rank: replaces, newRank: rank, reason, at: drawn_at.toISOString(), entrant }],
  )
