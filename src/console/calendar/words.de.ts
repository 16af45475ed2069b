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
  movedBack: 'Zurückverschoben.',
  changedMeanwhile:
    'Nichts wurde verschoben: Der Beitrag hat sich eben geändert. Sehen Sie ihn an, und versuchen Sie es noch einmal.',
  keyboardHint: 'Pfeiltasten wechseln den Tag; Tab führt zu den Beiträgen eines Tages.',
}
