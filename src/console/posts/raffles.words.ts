import type { EffectReason } from '../../interface/automation.ts'
import type { LeftOutReason, RaffleState, ToldState, UntoldReason } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import { words as comments } from './comments.words.ts'

const { count } = common

const states: Record<RaffleState, string> = {
  planned: 'Begins when the post is out',
  open: 'Open',
  ended: 'Ended; the entrants are fixed within ten minutes',
  frozen: 'The entrants are fixed; the draw waits for the public beacon',
  drawn: 'Drawn',
  cancelled: 'Cancelled: the superpower was stopped before the end',
}

const told: Record<ToldState, string> = {
  waiting: 'the message waits',
  told: 'told',
  not_told: 'not told: write to them yourself',
  unknown: 'unknown: the answer of the platform was lost',
}

const untold: Record<Exclude<UntoldReason, EffectReason>, string> = {
  no_message: 'the raffle has no message for them',
  private_reply_used: 'the one private reply was used, and they wrote nothing within 24 hours',
}

const leftOut = (reason: LeftOutReason): string =>
  reason === 'no_part'
    ? 'their comment takes no part'
    : reason === 'person_forgotten'
      ? comments.effectReasons.person_forgotten
      : comments.comments[reason]

export const words = {
  title: 'Raffle',
  hint: 'Entrants are frozen and drawn at the end. Anyone can verify the draw by its file.',
  states,
  told,
  reasonOf: (reason: UntoldReason | EffectReason): string =>
    reason in untold ? untold[reason as keyof typeof untold] : comments.effectReasons[reason as EffectReason],
  facts: (entrants: number, winners: number, ends: string): string =>
    `${count(entrants, 'entrant')}, ${count(winners, 'winner')} at most, ends ${ends}`,
  hashes: (seed: string | null, entrants: string | null): string =>
    [
      ...(seed === null ? [] : [`SHA-256 of the seed ${seed}`]),
      ...(entrants === null ? [] : [`of the entrants ${entrants}`]),
    ].join(', '),
  beacon: (round: number, at: string): string =>
    `The seed and round ${round} of the public beacon drand (quicknet) decide the draw. The value is published ${at}: before that nobody can know who wins, not even the author of the post. Not proven: that everybody who commented is on the list.`,
  noBeacon:
    'The seed alone decides the draw. Not proven: that the post was not written so that a certain person wins, because the operator of the server can know the seed before.',
  beaconProblem: (problem: string): string => `The draw waits, and the beacon is asked again: ${problem}`,
  leftOut: (groups: readonly string[]): string => `Not entered: ${groups.join(', ')}`,
  leftOutFor: (people: number, reason: LeftOutReason): string => `${people} (${leftOut(reason)})`,
  winner: (rank: number): string => `Rank ${rank}`,
  nobody: 'Nobody entered.',
  unnamed: 'Unknown person',
  redrawn: (rank: number, next: number, reason: string): string =>
    `Rank ${next} won in place of rank ${rank}: ${reason}`,
  save: 'Save the file to verify',
  redraw: 'Draw another winner',
  redrawTitle: (name: string): string => `Draw another winner in place of ${name}?`,
  redrawText: 'The next rank wins, and the reason stays with the raffle.',
  reason: 'Reason',
  wasRedrawn: 'The next rank has won',
}
