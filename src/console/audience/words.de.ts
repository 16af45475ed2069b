import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

export const words: typeof english = {
  title: 'Publikum',
  noWorkspaceTitle: 'Es gibt noch keinen VIP-Arbeitsbereich',
  noWorkspace: 'Die Administration legt einen an und verbindet Kanäle mit ihm.',
  noChannelTitle: 'Mit diesem Arbeitsbereich ist kein Kanal verbunden',
  noChannel: 'Die Administration verbindet einen.',
  workspace: 'Arbeitsbereich',
  channel: 'Kanal',
  scope: 'Wer',
  scopeVip: 'VIPs',
  scopeAll: 'Alle',
  birthday: 'Geburtstag',
  birthdayAny: 'Beliebig oder unbekannt',
  birthdayKnown: 'Bekannt',
  birthdaySoon: (days) => (days === 1 ? 'Am nächsten Tag' : `In den nächsten ${number(days)} Tagen`),
  birthdayIn: (month) => `Im ${month}`,
  shown: (first, last, total, isCapped) =>
    `${number(first)}–${number(last)} von ${isCapped ? 'mindestens ' : ''}${count(total, 'Person', 'Personen')}`,
  sorted: '· der höchste Kundenwert zuerst',
  sortedByDay: '· der nächste Geburtstag zuerst',
  changed: (many) => `${many === 1 ? '1 hat sich geändert' : `${number(many)} haben sich geändert`}: zeigen`,
  nobody: 'Niemand',
  capped:
    'Dieser Kanal hat mehr als 25.000 Unterhaltungen: Nur die 25.000 mit dem höchsten Kundenwert werden durchsucht, deshalb kann es mehr Personen geben, als hier gezählt sind.',
  csv: 'CSV exportieren',
  csvProgress: 'Liest…',
  saved: (rows, isCapped) =>
    `${count(rows, 'Person', 'Personen')} als CSV exportiert${isCapped ? ': die mit dem höchsten Kundenwert. Es gibt mehr' : ''}.`,
  fileName: (channel, isAll, day) =>
    `${isAll ? 'publikum' : 'vips'}-${channel.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${day}.csv`,
  caption: (channel) => `Personen von ${channel}`,
  person: 'Person',
  lastPurchase: 'Letzter Kauf',
  lastMessage: 'Letzte Nachricht',
  lastOpen: 'App zuletzt geöffnet',
  vip: 'VIP',
  vipOf: (name) => `${name} ist VIP`,
  marked: (name) => `${name} ist jetzt VIP.`,
  unmarked: (name) => `${name} ist nicht mehr VIP.`,
  emptyTitle: 'Niemand gefunden',
  empty: (isAll) =>
    isAll
      ? 'Wählen Sie einen anderen Geburtstag oder Kanal.'
      : 'Wählen Sie „Alle“, und machen Sie Personen mit dem Stern zu VIPs.',
  firstPage: 'Zur ersten Seite',
  pages: 'Seiten',
  before: 'Vorige',
  next: 'Nächste',
}
