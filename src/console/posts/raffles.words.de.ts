import type { EffectReason } from '../../interface/automation.ts'
import type { LeftOutReason, RaffleState, ToldState, UntoldReason } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import { words as comments } from './comments.words.ts'
import type { words as english } from './raffles.words.ts'

const { number } = common

const states: Record<RaffleState, string> = {
  planned: 'Beginnt, wenn der Beitrag erschienen ist',
  open: 'Offen',
  ended: 'Zu Ende; die Teilnehmenden stehen binnen zehn Minuten fest',
  frozen: 'Die Teilnehmenden stehen fest; die Ziehung wartet auf die öffentliche Zufallsquelle',
  drawn: 'Gelost',
  cancelled: 'Abgesagt: Die Superkraft wurde vor dem Ende gestoppt',
}

const told: Record<ToldState, string> = {
  waiting: 'die Nachricht wartet',
  told: 'benachrichtigt',
  not_told: 'nicht benachrichtigt: schreiben Sie selbst',
  unknown: 'unbekannt: die Antwort der Plattform ging verloren',
}

const untold: Record<Exclude<UntoldReason, EffectReason>, string> = {
  no_message: 'die Verlosung hat keine Nachricht für sie',
  private_reply_used: 'die eine private Antwort war verbraucht, und binnen 24 Stunden kam keine Nachricht',
}

const leftOut = (reason: LeftOutReason): string =>
  reason === 'no_part'
    ? 'der Kommentar nimmt nicht teil'
    : reason === 'person_forgotten'
      ? comments.effectReasons.person_forgotten
      : comments.comments[reason]

export const words: typeof english = {
  title: 'Verlosung',
  hint: 'Am Ende werden die Teilnehmenden festgehalten und gelost. Mit der Datei können alle die Ziehung nachprüfen.',
  states,
  told,
  reasonOf: (reason) =>
    reason in untold ? untold[reason as keyof typeof untold] : comments.effectReasons[reason as EffectReason],
  facts: (entrants, winners, ends) =>
    `${number(entrants)} nehmen teil, höchstens ${number(winners)} gewinnen, Ende ${ends}`,
  hashes: (seed, entrants) =>
    [
      ...(seed === null ? [] : [`SHA-256 des Startwerts ${seed}`]),
      ...(entrants === null ? [] : [`der Teilnehmenden ${entrants}`]),
    ].join(', '),
  beacon: (round, at) =>
    `Über die Ziehung entscheiden der Startwert und Runde ${round} der öffentlichen Zufallsquelle drand (quicknet). Ihr Wert erscheint ${at}: Vorher kann niemand wissen, wer gewinnt, auch nicht, wer den Beitrag geschrieben hat. Nicht bewiesen ist, dass alle auf der Liste stehen, die kommentiert haben.`,
  noBeacon:
    'Über die Ziehung entscheidet allein der Startwert. Nicht bewiesen ist, dass der Beitrag nicht so geschrieben wurde, dass eine bestimmte Person gewinnt: Wer den Server betreibt, kann den Startwert vorher kennen.',
  beaconProblem: (problem) => `Die Ziehung wartet, und die Zufallsquelle wird erneut gefragt: ${problem}`,
  leftOut: (groups) => `Nicht dabei: ${groups.join(', ')}`,
  leftOutFor: (people, reason) => `${number(people)} (${leftOut(reason)})`,
  winner: (rank) => `Rang ${rank}`,
  nobody: 'Niemand hat teilgenommen.',
  unnamed: 'Unbekannte Person',
  redrawn: (rank, next, reason) => `Rang ${next} hat statt Rang ${rank} gewonnen: ${reason}`,
  save: 'Datei zum Nachprüfen speichern',
  redraw: 'Neu ziehen',
  redrawTitle: (name) => `Statt ${name} jemand anderen ziehen?`,
  redrawText: 'Der nächste Rang gewinnt, und der Grund bleibt bei der Verlosung.',
  reason: 'Grund',
  wasRedrawn: 'Der nächste Rang hat gewonnen',
}
