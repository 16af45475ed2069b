import { lazily } from '../wording.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

const percents = lazily(() => new Intl.NumberFormat(common.locale, { style: 'percent', maximumFractionDigits: 0 }))

export const words: typeof english = {
  title: 'Auswertung',
  toSettings: 'Zu den Werbekonten',
  noAccountTitle: 'Es gibt noch kein Werbekonto',
  noAccount: 'Die Administration fügt eines mit seinem Zugriffstoken hinzu.',
  account: 'Werbekonto',
  notConnectedName: (name) => `${name} (nicht verbunden)`,
  notConnected: 'Dieses Werbekonto ist nicht verbunden: Die Administration gibt ihm ein Zugriffstoken.',
  window: 'Zeitraum',
  lastDays: (days) => (days === 1 ? 'Heute' : `Die letzten ${number(days)} Tage mit heute`),
  ownWindow: 'Eigener Zeitraum',
  periods: {
    yesterday: 'Gestern',
    week: 'Die letzten 7 vollen Tage',
    month: 'Dieser Monat bisher',
    'last-month': 'Voriger Monat',
  },
  comparison: 'Vergleich',
  comparisons: {
    previous: 'Die Tage davor',
    year: 'Dieselben Tage im Vorjahr',
    none: 'Nichts',
  },
  notKept: (months) =>
    `Die Plattform bewahrt ihre Zahlen ${count(months, 'Monat', 'Monate')} lang auf, deshalb wird der andere Zeitraum nicht verglichen.`,
  from: 'Von',
  to: 'Bis',
  windowName: (first, last) => (first === last ? first : `${first} – ${last}`),
  lead: (window, currency, zone) => `${window}. Geld ist in ${currency}; Tage sind die des Kontos, in ${zone}.`,
  wrongOrder: 'Der letzte Tag liegt vor dem ersten.',
  tooLong: (days) => `Wählen Sie höchstens ${count(days, 'Tag', 'Tage')}.`,
  reading: (pages, campaigns) =>
    pages === 0
      ? 'Fragt die Plattform…'
      : `Liest von der Plattform… bisher ${count(campaigns, 'Kampagne', 'Kampagnen')} auf ${count(pages, 'Seite', 'Seiten')}`,
  waiting: (seconds) =>
    `Die Plattform bittet, ${count(seconds, 'Sekunde', 'Sekunden')} zu warten. Es geht von selbst weiter.`,
  readingBefore: 'Liest den anderen Zeitraum…',
  readAt: (time) => `Gelesen um ${time}`,
  readAgain: 'Aktualisieren',
  noBefore: 'Der andere Zeitraum ließ sich nicht lesen, deshalb gibt es keinen Vergleich.',
  metrics: 'Kennzahl wählen',
  metric: {
    spend: 'Ausgaben',
    delivered: 'Zugestellt',
    readRate: 'Leserate',
    clicks: 'Klicks',
    clickRate: 'Klickrate',
    costPerDelivered: 'Kosten je Zustellung',
    costPerClick: 'Kosten je Klick',
  },
  change: (percent) => {
    if (percent === undefined) return 'kein Vergleich'
    if (Math.abs(percent) < 0.5) return 'unverändert'
    return `${percents().format(Math.abs(percent) / 100)} ${percent > 0 ? 'mehr' : 'weniger'} als zuvor`
  },
  changeInPoints: (points, digits) => {
    if (points === undefined) return 'kein Vergleich'
    const size = Math.abs(points).toFixed(digits)
    if (Number(size) === 0) return 'unverändert'
    return `${size.replace('.', ',')} ${Number(size) === 1 ? 'Punkt' : 'Punkte'} ${points > 0 ? 'mehr' : 'weniger'} als zuvor`
  },
  thisWindow: 'Dieser Zeitraum',
  point: (day, value, before) => (before === undefined ? `${day}: ${value}` : `${day}: ${value} (zuvor: ${before})`),
  overDays: (metric) => `${metric} über die Tage`,
  days: 'Tag für Tag',
  daysOf: (name) => `Tag für Tag: ${name}`,
  day: 'Tag',
  inSum: 'Summe',
  soFar: 'bisher',
  mayChange: 'kann sich noch ändern',
  provisional: (days) =>
    `≈ kann sich noch ändern: Die Plattform berichtigt ihre Zahlen bis zu ${number(days)} Tage lang.`,
  leftOut: (many, cutoff) =>
    many === 1
      ? `Hier nicht gezählt: 1 Kampagne, die in diesem Zeitraum zugestellt hat und vor dem ${cutoff} angelegt wurde.`
      : `Hier nicht gezählt: ${number(many)} Kampagnen, die in diesem Zeitraum zugestellt haben und vor dem ${cutoff} angelegt wurden.`,
  cutoff: (cutoff) => `Kampagnen, die vor dem ${cutoff} angelegt wurden, zählen nicht.`,
  showInstead: (window) => `Stattdessen ${window} zeigen`,
  noSuchAccount: (id) => `Ein Werbekonto ${id} gibt es hier nicht. Wählen Sie ein anderes.`,
  allCampaigns: 'Alle Kampagnen',
  showAll: 'Alle Kampagnen zeigen',
  byCampaign: 'Nach Kampagne',
  filter: 'Kampagnen filtern',
  noneFound: (search) => `Keine Kampagne heißt „${search}“.`,
  totalOf: (many) => `Summe von ${count(many, 'Kampagne', 'Kampagnen')}`,
  campaigns: 'Kampagnen',
  campaign: 'Kampagne',
  beforeHead: (metric) => `${metric}, Vergleich`,
  csv: 'CSV exportieren',
  saved: (rows) => `${count(rows, 'Zeile', 'Zeilen')} als CSV exportiert.`,
  fileName: (account, what, first, last, of = '') =>
    `auswertung-${[account, of, what]
      .filter(Boolean)
      .join('-')
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${first}-${last}.csv`,
  emptyTitle: 'Nichts wurde zugestellt',
  empty: 'Keine Kampagne mit Marketing-Nachrichten hat an diesen Tagen zugestellt. Wählen Sie andere.',
}
