import type { EffectReason } from '../../interface/automation.ts'
import type { LeftOutReason, RaffleState, ToldState, UntoldReason } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import { words as comments } from './comments.words.ts'
import type { words as english } from './raffles.words.ts'

const { count } = common

const states: Record<RaffleState, string> = {
  planned: 'Empieza cuando salga la publicación',
  open: 'Abierto',
  ended: 'Terminado; los participantes se fijan en diez minutos como máximo',
  frozen: 'Los participantes están fijados; el sorteo espera a la fuente pública de azar',
  drawn: 'Sorteado',
  cancelled: 'Cancelado: el superpoder se detuvo antes del final',
}

const told: Record<ToldState, string> = {
  waiting: 'el mensaje espera',
  told: 'avisado',
  not_told: 'sin avisar: escríbele tú',
  unknown: 'desconocido: la respuesta de la plataforma se perdió',
}

const untold: Record<Exclude<UntoldReason, EffectReason>, string> = {
  no_message: 'el sorteo no tiene ningún mensaje para ellos',
  private_reply_used: 'la única respuesta privada se usó, y la persona no escribió nada en 24 horas',
}

const leftOut = (reason: LeftOutReason): string =>
  reason === 'no_part'
    ? 'su comentario no participa'
    : reason === 'person_forgotten'
      ? comments.effectReasons.person_forgotten
      : comments.comments[reason]

export const words: typeof english = {
  title: 'Sorteo',
  hint: 'Al final se fijan los participantes y se sortea. Cualquiera puede comprobar el sorteo con su archivo.',
  states,
  told,
  reasonOf: (reason) =>
    reason in untold ? untold[reason as keyof typeof untold] : comments.effectReasons[reason as EffectReason],
  facts: (entrants, winners, ends) =>
    `${count(entrants, 'participante')}, como máximo ${count(winners, 'ganador', 'ganadores')}, termina ${ends}`,
  hashes: (seed, entrants) =>
    [
      ...(seed === null ? [] : [`SHA-256 de la semilla ${seed}`]),
      ...(entrants === null ? [] : [`de los participantes ${entrants}`]),
    ].join(', '),
  beacon: (round, at) =>
    `Deciden el sorteo la semilla y la ronda ${round} de la fuente pública de azar drand (quicknet). Su valor se publica ${at}: antes nadie puede saber quién gana, tampoco quien escribió la publicación. No queda probado que estén en la lista todos los que comentaron.`,
  noBeacon:
    'Solo la semilla decide el sorteo. No queda probado que la publicación no se escribiera para que ganara una persona concreta: quien administra el servidor puede conocer la semilla antes.',
  beaconProblem: (problem) => `El sorteo espera, y se vuelve a preguntar a la fuente: ${problem}`,
  leftOut: (groups) => `No participan: ${groups.join(', ')}`,
  leftOutFor: (people, reason) => `${people} (${leftOut(reason)})`,
  winner: (rank) => `Puesto ${rank}`,
  nobody: 'No participó nadie.',
  unnamed: 'Persona desconocida',
  redrawn: (rank, next, reason) => `El puesto ${next} ganó en lugar del puesto ${rank}: ${reason}`,
  save: 'Guardar el archivo para comprobarlo',
  redraw: 'Sortear otro ganador',
  redrawTitle: (name) => `¿Sortear otro ganador en lugar de ${name}?`,
  redrawText: 'Gana el puesto siguiente, y el motivo queda con el sorteo.',
  reason: 'Motivo',
  wasRedrawn: 'Ha ganado el puesto siguiente',
}
