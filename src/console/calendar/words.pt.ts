import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common
const posts = (many: number): string => count(many, 'publicação', 'publicações')

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
  day: (day, many) => (many === 0 ? day : `${day}, ${posts(many)}`),
  moreOnDay: (many) => `mais ${number(many)}`,
  empty: 'Não há publicações aqui. Escolha outro mês ou outros filtros.',
  move: 'Mover',
  moveOne: (name) => `Mover “${name}”`,
  moveTitle: 'Mover a publicação',
  moved: (time) => `Movida para ${time}.`,
  movedMany: (many) => `${posts(many)} ${many === 1 ? 'movida' : 'movidas'}.`,
  movedBack: 'Movida de volta.',
  changedMeanwhile: 'Nada foi movido: a publicação mudou há um momento. Veja-a e tente de novo.',
  changed: 'ela mudou há um momento',
  timePast: 'esse horário já passou',
  timeNever: 'nesse dia o relógio pula esse horário',
  timeTwice: 'nesse dia o relógio mostra esse horário duas vezes: mova-a separadamente',
  refusedOne: (name, reason) => `“${name}”: ${reason.replace(/\.$/, '')}`,
  notMoved: (refused) =>
    `${posts(refused.length)} ${refused.length === 1 ? 'não movida' : 'não movidas'}. ${refused.join('; ')}.`,
  notMovedBack: (refused) =>
    `${posts(refused.length)} ${refused.length === 1 ? 'não movida' : 'não movidas'} de volta. ${refused.join('; ')}.`,
  keyboardHint:
    'As setas mudam de dia; Tab leva às publicações de um dia. C, ou Enter em um dia vazio, começa uma publicação; M move uma, e X a marca.',
  newOn: (day) => `Nova publicação em ${day}`,
  newAtSlot: 'Nova publicação em',
  planOne: (name) => `Planejar “${name}”`,
  plan: 'Planejar…',
  planTitle: 'Planejar a publicação',
  planSubmit: 'Planejar',
  tray: 'Sem horário',
  trayHint: 'Arraste uma publicação para um dia ou planeje-a. Um rascunho solto aqui sai do calendário.',
  trayEmpty: 'Todas as publicações têm um horário. Um rascunho solto aqui sai do calendário.',
  takeOut: 'Tirar do calendário',
  takenOut: (name) => `“${name}” agora não tem horário.`,
  takeOutRefused: (status) =>
    `Só um rascunho ou uma publicação devolvida pode ficar sem horário. A situação desta: ${status}.`,
  video: 'Vídeo',
  crowded: 'A menos de uma hora de outra publicação no canal',
  selectOne: (name) => `Selecionar “${name}”`,
  selection: 'Publicações selecionadas',
  selected: (many) => `${posts(many)} ${many === 1 ? 'selecionada' : 'selecionadas'}.`,
  shiftBy: (days) =>
    ({ '-7': 'Uma semana antes', '-1': 'Um dia antes', '1': 'Um dia depois', '7': 'Uma semana depois' })[days] ?? '',
  shiftDays: 'Dias',
  shift: 'Mover por estes dias',
  clearSelection: 'Limpar',
  search: 'Buscar em textos e notas',
  found: (many, max) =>
    many < max
      ? `${posts(many)} ${many === 1 ? 'encontrada' : 'encontradas'}, em qualquer data.`
      : `${many === 1 ? 'A primeira publicação encontrada' : `As primeiras ${number(many)} publicações encontradas`}, em qualquer data.`,
  foundNone: 'Nenhuma publicação tem isto no texto nem nas notas.',
  tools: 'Mais',
  feed: 'Mostrar no meu programa de calendário…',
  slots: 'Horários de publicação…',
}
