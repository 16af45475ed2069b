import type { PostAction } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import type { postWords as englishPosts, superpowerWords as englishSuperpowers } from './words.ts'

const { count, list, number } = common

const ACTIONS: Record<PostAction, string> = {
  created: 'la creó',
  updated: 'la cambió',
  submitted: 'pidió la aprobación',
  approved: 'la aprobó',
  rejected: 'la devolvió',
  reverted: 'la devolvió a borrador',
  retried: 'la programó de nuevo',
  claimed: 'empezó a publicarla',
  waits: 'tiene que esperar',
  published: 'la publicó',
  failed: 'no pudo publicarla',
  deleted: 'la eliminó',
}

const ACTION_WORDS: Record<string, string> = {
  COMMENTED: 'comenta',
  LIKED: 'indica que le gusta la publicación',
  SHARED: 'comparte la publicación',
  MESSAGED: 'escribe un mensaje',
}

const quote = (text: string): string => `«${text}»`

const FILE_KINDS: Record<string, string> = {
  'image/jpeg': 'imagen JPEG',
  'image/png': 'imagen PNG',
  'video/mp4': 'vídeo MP4',
  'video/quicktime': 'vídeo QuickTime',
}

const fileKind = (contentType: string): string => FILE_KINDS[contentType] ?? contentType

/** Thousands of bytes below a million. */
const fileSize = (bytes: number): string =>
  bytes < 100_000 ? `${number(Math.ceil(bytes / 1000))} kB` : `${number(Math.ceil(bytes / 100_000) / 10)} MB`

/** The units of which a channel takes only so many. */
const counted = (what: string): string =>
  ({ characters: 'caracteres', hashtags: 'hashtags', mentions: 'menciones' })[what] ?? what

/** The acts that a superpower may have as its target. */
const targeted = (many: number, what: string): string =>
  what === 'like'
    ? `${number(many)} me gusta`
    : count(many, { share: 'compartido', comment: 'comentario' }[what] ?? what)

const FILE_TYPES: Record<string, string> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'video/mp4': 'MP4',
  'video/quicktime': 'QuickTime',
}

