import { common } from '../words.ts'
import type { words as english } from './segments.words.ts'

const { count } = common

export const words: typeof english = {
  title: 'Segmente',
  hint: 'Ein Segment ist ein Name für Personen, die etwas gemeinsam haben. Wer dazugehört, folgt bei jedem Blick aus den Bedingungen.',
  none: 'Es gibt noch kein Segment.',
  add: 'Neues Segment',
  added: 'Das Segment ist gespeichert.',
  edit: 'Bearbeiten',
  changed: 'Das Segment ist geändert.',
  delete: 'Löschen',
  deleted: (name) => `„${name}“ ist gelöscht`,
  show: 'Zeigen',
  name: 'Name',
  who: 'Wer',
  whos: { any: 'VIPs und andere', vip: 'VIPs', others: 'Alle, die nicht VIP sind' },
  valueAbove: 'Kundenwert über',
  noPurchase: 'Kein Kauf seit so vielen Tagen',
  birthday: 'Geburtstag binnen so vieler Tage, heute mitgezählt',
  noCondition: 'Füllen Sie mindestens eine der Bedingungen aus: Ohne eine gehören alle zum Segment.',
  isVip: 'VIPs',
  isNoVip: 'keine VIPs',
  isAbove: (value) => `Wert über ${value}`,
  isQuiet: (days) => `seit ${count(days, 'Tag', 'Tagen')} kein Kauf`,
  isBirthday: (days) => `Geburtstag in ${count(days, 'Tag', 'Tagen')} oder früher`,
}
