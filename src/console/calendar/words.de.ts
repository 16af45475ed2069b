import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

export const words: typeof english = {
  title: 'Kalender',
  view: 'Ansicht',
  views: { month: 'Monat', week: 'Woche', list: 'Liste' },
  before: (isWeek) => (isWeek ? 'Vorige Woche' : 'Voriger Monat'),
  after: (isWeek) => (isWeek ? 'Nächste Woche' : 'Nächster Monat'),
  today: 'Heute',
  week: (first, last) => `${first} – ${last}`,
  channel: 'Kanal',
  allChannels: 'Alle Kanäle',
  status: 'Status',
  allStatuses: 'Jeder Status',
  zone: (zone) => `Alle Zeiten gelten in ${zone}.`,
  day: (day, many) => (many === 0 ? day : `${day}, ${count(many, 'Beitrag', 'Beiträge')}`),
  moreOnDay: (many) => `${number(many)} weitere`,
  empty: 'Hier sind keine Beiträge. Wählen Sie einen anderen Monat oder andere Filter.',
  move: 'Verschieben',
  moveOne: (name) => `„${name}“ verschieben`,
  moveTitle: 'Den Beitrag verschieben',
  moved: (time) => `Auf ${time} verschoben.`,
  movedMany: (many) => `${count(many, 'Beitrag', 'Beiträge')} verschoben.`,
  movedBack: 'Zurückverschoben.',
  changedMeanwhile:
    'Nichts wurde verschoben: Der Beitrag hat sich eben geändert. Sehen Sie ihn an, und versuchen Sie es noch einmal.',
  changed: 'er hat sich eben geändert',
  timePast: 'diese Zeit ist vorbei',
  timeNever: 'die Uhr überspringt dort diese Zeit',
  timeTwice: 'die Uhr zeigt diese Zeit dort zweimal: verschieben Sie ihn einzeln',
  refusedOne: (name, reason) => `„${name}“: ${reason.replace(/\.$/, '')}`,
  notMoved: (refused) => `${count(refused.length, 'Beitrag', 'Beiträge')} nicht verschoben. ${refused.join('; ')}.`,
  notMovedBack: (refused) =>
    `${count(refused.length, 'Beitrag', 'Beiträge')} nicht zurückverschoben. ${refused.join('; ')}.`,
  keyboardHint:
    'Pfeiltasten wechseln den Tag; Tab führt zu den Beiträgen eines Tages. C, oder Eingabe an einem leeren Tag, beginnt einen Beitrag; M verschiebt einen, und X wählt ihn aus.',
  newOn: (day) => `Neuer Beitrag am ${day}`,
  newAtSlot: 'Neuer Beitrag um',
  planOne: (name) => `„${name}“ planen`,
  plan: 'Planen…',
  planTitle: 'Den Beitrag planen',
  planSubmit: 'Planen',
  tray: 'Ohne Zeit',
  trayHint:
    'Ziehen Sie einen auf einen Tag, oder planen Sie ihn. Ein Entwurf, der hierher gezogen wird, wird aus dem Kalender genommen.',
  trayEmpty: 'Jeder Beitrag hat eine Zeit. Ein Entwurf, der hierher gezogen wird, wird aus dem Kalender genommen.',
  takeOut: 'Aus dem Kalender nehmen',
  takenOut: (name) => `„${name}“ hat jetzt keine Zeit.`,
  takeOutRefused: (status) =>
    `Nur ein Entwurf oder ein zurückgegebener Beitrag kann ohne Zeit sein. Der Status von diesem: ${status}.`,
  video: 'Video',
  crowded: 'Weniger als eine Stunde von einem anderen Beitrag auf dem Kanal entfernt',
  selectOne: (name) => `„${name}“ auswählen`,
  selection: 'Ausgewählte Beiträge',
  selected: (many) => `${count(many, 'Beitrag', 'Beiträge')} ausgewählt.`,
  shiftBy: (days) =>
    ({ '-7': 'Eine Woche früher', '-1': 'Einen Tag früher', '1': 'Einen Tag später', '7': 'Eine Woche später' })[
      days
    ] ?? '',
  shiftDays: 'Tage',
  shift: 'Um so viele Tage verschieben',
  clearSelection: 'Auswahl aufheben',
  search: 'In Texten und Notizen suchen',
  found: (many, max) =>
    many < max
      ? `${count(many, 'Beitrag', 'Beiträge')} gefunden, zu beliebiger Zeit.`
      : `Die ersten ${count(many, 'Beitrag', 'Beiträge')}, die gefunden wurden, zu beliebiger Zeit.`,
  foundNone: 'Kein Beitrag hat das in Text oder Notizen.',
  tools: 'Mehr',
  feed: 'In meinem Kalenderprogramm zeigen…',
  slots: 'Sendeplätze…',
}
