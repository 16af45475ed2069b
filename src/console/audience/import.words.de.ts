import type { ConversationLine } from '../../interface/audience.ts'
import { common } from '../words.ts'
import type { words as english } from './import.words.ts'

const { count, list, number } = common

const FIELDS: Record<keyof ConversationLine, string> = {
  conversationId: 'ID der Unterhaltung',
  cuid: 'ID der Person',
  userName: 'Benutzername',
  firstName: 'Vorname',
  lastName: 'Nachname',
  profilePic: 'Bild (Adresse)',
  birthday: 'Geburtstag',
  lastPurchaseTimestamp: 'Letzter Kauf',
  lastUserMessageTimestamp: 'Letzte Nachricht',
  lastAppOpenTimestamp: 'App zuletzt geöffnet',
  lifetimeValue: 'Kundenwert',
  lifetimeValueAt: 'Zeit des Kundenwerts',
  vip: 'VIP',
}

export const words: typeof english = {
  title: 'Personen aus einer CSV-Datei importieren',
  file: 'CSV-Datei',
  hint: (channel) =>
    `Mit einer ersten Zeile, die die Spalten benennt. Die Personen werden auf ${channel} hinzugefügt oder dort geändert.`,
  empty: 'Die Datei hat keine erste Zeile, die die Spalten benennt.',
  preview: 'Die ersten Zeilen der Datei',
  fields: FIELDS,
  fieldOf: (column) => `Was ${column} ist`,
  leftOut: 'Weglassen',
  lacking: (fields) => `Wählen Sie die Spalten für: ${list(fields)}.`,
  twice: (fields) => `Nur eine Spalte kann das sein: ${list(fields)}.`,
  check: 'Datei prüfen',
  checked: 'Die Datei ist geprüft.',
  sending: 'Wird gesendet…',
  finishing: 'Der Dienst schließt ab…',
  stop: 'Anhalten',
  would: (created, changed) =>
    `${count(created, 'Person wäre', 'Personen wären')} neu, und ${count(changed, 'Person, die schon hier ist, würde', 'Personen, die schon hier sind, würden')} geändert.`,
  import: (many) => `${count(many, 'Zeile', 'Zeilen')} importieren`,
  imported: (many) => `${count(many, 'Zeile', 'Zeilen')} importiert.`,
  erased: (many) =>
    `${count(many, 'Zeile', 'Zeilen')} zu gelöschten Personen ${many === 1 ? 'ist' : 'sind'} weggelassen.`,
  refused: (many) => `${count(many, 'Zeile ist', 'Zeilen sind')} abgelehnt:`,
  refusedLine: (line, reason) => `Zeile ${number(line)}: ${reason}`,
  refusedFile: (name) => `abgelehnt-${name.replace(/\.csv$/i, '')}.csv`,
  saveRefused: (many) =>
    many === 1
      ? 'Die abgelehnte Zeile mit dem Grund speichern'
      : `${number(many)} abgelehnte Zeilen mit Gründen speichern`,
}
