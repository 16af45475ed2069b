import type {
  AutomationMode,
  CommentReason,
  EffectName,
  EffectReason,
  EffectState,
} from '../../interface/automation.ts'
import { common } from '../words.ts'
import type { words as english } from './comments.words.ts'

const { count } = common

const comments: Record<CommentReason, string> = {
  matched: 'Coincide',
  no_match: 'No coincide ninguna condición',
  inactive: 'El superpoder no está activo',
  expired: 'El superpoder había caducado',
  chance: 'Omitido al azar',
  users_limit: 'Se alcanzó el límite de personas',
  time_limit: 'La persona había recibido una respuesta poco antes',
  own_comment: 'Escrito por la página',
  reply_to_us: 'Una respuesta a la página',
  before_switch: 'Anterior a la activación',
  switched_off: 'Los superpoderes estaban apagados',
  stopped: 'El superpoder se detuvo',
  opted_out: 'La persona pidió no recibir mensajes automáticos',
  human_first: 'Una persona de la página respondió antes',
  too_old: 'Tiene más de 7 días',
  no_person: 'La plataforma no dice quién lo escribió',
}

const effectReasons: Record<EffectReason, string> = {
  chance: 'omitido al azar',
  no_private_reply: 'la respuesta privada no salió',
  dry_run: 'simulacro',
  person_answered: 'la persona ya tiene la única respuesta privada de esta publicación',
  window: 'demasiado tarde para la plataforma, que permite 7 días',
  late: 'una hora tarde',
  opted_out: 'la persona pidió no recibir mensajes automáticos',
  human_first: 'una persona de la página respondió antes',
  stopped: 'el superpoder se detuvo',
  switched_off: 'los superpoderes estaban apagados',
  channel_stopped: 'el canal está detenido o no conectado',
  comment_deleted: 'el comentario ya no existe',
  person_forgotten: 'la persona se borró',
  already_replied: 'ya había una respuesta privada',
  not_replyable: 'no se puede responder al comentario',
  not_eligible: 'la plataforma no permite responderle',
  not_a_follower: 'la persona no sigue la cuenta',
  unavailable: 'no se puede contactar con la persona',
  other_app: 'otra aplicación tiene la conversación',
  refused: 'rechazado por la plataforma',
  throttled: 'la plataforma pide esperar',
  unreachable: 'no se puede acceder a la plataforma',
  answer_lost: 'la respuesta se perdió: puede haber salido, y no se envía de nuevo',
}

const effects: Record<EffectName, string> = {
  private_reply: 'Respuesta privada',
  public_reply: 'Respuesta pública',
  like: 'Me gusta',
  message: 'Mensaje',
}

const states: Record<EffectState, string> = {
  planned: 'previsto',
  attempting: 'en curso',
  done: 'enviado',
  refused: 'rechazado',
  unknown: 'desconocido',
  skipped: 'omitido',
}

const modes: Record<AutomationMode, string> = { off: 'Apagados', shadow: 'Simulacro', on: 'Encendidos' }

export const words: typeof english = {
  title: 'Comentarios',
  hint: 'Cada comentario que se ha visto, con lo que hizo su superpoder y por qué.',
  none: 'Todavía no se ha visto ningún comentario',
  noneText: 'Los comentarios aparecen aquí en un minuto.',
  optOut: 'Excluir de los mensajes',
  optOutTitle: (name) => `¿No enviar mensajes automáticos a ${name}?`,
  optOutText:
    'Los superpoderes ya no responden a esta persona en este canal. Se deshace en Ajustes, Canales, Excluidos de los mensajes.',
  optedOut: (name) => `${name} ya no recibe mensajes automáticos`,
  more: 'Mostrar más',
  comments,
  effectReasons,
  effects,
  states,
  mode: (mode) => `Superpoderes: ${modes[mode].toLowerCase()}`,
  counts: (total, matched) => `${count(total, 'comentario')}, ${matched === 1 ? '1 coincide' : `${matched} coinciden`}`,
  sent: (sent) => `${sent} ${sent === 1 ? 'enviado' : 'enviados'}`,
  unknown: (unknown) => `${unknown} ${unknown === 1 ? 'desconocido' : 'desconocidos'}`,
  newest: (at) => `comentario más reciente ${at}`,
  lastRead: (at) => `última lectura ${at}`,
  notRead: (why) => `No se pueden leer los comentarios: ${why}`,
  platformStopped: (why) => `La plataforma detuvo el canal: ${why}`,
  stopped: (at, reason) => `Detenido ${at}: ${reason}`,
  stop: 'Detener el superpoder',
  stopTitle: (channel) => `¿Detener el superpoder en ${channel}?`,
  stopText:
    'Ya no responde a nadie: lo previsto se omite. Se queda detenido, y su hashtag queda libre para otras publicaciones.',
  reason: 'Motivo',
  wasStopped: 'El superpoder está detenido',
  byGroup: (group) => `Grupo ${group + 1}`,
  unnamed: 'Persona desconocida',
  tryTitle: 'Probarlo',
  tryHint: 'No se guarda ni se envía nada.',
  tryComment: 'Un comentario',
  tryName: 'Escrito por',
  try: '¿Qué pasaría?',
  nothing: 'No se envía nada.',
  notExecuted: 'Se conserva, pero no se ejecuta',
  warnings: 'Conviene mirarlo',
}
