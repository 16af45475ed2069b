import type { EventType } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import type { words as english } from './webhooks.words.ts'

const { count, list } = common

const EVENTS: Record<EventType, string> = {
  'post.failed': 'Una publicación ha fallado',
  'post.waiting_for_approval': 'Una publicación espera la aprobación',
  'token.refused': 'Se rechaza un token',
  'key.expiring': 'Una clave caduca pronto',
  'import.finished': 'Una importación ha terminado',
  'superpower.acted': 'Un superpoder ha actuado',
  'superpower.stopped': 'Se ha detenido un superpoder',
  'raffle.drawn': 'Se ha hecho un sorteo',
  test: 'Una prueba',
}

export const words: typeof english = {
  title: 'Webhooks',
  hint: 'Tus programas reciben avisos de los eventos, así que no tienen que preguntar. Reciben ids, nunca lo que ha escrito alguien.',
  noneTitle: 'No hay ningún webhook',
  none: 'Añade la dirección en la que tu programa recibe los eventos.',
  add: 'Añadir un webhook',
  addIt: 'Añadir',
  editTitle: (name) => `Editar ${name}`,
  name: 'Nombre',
  nameHint: 'Por ejemplo, el programa que recibe los avisos.',
  address: 'Dirección',
  addressHint: 'Empieza por https:// y es accesible desde internet.',
  chosen: 'Eventos',
  allEvents: 'Todos los eventos, también los de versiones posteriores',
  someEvents: 'Solo estos',
  noEvent: 'Elige al menos un evento.',
  toldOf: (events) => (events === undefined ? 'Todos los eventos' : list(events.map((event) => EVENTS[event]))),
  events: EVENTS,
  since: (day) => `desde ${day}`,
  twoSecrets: (time) => `el secreto anterior también firma hasta ${time}`,
  off: 'Apagado: no recibe nada nuevo',
  switchOff: 'Apagar',
  switchOn: 'Encender',
  switched: (name, on) => (on ? `${name} está encendido.` : `${name} está apagado.`),
  sendTest: 'Enviar una prueba',
  testSent: 'Hay una prueba en camino.',
  rotate: 'Cambiar el secreto',
  rotateTitle: (name) => `¿Cambiar el secreto de ${name}?`,
  rotateText:
    'Durante un día cada evento se firma con los dos secretos, para que te dé tiempo a actualizar tu programa.',
  remove: 'Quitar',
  removeTitle: (name) => `¿Quitar ${name}?`,
  removeText: 'No se envía nada más, y los eventos pendientes no se entregan.',
  removed: (name) => `Se ha quitado ${name}.`,
  ready: 'El webhook está listo',
  lead: 'Guarda ahora su secreto: solo se muestra una vez. Tu programa comprueba con él que un evento viene de este servidor.',
  secret: 'Secreto',
  secretHint: 'Guárdalo con tanto cuidado como una contraseña.',

  deliveries: 'Entregas',
  deliveriesHint: 'Los últimos 30 días, primero lo más nuevo.',
  ofWebhook: 'Webhook',
  ofAll: 'Todos los webhooks',
  removedWebhook: 'un webhook quitado',
  to: (webhook, time) => `a ${webhook} · ${time}`,
  noneThere: 'No se le ha enviado nada en este tiempo.',
  delivered: (attempts) => (attempts > 1 ? `Entregado al intento ${attempts}` : 'Entregado'),
  notDelivered: (attempts, why) =>
    attempts > 0 ? `No entregado en ${count(attempts, 'intento')}. ${why}` : `No entregado. ${why}`,
  onItsWay: 'En camino',
  again: (why, time) => `${why} Se envía de nuevo ${time}.`,
  sendAgain: 'Enviar de nuevo',
  sentAgain: 'Está en camino otra vez.',
  more: 'Mostrar más',
  older: 'La línea de comandos muestra las anteriores: greenroom webhooks deliveries.',
  show: 'Mostrar',
  payload: 'Enviado',
  answer: 'Respuesta',
  answerOf: (status, time, durationMs) =>
    status === undefined
      ? `Sin respuesta · ${time} · ${durationMs} ms`
      : `Estado ${status} · ${time} · ${durationMs} ms`,
  notTried: 'Todavía no se ha enviado.',
  noText: 'La respuesta no tenía texto.',
  firstBytes: 'Los primeros 2 kB de lo último que respondió el programa.',
}
