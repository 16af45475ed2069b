import type { InboxKind } from '../../interface/inbox.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

const SAID: Record<InboxKind, (who: string) => string> = {
  returned: (who) => `${who} hat Ihren Beitrag zurückgegeben`,
  approved: (who) => `${who} hat Ihren Beitrag freigegeben`,
  failed: () => 'Ihr Beitrag wurde nicht auf jedem Kanal veröffentlicht',
  published: () => 'Ihr Beitrag wurde veröffentlicht',
  mentioned: (who) => `${who} hat Sie in der Diskussion eines Beitrags erwähnt`,
  replied: (who) => `${who} hat in der Diskussion eines Beitrags geschrieben`,
}

export const words: typeof english = {
  title: 'Eingang',
  waiting: 'Wartet auf Sie',
  waitingMany: (many, isMore) =>
    isMore
      ? `${number(many)} oder mehr Beiträge warten auf Ihre Entscheidung.`
      : `${count(many, 'Beitrag wartet', 'Beiträge warten')} auf Ihre Entscheidung.`,
  nothingWaits: 'Kein Beitrag wartet auf Ihre Entscheidung.',
  othersWait:
    'Kein Beitrag wartet auf Ihre Entscheidung. Die wartenden sind Ihre eigenen: Eine andere Person muss sie freigeben.',
  toApprovals: 'Zu den Freigaben',
  news: 'Neues zu Ihren Beiträgen',
  filter: 'Zeigen',
  all: 'Alles',
  unread: 'Ungelesenes',
  said: (kind, who) => SAID[kind](who),
  isUnread: 'Ungelesen',
  reason: (channel, reason) => `${channel}: ${reason}`,
  noText: '(ohne Text)',
  markRead: 'Als gelesen markieren',
  markUnread: 'Als ungelesen markieren',
  allRead: 'Alles als gelesen markieren',
  marked: (many) => `${count(many, 'Eintrag', 'Einträge')} als gelesen markiert.`,
  more: (many) => `${number(many)} weitere zeigen`,
  changed: (many) => `${count(many, 'Eintrag hat', 'Einträge haben')} sich geändert: zeigen`,
  emptyTitle: 'Noch nichts Neues',
  empty:
    'Wenn einer Ihrer Beiträge zurückgegeben, freigegeben oder veröffentlicht wird oder fehlschlägt, steht es hier, mit dem Grund.',
  emptyUnread: 'Sie haben alles gelesen.',
}
