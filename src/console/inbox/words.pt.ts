import type { InboxKind } from '../../interface/inbox.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

const SAID: Record<InboxKind, (who: string) => string> = {
  returned: (who) => `${who} devolveu a sua publicação`,
  approved: (who) => `${who} aprovou a sua publicação`,
  failed: () => 'A sua publicação não saiu em todos os canais',
  published: () => 'A sua publicação foi publicada',
  mentioned: (who) => `${who} mencionou você na discussão de uma publicação`,
  replied: (who) => `${who} escreveu na discussão de uma publicação`,
}

export const words: typeof english = {
  title: 'Caixa de entrada',
  waiting: 'Aguarda você',
  waitingMany: (many, isMore) =>
    isMore
      ? `${number(many)} publicações ou mais aguardam a sua decisão.`
      : `${count(many, 'publicação aguarda', 'publicações aguardam')} a sua decisão.`,
  nothingWaits: 'Nenhuma publicação aguarda a sua decisão.',
  othersWait: 'Nenhuma publicação aguarda a sua decisão. As que aguardam são suas: outra pessoa precisa aprová-las.',
  toApprovals: 'Ir para Aprovações',
  news: 'Novidades sobre as suas publicações',
  filter: 'Mostrar',
  all: 'Todas',
  unread: 'Não lidas',
  said: (kind, who) => SAID[kind](who),
  isUnread: 'Não lida',
  reason: (channel, reason) => `${channel}: ${reason}`,
  noText: '(sem texto)',
  markRead: 'Marcar como lida',
  markUnread: 'Marcar como não lida',
  allRead: 'Marcar todas como lidas',
  marked: (many) => `${count(many, 'entrada marcada como lida', 'entradas marcadas como lidas')}.`,
  more: (many) => `Mostrar mais ${number(many)}`,
  changed: (many) => `${count(many, 'entrada mudou', 'entradas mudaram')}: mostrar`,
  emptyTitle: 'Ainda não há novidades',
  empty: 'Quando uma publicação sua é devolvida, aprovada, publicada ou falha, isso aparece aqui, com o motivo.',
  emptyUnread: 'Você leu tudo.',
}