export const postWords: typeof englishPosts = {
  action: ACTIONS,
  fileKind,
  fileSize,
  actor: (type, id) =>
    ({ operator: 'El operador', publisher: 'El publicador', key: `Clave ${id}`, user: 'Un miembro' })[type] ?? type,
  deletedAccount: 'Una cuenta eliminada',
  tookBack: 'deshizo su decisión',
  changedOn: (channel) => `texto o superpoder en ${channel}`,
  overdue: 'Atrasada',
  noTime: 'Aún sin hora',
  altText: 'Descripción de la imagen',
  aiGenerated: 'Hecho o editado con IA',
  preview: {
    label: (name, type) => `Como se verá en ${name} (${type})`,
    noText: 'Aún sin texto',
    noMedia: 'Aún sin imagen ni vídeo',
    imageAlt: 'La imagen de la publicación',
    imageFailed: 'La imagen no se puede mostrar aquí',
    video: 'El vídeo de la publicación',
    videoFailed: 'El vídeo no se puede reproducir aquí',
    more: { instagram: 'más', facebook: 'Ver más' },
    less: 'Mostrarlo como lo recorta el feed',
    gone: 'Este archivo se eliminó de la biblioteca: la publicación necesita otro.',
    openMedia: 'Abrir en una pestaña nueva',
  },
  superpower: {
    title: (name) => (name === '' ? 'Superpoder' : `Superpoder: ${name}`),
    inactive: 'Está inactivo.',
    hashtag: (hashtag) => `Su hashtag es ${hashtag}.`,
    when: (conditions) => (conditions.length === 0 ? 'Siempre:' : `Cuando alguien ${conditions.join(', o ')}:`),
    condition: (action, values, logic) => {
      const does = ACTION_WORDS[action] ?? (action === '' ? 'reacciona' : `hace ${action}`)
      if (values.length === 0) return does
      const said = list(values.map(quote))
      return `${does} con ${logic === 'ANY_VALUE' ? 'alguno de ' : ''}${said}`
    },
    publicReply: (text) => `responder en público${text === '' ? '' : `: ${quote(text)}`}`,
    privateReply: (text) => `enviar un mensaje${text === '' ? '' : `: ${quote(text)}`}`,
    like: 'marcar que te gusta lo que escribió',
    takesPart: 'incluir a la persona en el sorteo',
    timeLimit: (many, unit) =>
      `una vez cada ${unit === 'HOUR' ? count(many, 'hora') : count(many, unit.toLowerCase())} para cada persona`,
    target: (what, many) => `Objetivo: ${targeted(many, what)}.`,
    raffle: (winners, end) =>
      `Sorteo${winners === undefined ? '' : ` con ${count(winners, 'ganador', 'ganadores')}`}${end ? `, hasta ${end}` : ''}.`,
    usersLimit: (many) => `Para ${count(many, 'persona')} como máximo.`,
    expires: (time) => `Termina ${time}.`,
  },
  editor: {
    title: 'Publicación',
    titleOf: (name) => `Publicación: ${name}`,
    backTo: (page) => `Volver: ${page}`,
    newTitle: 'Nueva publicación',
    channels: 'Canales y texto',
    noChannels: 'Todavía no hay ningún canal: pide a un administrador que conecte uno.',
    noChannel: 'Elige un canal para ver cómo quedará.',
    notConnected: 'no conectado',
    caption: (channel) => `Texto en ${channel}`,
    count: (what, many, max) => `${number(many)} de ${number(max)} ${counted(what)}`,
    tooMuch: (limits) => `Es demasiado para este canal: como máximo ${list(limits)}.`,
    copy: 'Usar en todos los canales',
    copied: 'El texto está en todos los canales.',
    superpower: (channel) => `Superpoder en ${channel}`,
    superpowerNone: 'Ninguno',
    superpowerNew: 'Escribir uno…',
    superpowerEdit: 'Editar…',
    superpowerOwn: (name) => (name === '' ? 'Propio' : `${name} (propio)`),
    superpowerKept: (name) => (name === '' ? 'Sin cambios' : `Sin cambios: ${name}`),
    media: 'Imagen o vídeo',
    mediaUrl: 'Dirección web',
    mediaHint: 'Las dos plataformas recogen el archivo de ahí, así que debe ser público.',
    mediaNoUrl: 'Una dirección empieza por https:// o http://.',
    upload: 'Subir un archivo…',
    uploadHint: 'O suéltalo aquí: una imagen, o un vídeo en MP4 o QuickTime.',
    uploading: (name, part) => (part < 1 ? `${name}: ${Math.floor(part * 100)} %` : `${name}: se está comprobando…`),
    uploaded: (name) => `${name} se ha subido.`,
    mediaFacts: ({ contentType, bytes, width, height, durationMs }) =>
      list([
        fileKind(contentType),
        `${number(width)} × ${number(height)} píxeles`,
        ...(durationMs === undefined ? [] : [count(Math.round(durationMs / 1000), 'segundo')]),
        fileSize(bytes),
      ]),
    mediaRefused: (channel, problems) => `${channel} solo acepta ${list(problems)}.`,
    mediaProblem: (problem) => {
      switch (problem.what) {
        case 'type':
          return problem.types.map((type) => FILE_TYPES[type] ?? type).join(' o ')
        case 'size':
          return `archivos de ${number(problem.mibMax)} MiB como máximo`
        case 'ratio':
          return `una anchura de ${number(problem.min)} a ${number(problem.max)} veces la altura (es de ${number(problem.is)} veces)`
        case 'width':
          return `una anchura de ${number(problem.max)} píxeles como máximo`
        case 'duration':
          return `vídeos de ${number(problem.minSeconds)} segundos a ${number(problem.maxMinutes)} minutos`
      }
    },
    mediaType: 'Tipo',
    image: 'Imagen',
    video: 'Vídeo',
    when: 'Cuándo',
    nextSlot: (time, channel) => `Próximo hueco libre: ${time} en ${channel}`,
    crowded: (many) =>
      `${count(many, 'publicación más sale', 'publicaciones más salen')} en el mismo canal a menos de una hora de esta:`,
    time: 'Fecha y hora',
    timeZone: (zone) => `En ${zone}`,
    timeThere: (time, zone) => `${time} en ${zone}`,
    timeUnreadable: 'Escribe una fecha y una hora.',
    timeNever: (zone) => `Esta hora no existe en ${zone}: el reloj se adelanta entonces. Elige otra.`,
    timeTwice: 'Esta hora ocurre dos veces, porque el reloj se atrasa entonces. Elige una.',
    timePast: 'Esta hora ya ha pasado. Elige una futura.',
    whichOne: '¿Cuál?',
    occurrence: (which, offset) => `${which === 'earlier' ? 'La primera' : 'La segunda'} (UTC${offset})`,
    notes: 'Notas',
    notesHint: 'Para tus compañeros; nunca se publican.',
    preview: 'Vista previa',
    saveDraft: 'Guardar como borrador',
    saveAndAsk: 'Guardar y pedir la aprobación',
    submit: 'Pedir la aprobación',
    decide: 'Revisarla',
    revert: 'Devolver a borrador',
    revertTitle: '¿Devolver la publicación a borrador?',
    toCalendar: 'Todas las publicaciones',
    revertText: 'No se publicará hasta que se apruebe de nuevo.',
    reverted: 'Devuelta a borrador.',
    delete: 'Eliminar',
    deleteTitle: '¿Eliminar la publicación?',
    deleteText: 'Esto no se puede deshacer. Su historial se queda.',
    deleted: 'Eliminada.',
    saved: 'Guardado.',
    savedAndUnapproved: 'Guardado. El contenido ha cambiado, así que la publicación vuelve a esperar la aprobación.',
    submitted: 'Guardada y enviada a aprobación.',
    missing: (what) => `Antes de aprobarse necesita ${what}.`,
    lacks: (what, isApproved) =>
      `Necesita ${what} para poder guardarse.${isApproved ? ' Devuélvela a borrador para guardarla sin ello.' : ''}`,
    conflictFirst: 'Decide primero qué cambios se conservan.',
    timeFirst: 'Corrige primero la hora.',
    mediaFirst: 'Elige primero otra imagen u otro vídeo.',
    shortenFirst: 'Acorta primero el texto.',
    nothingToSave: 'Todavía no ha cambiado nada.',
    missingChannel: 'un canal',
    missingText: 'un texto en cada canal',
    missingMedia: 'una imagen o un vídeo',
    missingTime: 'una hora futura',
    most: (what, max) => `${number(max)} ${counted(what)}`,
    permissionMissing: 'Puedes ver esta publicación, pero no cambiarla. Pide permiso a un administrador.',
    restored: 'Tus cambios anteriores siguen aquí, aún sin guardar.',
    discard: 'Descartarlos',
    conflict: (who, what) =>
      `${who === '' ? 'Alguien' : who} ha cambiado esta publicación mientras escribías${what === '' ? '' : `: ${what}`}. No se sobrescribe nada hasta que lo digas.`,
    keepMine: 'Conservar mis cambios',
    takeTheirs: 'Descartar mis cambios',
    scheduledNote: 'Aprobada: se publica a su hora. Si cambias su contenido, hay que aprobarla de nuevo.',
    publishingNote: 'Se está publicando ahora y ya no se puede cambiar.',
    publishedNote: 'Está publicada.',
    failedNote: 'No se ha podido publicar en todas partes.',
    seeIt: (channel) => `Verla en ${channel}`,
    retryTitle: 'Intentar de nuevo',
    retryTime: 'Nueva fecha y hora',
    retry: 'Programar de nuevo',
    retryNow: 'Intentar de nuevo ahora',
    retryHint: 'Solo se intenta de nuevo en los canales en los que falló.',
    repairHint:
      'Todavía no ha salido en ninguna parte, así que también puedes cambiarla abajo. Después hay que aprobarla de nuevo.',
    copyHint: 'Ya ha salido en un canal, así que su contenido se queda. Duplícala para publicar otra cosa.',
    removeMedia: 'Quitar la imagen o el vídeo',
  },
}

