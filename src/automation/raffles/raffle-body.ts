import type { EffectState, RaffleRedraw, RaffleWinner, ToldState } from '../../interface/automation.js'
import type { ToldRow, WinnerRow } from './raffles.store.js'

const TOLD: Record<EffectState, ToldState> = {
  planned: 'waiting',
  attempting: 'waiting',
  done: 'told',
  refused: 'not_told',
  skipped: 'not_told',
  unknown: 'unknown',
}

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
