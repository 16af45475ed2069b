import type { PostStatus } from '../interface/post-status.ts'
import { makeWording } from './wording.ts'
import type { common as english } from './words.ts'

const { locale, number, list } = makeWording({
  language: 'es',
  separator: '.',
  separated: ['es-ES', 'es-AR', 'es-CL', 'es-CO'],
  separatedFrom: 10_000,
})

/** `1 publicación`, `2 publicaciones`. */
const count = (many: number, one: string, other = `${one}s`): string => `${number(many)} ${many === 1 ? one : other}`

const STATUSES: Record<PostStatus, string> = {
  DRAFT: 'Borrador',
  WAITING_FOR_APPROVAL: 'A la espera de aprobación',
  REJECTED: 'Devuelta',
  SCHEDULED: 'Programada',
  PUBLISHING: 'Publicándose',
  PUBLISHED: 'Publicada',
  FAILED: 'Fallida',
}

const FIELDS: Record<string, string> = {
  scheduledFor: 'hora',
  media: 'imagen o vídeo',
  mediaType: 'imagen o vídeo',
  altText: 'descripción de la imagen',
  aiGenerated: 'aviso de IA',
  notes: 'notas',
  caption: 'texto',
  superpower: 'superpoder',
}

const ERRORS: Record<string, string> = {
  unreachable: 'No se puede acceder a Greenroom. Comprueba tu conexión; lo que has escrito sigue aquí.',
  post_changed: 'Esta publicación ha cambiado desde que la viste. Vuelve a leerla antes de decidir.',
  precondition_required: 'Esta publicación aún no se ha leído. Espera un momento e inténtalo de nuevo.',
  already_published:
    'Ya está publicada en un canal, así que su imagen o vídeo, su texto y su superpoder se quedan como se publicaron allí.',
  post_not_found: 'Aquí no existe esa publicación: se ha eliminado o pertenece a otra organización.',
  database_unavailable: 'Greenroom no puede leer ni guardar sus datos ahora mismo. Lo intenta de nuevo por sí solo.',
  stopping: 'Greenroom se está reiniciando. Lo intenta de nuevo por sí solo.',
  internal: 'Algo ha fallado por nuestra parte.',
  hashtag_conflict: 'Un hashtag ya está en uso. Elige otro o detén el superpoder de la publicación que lo tiene.',
  channel_in_use:
    'Hay publicaciones a punto de salir en ese canal. Primero devuélvelas a borrador o elimínalas, o deja que fallen.',
  media_refused: 'Este archivo no es JPEG, PNG, MP4 ni QuickTime. Expórtalo en uno de esos formatos.',
  superpower_unknown: 'Este superpoder guardado ya no existe. Elige otro o escribe uno.',
  platform_refused: 'La plataforma rechaza el token de acceso. Conecta la cuenta con uno nuevo.',
  platform_failed: 'La plataforma no respondió como debía. Inténtalo de nuevo dentro de un rato.',
  platform_rate_limited: 'La plataforma no acepta más llamadas por ahora.',
  platform_timeout: 'La plataforma no respondió a tiempo. Inténtalo de nuevo o elige un periodo más corto.',
  ad_platform_not_connected: 'Esta cuenta publicitaria no tiene token de acceso. Conéctala primero.',
  window_too_heavy: 'Este periodo es demasiado largo para la plataforma. Elige uno más corto.',
  window_too_old: 'La plataforma conserva las cifras 37 meses. Elige un periodo más reciente.',
  too_many_insights: 'Tu organización acaba de leer muchos resultados.',
}

export const common: typeof english = {
  locale,
  count,
  list,
  number,
  name: 'Greenroom',
  titleOf: (page, unread) => `${unread === 0 ? '' : `(${number(unread)}) `}${page} · Greenroom`,
  loading: 'Cargando…',
  hashtagInUse: (hashtag, channel) => `${hashtag} está en uso en ${channel} por`,
  loseTyped: 'Lo que has escrito no está guardado, y cerrar la sesión lo borra. ¿Cerrarla de todos modos?',
  anotherPost: 'otra publicación',
  pressEnter: 'Pulsa Intro para continuar.',
  tryAgain: 'Intentar de nuevo',
  undo: 'Deshacer',
  close: 'Cerrar',
  cancel: 'Cancelar',
  save: 'Guardar',
  status: STATUSES,
  field: (name) => FIELDS[name] ?? name,
  error: (code, message) => ERRORS[code] ?? (message === '' ? 'No ha funcionado. Inténtalo de nuevo.' : message),
  requestId: (id) => `Menciona ${id} cuando lo comuniques.`,
  retryAfter: (seconds) => `Inténtalo de nuevo dentro de ${count(seconds, 'segundo')}.`,
  channelType: (type) => ({ FB_PAGE: 'Página de Facebook', INSTAGRAM_ACCOUNT: 'Cuenta de Instagram' })[type] ?? type,
  copy: 'Copiar',
  copied: 'Copiado.',
  copyYourself: 'El texto está seleccionado: cópialo con el teclado.',
  haveIt: 'Ya lo tengo',
  noLines: 'El archivo no tiene líneas debajo de la primera.',
  readAs: (text, as) => `${text} se ha leído como ${as}.`,
}