export const superpowerWords: typeof englishSuperpowers = {
  title: 'Superpoder',
  closeTyped: 'Lo que has escrito aún no se usa. ¿Cerrar y perderlo?',
  titleOf: (name) => `Superpoder guardado: ${name}`,
  fields: {
    name: 'Nombre',
    hashtag: 'Hashtag',
    active: 'Activo',
    action: 'Cuando alguien',
    values: 'Con una de estas palabras',
    publicReplies: 'Responder en público',
    privateReplies: 'Enviar un mensaje',
    autoLike: 'Marcar que te gusta lo que escribió',
    takesPart: 'Incluir a la persona en el sorteo',
    groupName: 'Nombre del grupo',
    probability: 'Parte de los comentarios, de 0 a 1',
    usersLimit: 'Cuántas personas como máximo',
    timeLimit: 'La misma persona una vez cada cuántas horas',
    privateDelay: 'Horas hasta el mensaje',
    publicDelay: 'Horas hasta la respuesta pública',
    winners: 'Ganadores del sorteo',
    raffleEnd: 'Fin del sorteo',
    winnersReply: 'Mensaje a los ganadores',
    losersReply: 'Mensaje a los demás',
  },
  nameHint: 'Tus compañeros lo encuentran por este nombre cuando está guardado.',
  hashtagHint: 'En cada canal un hashtag pertenece a una sola publicación a la vez.',
  always: 'hace cualquier cosa',
  actions: ACTION_WORDS,
  valuesHint: 'Una por línea. Déjalo vacío para cualquier palabra.',
  repliesHint: 'Si hay varios, el comentario decide cuál se envía.',
  replyLabel: (label, place) => (place === 0 ? label : `${label} (${place + 1})`),
  addReply: 'Añadir otro texto',
  removeReply: 'Quitar',
  json: 'Editar como JSON',
  jsonHint: 'Úsalo para lo que el formulario no tiene: más condiciones, archivos, botones.',
  group: (place) => `Grupo ${place + 1}`,
  groupName: (place, name) => `Grupo ${place + 1}${name === '' ? '' : `: ${name}`}`,
  shownGroup: 'El grupo que se muestra',
  addGroup: 'Añadir un grupo',
  removeGroup: 'Quitar este grupo',
  earlier: 'Subir',
  later: 'Bajar',
  limits: 'Límites y retrasos',
  shareHint: 'Vacío: todos. El propio comentario decide cuáles, siempre de la misma manera.',
  noJson: (message) => `Este JSON no vale para un superpoder${message === '' ? '' : `: ${message}`}.`,
  useHere: 'Usar en esta publicación',
  saveForAll: 'Guardar también para otras publicaciones',
  saveChanges: 'Guardar los cambios',
  saved: (name) => `${name} está guardado. Las publicaciones que tienen una copia conservan la suya.`,
  deleteText: (name) => `¿Eliminar ${name}? Las publicaciones que tienen una copia la conservan.`,
  deleted: (name) => `${name} se ha eliminado.`,
}
