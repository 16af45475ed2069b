import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

export const words: typeof english = {
  title: 'Calendário',
  view: 'Visão',
  views: { month: 'Mês', week: 'Semana', list: 'Lista' },
  before: (isWeek) => (isWeek ? 'Semana anterior' : 'Mês anterior'),
  after: (isWeek) => (isWeek ? 'Próxima semana' : 'Próximo mês'),
  today: 'Hoje',
  week: (first, last) => `${first} – ${last}`,
  channel: 'Canal',
  allChannels: 'Todos os canais',
  status: 'Situação',
  allStatuses: 'Todas as situações',
  zone: (zone) => `Todos os horários são de ${zone}.`,
  day: (day, many) => (many === 0 ? day : `${day}, ${count(many, 'publicação', 'publicações')}`),
  moreOnDay: (many) => `mais ${number(many)}`,
  empty: 'Não há publicações aqui. Escolha outro mês ou outros filtros.',
  move: 'Mover',
  moveOne: (name) => `Mover “${name}”`,
  moveTitle: 'Mover a publicação',
  moved: (time) => `Movida para ${time}.`,
  movedBack: 'Movida de volta.',
  changedMeanwhile: 'Nada foi movido: a publicação mudou há um momento. Veja-a e tente de novo.',
  keyboardHint: 'As setas mudam de dia; Tab leva às publicações de um dia.',
}
