import { common } from '../words.ts'
import type { words as english, differenceWords as englishDifference } from './words.ts'

const { count, number } = common
const posts = (many: number): string => count(many, 'publicación', 'publicaciones')

export const words: typeof english = {
  title: 'Aprobaciones',
  lead: (many) =>
    many === 0
      ? ''
      : `${many === 1 ? '1 publicación espera' : `${number(many)} publicaciones esperan`} una decisión, primero la más próxima.`,
  emptyTitle: 'No hay nada que te espere',
  empty: 'Cuando alguien pida aprobar una publicación, aparecerá aquí por sí sola.',
  list: 'Publicaciones a la espera de aprobación',
  choose: 'Elige una publicación para leerla',
  chooseSoonest: 'Leer la más próxima',
  back: 'Todas las que esperan',
  goneNow: (status) => `Esta publicación ya no espera: ahora está «${status.toLowerCase()}».`,
  approve: 'Aprobar',
  return: 'Devolver…',
  edit: 'Editar',
  next: 'Siguiente',
  select: (text) => `Seleccionar «${text}»`,
  selected: (many) => `${posts(many)} ${many === 1 ? 'seleccionada' : 'seleccionadas'}`,
  clear: 'Quitar la selección',
  approveSelected: (many) => `Aprobar ${posts(many)}`,
  returnSelected: 'Devolver todas…',
  returnTitle: (many) => (many === 1 ? 'Devolver la publicación' : `Devolver ${posts(many)}`),
  returnNotes: '¿Qué hay que cambiar?',
  returnHint: 'El autor lo lee junto a la publicación.',
  returnSubmit: 'Devolver',
  notesMissing: 'Di qué hay que cambiar.',
  approved: (time) => `Aprobada. Se publicará ${time}.`,
  returned: 'Devuelta a su autor.',
  approvedMany: (many) => `${posts(many)} ${many === 1 ? 'aprobada' : 'aprobadas'}.`,
  returnedMany: (many) => `${posts(many)} ${many === 1 ? 'devuelta' : 'devueltas'}.`,
  notUndone: (many) =>
    `${many === 1 ? 'No se ha podido deshacer 1 decisión' : `No se han podido deshacer ${number(many)} decisiones`}.`,
  notDone: (many) => `${posts(many)} ${many === 1 ? 'se queda como estaba' : 'se quedan como estaban'}:`,
  changedMeanwhile: 'ha cambiado desde que la viste',
  changedNow: 'Esta publicación ha cambiado mientras la leías.',
  changedBy: (who, what) => `${who} la ha cambiado mientras leías: ${what}.`,
  showNew: 'Mostrar la versión nueva',
  whyNewer: 'Mira primero la versión nueva.',
  whyLate: 'Su hora ya ha pasado.',
  whyIncomplete: 'No se ha podido leer qué ha cambiado desde la última decisión.',
  mayNot: 'Puedes ver esta publicación, pero no decidir sobre ella.',
  cannotPublish: 'Su hora ya ha pasado: edítala y elige otra antes de aprobarla.',
  written: (who, time) => `${who} pidió la aprobación ${time}`,
  firstTime: 'Nadie ha decidido antes sobre esta publicación.',
  since: (isApproved, who, time) => `${isApproved ? 'Aprobada' : 'Devuelta'} por ${who} ${time}`,
  changedSince: 'Ha cambiado desde entonces:',
  unchanged: 'No ha cambiado nada desde entonces.',
  history: 'Historial',
  hashtags: 'Hashtags',
}

export const differenceWords: typeof englishDifference = {
  time: 'Hora',
  none: 'ninguno',
  before: 'Antes',
  now: 'Ahora',
  pictureBefore: 'La imagen de antes',
  pictureNow: 'La imagen de ahora',
  added: 'Un canal nuevo',
  removed: 'Ya no está en este canal',
  textOn: (channel) => `Texto en ${channel}`,
  superpowerOn: (channel) => `Superpoder en ${channel}`,
  gone: 'Quitado:',
  put: 'Añadido:',
  otherwise: 'Han cambiado otros detalles: abre la publicación para verlos.',
}
