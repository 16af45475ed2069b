import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count } = common

/** The states of a post of a link, in the overview. */
const STATES = {
  open: 'Te espera',
  approved: 'La has aprobado',
  returned: 'La has devuelto',
  over: 'Ya no espera',
}

export const words: typeof english = {
  brand: 'Greenroom',
  title: 'Una publicación para que la apruebes · Greenroom',
  asks: (organization) => `${organization} pide tu aprobación`,
  linkFor: (name, maker) => `Para ${name}, de ${maker}.`,
  open: (isToSeveral) => (isToSeveral ? 'Abrir las publicaciones' : 'Abrir la publicación'),
  lead: (name, maker) => `Para ${name}, de ${maker}. Esta es la publicación tal como se publicará.`,
  past: 'La hora de esta publicación ya ha pasado, así que no se puede aprobar. Todavía puedes devolverla.',
  notYet: 'Todavía no',
  approveTitle: '¿Aprobar esta publicación?',
  approveText: (time) => `Se publicará ${time}.`,
  until: (time, zone) => `Este enlace sirve hasta ${time} (${zone}), o hasta que se decida sobre la publicación.`,
  thanks: (name) => `Gracias, ${name}`,
  approved: (time, zone) => `La publicación está aprobada. Se publicará ${time} (${zone}).`,
  returned: 'La publicación se ha devuelto a su autor con tus notas.',
  done: 'Puedes cerrar esta página. El enlace ya no sirve.',
  overTitle: 'Este enlace no sirve',
  over: 'El enlace se ha revocado o ha caducado, o su única publicación ya no espera. Si esperabas una publicación, pregunta a quien te envió el enlace.',
  byLinkOf: (name, maker) => `${name} (por un enlace de ${maker})`,
  linksTitle: 'Aprobación externa',
  linksLead: 'Con un enlace, una persona sin cuenta puede aprobar o devolver esta publicación.',
  linkOf: (maker, until) => `de ${maker}, hasta ${until}`,
  make: 'Enviar a aprobación externa…',
  forWhom: 'Destinatario',
  forWhomHint: 'El historial muestra este nombre, por ejemplo «Anna, de la agencia».',
  worksFor: 'El enlace sirve durante',
  makeSubmit: 'Crear el enlace',
  madeTitle: (name) => `El enlace para ${name}`,
  link: 'Enlace',
  madeHint: 'Envíalo solo a esta persona: quien lo tenga puede decidir. No se vuelve a mostrar.',
  revoke: 'Revocar',
  revokeOf: (name) => `Revocar el enlace de ${name}`,
  revoked: (name) => `El enlace de ${name} ya no sirve.`,
  leadSeveral: (name, maker, many) =>
    `Para ${name}, de ${maker}: ${count(many, 'publicación', 'publicaciones')}, tal como se ${many === 1 ? 'publicará' : 'publicarán'}.`,
  untilSeveral: (time, zone) => `Este enlace sirve hasta ${time} (${zone}).`,
  place: (at, of) => `${common.number(at)} de ${common.number(of)}`,
  decidedOf: (decided, of) => `${common.number(decided)} de ${count(of, 'publicación', 'publicaciones')} con decisión`,
  decidedNow: (at, isApproved) =>
    isApproved
      ? `La publicación ${at} está aprobada.`
      : `La publicación ${at} se ha devuelto a su autor con tus notas.`,
  states: {
    open: 'Esta publicación te espera.',
    approved: 'Has aprobado esta publicación.',
    returned: 'Has devuelto esta publicación.',
    over: 'Esta publicación ya no te espera: se ha decidido sobre ella o se ha cambiado en otra parte.',
  },
  stateOf: (at, state) => `${at}: ${STATES[state]}`,
  skip: 'Omitir',
  overview: 'Todas las publicaciones',
  overviewTitle: 'Todas las publicaciones de este enlace',
  goOn: 'Continuar',
  show: 'Mostrar',
  /** The time of a post, and the beginning of its text: whole characters, as people see them. */
  beginning: (time, text) =>
    text === '' ? time : `${time} · ${[...text].slice(0, 80).join('')}${[...text].length > 80 ? '…' : ''}`,
  counts: (approved, returned, open) =>
    [
      `Has aprobado ${count(approved, 'publicación', 'publicaciones')} y has devuelto ${common.number(returned)}.`,
      open === 0 ? '' : `${count(open, 'publicación te espera', 'publicaciones te esperan')}.`,
    ]
      .filter(Boolean)
      .join(' '),
  doneSeveral: (time, zone) =>
    `Puedes cerrar esta página. Hasta ${time} (${zone}) puedes abrirla de nuevo con el enlace, para ver o deshacer lo que has decidido.`,
  sendSelected: 'Enlace de revisión…',
  sendWeek: (many) => `Enlace de revisión de esta semana (${common.number(many)})…`,
  sendTitle: (many) => `Enlace de revisión de ${count(many, 'publicación', 'publicaciones')}`,
  sendText:
    'Una persona sin cuenta decide sobre estas publicaciones una por una, tal como esté cada una entonces. Las publicaciones posteriores no se incluyen.',
  sendBy: 'Cómo llega',
  sendByHint: 'Un enlace que se envía por correo no se muestra a nadie aquí.',
  byHand: 'Copio el enlace y lo envío',
  byMail: (mail) => `Por correo a ${mail}`,
  sent: (mail) => `El enlace está en camino a ${mail}.`,
  allTitle: 'Enlaces de revisión',
  allLead: 'Enlaces vigentes con los que personas sin cuenta deciden sobre publicaciones.',
  backToWaiting: 'Publicaciones que esperan',
  noLinks: 'Ahora mismo no hay ningún enlace de revisión vigente',
  noLinksHint: 'Para crear uno, selecciona publicaciones en Aprobaciones o abre una semana del calendario.',
  nameAndMail: (name, mail) => `${name} (${mail})`,
  neverOpened: 'Todavía sin abrir',
  opened: (time) => `Abierto por última vez ${time}`,
  toPost: 'Abrir la publicación',
  isBack: 'Devolviste esta publicación. Esta es la versión nueva.',
  endedTitle: 'Terminados en los últimos 30 días',
  noneEnded: 'Ningún enlace ha terminado en los últimos 30 días.',
  whys: {
    approved: 'Con él se aprobó la publicación',
    returned: 'Con él se devolvió la publicación',
    over: 'La publicación ya no espera aprobación',
    revoked: 'Revocado',
    expired: 'Caducado',
    maker: 'Quien lo creó ya no puede enviar publicaciones fuera',
    reviewer: 'La dirección ya no es de un revisor',
  },
  endedBecause: (why, time) => `${why}, ${time}`,
}
