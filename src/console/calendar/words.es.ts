import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

export const words: typeof english = {
  title: 'Calendario',
  view: 'Vista',
  views: { month: 'Mes', week: 'Semana', list: 'Lista' },
  before: (isWeek) => (isWeek ? 'Semana anterior' : 'Mes anterior'),
  after: (isWeek) => (isWeek ? 'Semana siguiente' : 'Mes siguiente'),
  today: 'Hoy',
  week: (first, last) => `${first} – ${last}`,
  channel: 'Canal',
  allChannels: 'Todos los canales',
  status: 'Estado',
  allStatuses: 'Todos los estados',
  zone: (zone) => `Todas las horas son de ${zone}.`,
  day: (day, many) => (many === 0 ? day : `${day}, ${count(many, 'publicación', 'publicaciones')}`),
  moreOnDay: (many) => `${number(many)} más`,
  empty: 'Aquí no hay publicaciones. Elige otro mes u otros filtros.',
  move: 'Mover',
  moveOne: (name) => `Mover «${name}»`,
  moveTitle: 'Mover la publicación',
  moved: (time) => `Movida a ${time}.`,
  movedBack: 'Devuelta a su sitio.',
  changedMeanwhile: 'No se ha movido nada: la publicación ha cambiado hace un momento. Mírala e inténtalo de nuevo.',
  keyboardHint: 'Las flechas cambian de día; Tab lleva a las publicaciones de un día.',
}
