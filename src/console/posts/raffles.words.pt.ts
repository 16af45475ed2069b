import type { EffectReason } from '../../interface/automation.ts'
import type { LeftOutReason, RaffleState, ToldState, UntoldReason } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import { words as comments } from './comments.words.ts'
import type { words as english } from './raffles.words.ts'

const { count } = common

const states: Record<RaffleState, string> = {
  planned: 'Começa quando a publicação sair',
  open: 'Aberto',
  ended: 'Encerrado; os participantes são fixados em até dez minutos',
  frozen: 'Os participantes estão fixados; o sorteio aguarda a fonte pública de acaso',
  drawn: 'Sorteado',
  cancelled: 'Cancelado: o superpoder foi parado antes do fim',
}

const told: Record<ToldState, string> = {
  waiting: 'a mensagem aguarda',
  told: 'avisado',
  not_told: 'não avisado: escreva você mesmo',
  unknown: 'desconhecido: a resposta da plataforma se perdeu',
}

const untold: Record<Exclude<UntoldReason, EffectReason>, string> = {
  no_message: 'o sorteio não tem mensagem para eles',
  private_reply_used: 'a única resposta privada foi usada, e a pessoa não escreveu nada em 24 horas',
}

const leftOut = (reason: LeftOutReason): string =>
  reason === 'no_part'
    ? 'o comentário não participa'
    : reason === 'person_forgotten'
      ? comments.effectReasons.person_forgotten
      : comments.comments[reason]

export const words: typeof english = {
  title: 'Sorteio',
  hint: 'Os participantes são fixados e sorteados no fim. Qualquer um pode verificar o sorteio pelo arquivo dele.',
  states,
  told,
  reasonOf: (reason) =>
    reason in untold ? untold[reason as keyof typeof untold] : comments.effectReasons[reason as EffectReason],
  facts: (entrants, winners, ends) =>
    `${count(entrants, 'participante')}, no máximo ${count(winners, 'ganhador', 'ganhadores')}, termina ${ends}`,
  hashes: (seed, entrants) =>
    [
      ...(seed === null ? [] : [`SHA-256 da semente ${seed}`]),
      ...(entrants === null ? [] : [`dos participantes ${entrants}`]),
    ].join(', '),
  beacon: (round, at) =>
    `A semente e a rodada ${round} da fonte pública de acaso drand (quicknet) decidem o sorteio. O valor é publicado ${at}: antes disso ninguém pode saber quem ganha, nem quem escreveu a publicação. Não fica provado que todos os que comentaram estão na lista.`,
  noBeacon:
    'Só a semente decide o sorteio. Não fica provado que a publicação não foi escrita para que certa pessoa ganhe: quem administra o servidor pode conhecer a semente antes.',
  beaconProblem: (problem) => `O sorteio aguarda, e a fonte é consultada de novo: ${problem}`,
  leftOut: (groups) => `Não participam: ${groups.join(', ')}`,
  leftOutFor: (people, reason) => `${people} (${leftOut(reason)})`,
  winner: (rank) => `Posição ${rank}`,
  nobody: 'Ninguém participou.',
  unnamed: 'Pessoa desconhecida',
  redrawn: (rank, next, reason) => `A posição ${next} ganhou no lugar da posição ${rank}: ${reason}`,
  save: 'Salvar o arquivo para verificar',
  redraw: 'Sortear outro ganhador',
  redrawTitle: (name) => `Sortear outro ganhador no lugar de ${name}?`,
  redrawText: 'A próxima posição ganha, e o motivo fica com o sorteio.',
  reason: 'Motivo',
  wasRedrawn: 'A próxima posição ganhou',
}
