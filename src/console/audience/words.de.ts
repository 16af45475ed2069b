import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

const MONTHS = [
  ...['Januar', 'Februar', 'März', 'April', 'Mai', 'Juni'],
  ...['Juli', 'August', 'September', 'Oktober', 'November', 'Dezember'],
]

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
  // Without Intl, whose first use in a page takes longer than the page.
  birthdayIn: (month) => `Im ${MONTHS[month - 1]}`,
  birthdayOn: (day, month, year) => `${day}. ${MONTHS[month - 1] ?? month}${year === undefined ? '' : ` ${year}`}`,
  sort: 'Reihenfolge',
  sorts: {
    value: 'Der höchste Kundenwert zuerst',
    name: 'Nach Namen',
    lastPurchase: 'Der neueste Kauf zuerst',
    lastMessage: 'Die neueste Nachricht zuerst',
    birthday: 'Der nächste Geburtstag zuerst',
  },
  segment: 'Segment',
  noSegment: 'Kein Segment',
  unknownSegment: 'Ein Segment, das es nicht mehr gibt',
  readingSegments: 'Liest…',
  segments: 'Segmente',
  importCsv: 'CSV importieren',
  shown: (first, last, total, isCapped) =>
    `${number(first)}–${number(last)} von ${isCapped ? 'mindestens ' : ''}${count(total, 'Person', 'Personen')}`,
  sorted: {
    value: '· der höchste Kundenwert zuerst',
    name: '· nach Namen',
    lastPurchase: '· der neueste Kauf zuerst',
    lastMessage: '· die neueste Nachricht zuerst',
    birthday: '· der nächste Geburtstag zuerst, ohne die, deren Geburtstag nicht bekannt ist',
  },
  noneHere: 'Niemand unter den 10.000 Personen, die angesehen wurden: Weiter hinten kann es welche geben.',
  changed: (many) => `${many === 1 ? '1 hat sich geändert' : `${number(many)} haben sich geändert`}: zeigen`,
  nobody: 'Niemand',
  capped:
    'Dieser Kanal hat mehr als 25.000 Unterhaltungen: Durchsucht werden die mit dem höchsten Kundenwert, und es kann mehr Personen geben als hier gezählt.',
  csv: 'CSV exportieren',
  csvProgress: 'Liest…',
  saved: (rows, isCapped) =>
    `${count(rows, 'Person', 'Personen')} als CSV exportiert${isCapped ? ': die mit dem höchsten Kundenwert. Es gibt mehr' : ''}.`,
  fileName: (channel, isAll, day) =>
    `${isAll ? 'publikum' : 'vips'}-${channel.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${day}.csv`,
  caption: (channel) => `Personen von ${channel}`,
  person: 'Person',
  rank: 'Rang',
  value: 'Kundenwert',
  valueIn: (currency) => `Kundenwert in ${currency}`,
  money: (value) => {
    const [whole = '0', cents = '00'] = Math.abs(value).toFixed(2).split('.')
    // Larger ones are written as programs do.
    if (!/^\d{1,15}$/.test(whole)) return String(value)
    return `${value < 0 ? '−' : ''}${number(Number(whole))}${cents === '00' ? '' : `,${cents}`}`
  },
  choose: (name) => `${name} auswählen`,
  chooseAll: 'Alle dieser Seite auswählen',
  chosen: (many) => `${count(many, 'Person', 'Personen')} ausgewählt`,
  markChosen: 'Als VIPs markieren',
  unmarkChosen: 'Nicht mehr als VIPs markieren',
  chooseNone: 'Niemanden auswählen',
  changedTogether: (marked, unmarked) =>
    [
      ...(marked > 0 ? [`${count(marked, 'Person ist jetzt VIP', 'Personen sind jetzt VIPs')}.`] : []),
      ...(unmarked > 0 ? [`${count(unmarked, 'Person ist nicht mehr VIP', 'Personen sind keine VIPs mehr')}.`] : []),
    ].join(' ') || 'Nichts hat sich geändert.',
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
