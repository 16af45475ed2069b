import type { InboxKind } from '../../interface/inbox.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

const SAID: Record<InboxKind, (who: string) => string> = {
  returned: (who) => `${who} ha devuelto tu publicación`,
  approved: (who) => `${who} ha aprobado tu publicación`,
  failed: () => 'Tu publicación no ha salido en todos los canales',
  published: () => 'Tu publicación ha salido',
  mentioned: (who) => `${who} te ha mencionado en el debate de una publicación`,
  replied: (who) => `${who} ha escrito en el debate de una publicación`,
}

export const words: typeof english = {
  title: 'Bandeja de entrada',
  waiting: 'Te espera',
  waitingMany: (many, isMore) =>
    isMore
      ? `${number(many)} publicaciones o más esperan tu decisión.`
      : `${count(many, 'publicación espera', 'publicaciones esperan')} tu decisión.`,
  nothingWaits: 'Ninguna publicación espera tu decisión.',
  othersWait: 'Ninguna publicación espera tu decisión. Las que esperan son tuyas: debe aprobarlas otra persona.',
  toApprovals: 'Ir a Aprobaciones',
  news: 'Novedades de tus publicaciones',
  filter: 'Mostrar',
  all: 'Todas',
  unread: 'Sin leer',
  said: (kind, who) => SAID[kind](who),
  isUnread: 'Sin leer',
  reason: (channel, reason) => `${channel}: ${reason}`,
  noText: '(sin texto)',
  markRead: 'Marcar como leída',
  markUnread: 'Marcar como no leída',
  allRead: 'Marcar todas como leídas',
  marked: (many) => `${count(many, 'entrada marcada como leída', 'entradas marcadas como leídas')}.`,
  more: (many) => `Mostrar ${number(many)} más`,
  changed: (many) => `${count(many, 'entrada ha cambiado', 'entradas han cambiado')}: mostrar`,
  emptyTitle: 'Todavía no hay novedades',
  empty: 'Cuando una de tus publicaciones se devuelve, se aprueba, se publica o falla, se dice aquí, con el motivo.',
  emptyUnread: 'Lo has leído todo.',
}
