import type { DiscussionAction } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count } = common

const ACTIONS: Record<DiscussionAction, string> = {
  written: 'escribió un mensaje',
  edited: 'editó un mensaje',
  deleted: 'eliminó un mensaje',
  resolved: 'resolvió un hilo',
  reopened: 'reabrió un hilo',
}

export const words: typeof english = {
  title: 'Debate',
  titleOpen: (many) => `Debate: ${many === 1 ? '1 abierto' : `${many} abiertos`}`,
  open: (many) => `${count(many, 'hilo abierto', 'hilos abiertos')} en el debate`,
  hint: 'Para tus compañeros; nunca se publica. Escribe @ para mencionar a alguien.',
  outsideTitle: 'Preguntas y comentarios',
  outsideHint: 'Lo leen quienes trabajan en esta publicación y todos los demás que tienen un enlace a ella.',
  none: 'Nadie ha escrito nada todavía.',
  threads: 'Hilos abiertos',
  resolved: (many) => count(many, 'hilo resuelto', 'hilos resueltos'),
  deleted: 'Este mensaje se ha eliminado.',
  edited: 'editado',
  shared: 'visible para quienes tienen un enlace',
  resolvedBy: (name, time) => `Resuelto por ${name}, ${time}`,
  resolvedOutside: 'Resuelto',
  mentions: (names) => `Menciona a ${common.list(names)}`,
  action: ACTIONS,
  actor: (type) => (type === 'operator' ? 'El operador' : type === 'user' ? 'Una cuenta eliminada' : 'Alguien'),
  you: 'Tú',
  message: 'Mensaje',
  newMessage: 'Mensaje nuevo',
  replyTo: (name) => `Respuesta a ${name}`,
  share: 'Mostrar este hilo a quienes tienen un enlace a la publicación',
  send: 'Enviar',
  sent: 'Enviado.',
  reply: 'Responder',
  edit: 'Editar',
  delete: 'Eliminar',
  deleteTitle: '¿Eliminar el mensaje?',
  deleteText: 'Su texto se elimina para siempre. Si tiene respuestas, en su lugar queda «eliminado».',
  wasDeleted: 'El mensaje se ha eliminado.',
  resolve: 'Resolver',
  wasResolved: 'El hilo está resuelto.',
  reopen: 'Reabrir',
  wasReopened: 'El hilo está abierto de nuevo.',
  messageOf: (name) => `el mensaje de ${name}`,
  own: 'tu mensaje',
  people: 'Personas que mencionar',
  found: (many) => `${count(many, 'persona')}: elige con las flechas e Intro.`,
}
