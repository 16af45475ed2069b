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
  movedMany: (many) => `${count(many, 'publicación movida', 'publicaciones movidas')}.`,
  movedBack: 'Devuelta a su sitio.',
  changedMeanwhile: 'No se ha movido nada: la publicación ha cambiado hace un momento. Mírala e inténtalo de nuevo.',
  changed: 'ha cambiado hace un momento',
  timePast: 'esa hora ya ha pasado',
  timeNever: 'allí el reloj salta esa hora',
  timeTwice: 'allí el reloj marca esa hora dos veces: muévela por separado',
  refusedOne: (name, reason) => `«${name}»: ${reason.replace(/\.$/, '')}`,
  notMoved: (refused) =>
    `${count(refused.length, 'publicación no se ha movido', 'publicaciones no se han movido')}. ${refused.join('; ')}.`,
  notMovedBack: (refused) =>
    `${count(refused.length, 'publicación no ha vuelto', 'publicaciones no han vuelto')} a su sitio. ${refused.join('; ')}.`,
  keyboardHint:
    'Las flechas cambian de día; Tab lleva a las publicaciones de un día. C, o Intro en un día vacío, empieza una publicación; M mueve una y X la marca.',
  newOn: (day) => `Nueva publicación: ${day}`,
  newAtSlot: 'Nueva publicación:',
  planOne: (name) => `Planificar «${name}»`,
  plan: 'Planificar…',
  planTitle: 'Planificar la publicación',
  planSubmit: 'Planificar',
  tray: 'Sin hora',
  trayHint: 'Arrastra una a un día o planifícala. Un borrador que se suelta aquí sale del calendario.',
  trayEmpty: 'Todas las publicaciones tienen hora. Un borrador que se suelta aquí sale del calendario.',
  takeOut: 'Sacarla del calendario',
  takenOut: (name) => `«${name}» ya no tiene hora.`,
  takeOutRefused: (status) =>
    `Solo un borrador o una publicación devuelta puede estar sin hora. El estado de esta: ${status}.`,
  video: 'Vídeo',
  crowded: 'A menos de una hora de otra publicación del canal',
  selectOne: (name) => `Seleccionar «${name}»`,
  selection: 'Publicaciones seleccionadas',
  selected: (many) => `${count(many, 'publicación seleccionada', 'publicaciones seleccionadas')}.`,
  shiftBy: (days) =>
    ({ '-7': 'Una semana antes', '-1': 'Un día antes', '1': 'Un día después', '7': 'Una semana después' })[days] ?? '',
  shiftDays: 'Días',
  shift: 'Mover estos días',
  clearSelection: 'Quitar la selección',
  search: 'Buscar en textos y notas',
  found: (many, max) =>
    many < max
      ? `${count(many, 'publicación encontrada', 'publicaciones encontradas')}, de cualquier fecha.`
      : `Las primeras ${count(many, 'publicación encontrada', 'publicaciones encontradas')}, de cualquier fecha.`,
  foundNone: 'Ninguna publicación tiene esto en su texto o en sus notas.',
  tools: 'Más',
  feed: 'Mostrar en mi programa de calendario…',
  slots: 'Huecos de publicación…',
}
