import type { AutomationMode } from '../../interface/automation.ts'
import type { OptOut } from '../../interface/generated/types.ts'
import type { words as english } from './channels.words.ts'

const modes: Record<AutomationMode, string> = {
  off: 'Apagado: no se hace nada',
  shadow: 'Simulacro: decidir y anotar, sin enviar nada',
  on: 'Encendido: responder a los comentarios',
}
const states: Record<AutomationMode, string> = {
  off: 'Los superpoderes están apagados',
  shadow: 'Los superpoderes están en simulacro',
  on: 'Los superpoderes están encendidos',
}

const sources: Record<OptOut['source'], string> = {
  comment: 'Pidió parar en un comentario',
  message: 'Pidió parar en un mensaje',
  hand: 'Añadido a mano',
}

export const words: typeof english = {
  superpowers: 'Superpoderes',
  superpowersOf: (name) => `Superpoderes en ${name}`,
  superpowersText:
    'Los comentarios anteriores a la activación se dejan como están. Si la plataforma detuvo el canal, al guardar vuelve a empezar.',
  modes,
  state: (mode) => states[mode],
  notice: 'Aviso',
  noticeHint: 'Encabeza cada respuesta privada automática, por ejemplo: Este es un mensaje automático.',
  perHour: 'Respuestas privadas por hora, como máximo',
  changed: 'Los superpoderes han cambiado',
  stopped: (why) => `La plataforma detuvo los superpoderes aquí: ${why}`,
  subscription: {
    PENDING: 'La suscripción a mensajes y comentarios está en curso',
    SUBSCRIBED: 'Los mensajes y los comentarios llegan',
  },
  newestComment: (at) => `Comentario más reciente ${at}`,
  commentsRead: (at) => `Comentarios leídos por última vez ${at}`,
  optOuts: 'Excluidos de los mensajes',
  optOutsOf: (name) => `Excluidos de los mensajes en ${name}`,
  optOutsText:
    'Los superpoderes no envían nada a estas personas aquí. Un comentario o un mensaje que dice STOP añade a quien lo escribió.',
  optOutSource: sources,
  fromId: 'Persona',
  fromIdHint: 'El id de la persona en la plataforma, como lo tienen los comentarios y los mensajes.',
  addOptOut: 'Añadir',
  optOutAdded: (id) => `${id} ya no recibe mensajes automáticos`,
  removeOptOut: 'Permitir de nuevo',
  optOutRemoved: (id) => `${id} puede volver a recibir mensajes automáticos`,
  noOptOuts: 'Nadie ha pedido quedar excluido',
  noOptOutsText: 'Los superpoderes responden a todos los que comentan.',
  moreOptOuts: 'Mostrar más',
  refused: (problem) => `Los mensajes y los comentarios no llegan: ${problem}`,
  logins: { facebook: 'Conectado con Facebook Login.', instagram: 'Conectado con Instagram Login.' },
  permissionsUnknown: 'La plataforma no indica sus permisos.',
  lacks: (permission, what) => `A su token le falta ${permission}. No funciona: ${what}.`,
  neededFor: { comments: 'comentarios', likes: 'me gusta', messages: 'mensajes privados', webhooks: 'entregas' },
}
