import type { ImportProblemCode } from '../../interface/generated/types.ts'
import type { ImportColumn } from '../../interface/post-import.ts'
import { common } from '../words.ts'
import type { importWords as english } from './import.words.ts'
import { postWords } from './words.ts'

const { count, number } = common

const PROBLEMS: Record<ImportProblemCode, string> = {
  time_unreadable: 'Schreiben Sie die Zeit wie 2026-12-24 18:00.',
  time_ambiguous: 'Sagen Sie oben, welches Datum das ist.',
  time_never: 'Diese Uhrzeit gibt es dort nicht: Dann wird die Uhr vorgestellt. Wählen Sie eine andere.',
  time_twice:
    'Diese Uhrzeit gibt es zweimal, weil dann die Uhr zurückgestellt wird. Fügen Sie die Zone hinzu, etwa 2026-10-25T02:30+02:00.',
  time_past: 'Diese Zeit ist vorbei. Wählen Sie eine in der Zukunft, oder lassen Sie sie leer.',
  channel_missing: 'Nennen Sie den Kanal.',
  channel_unknown: 'Es gibt keinen Kanal mit diesem Namen oder dieser ID.',
  channel_ambiguous: 'Mehrere Kanäle haben diesen Namen. Wählen Sie den gemeinten.',
  channel_forbidden: 'Sie dürfen auf diesem Kanal keine Beiträge schreiben. Wählen Sie einen anderen.',
  channel_rounded: 'Eine Tabelle hat diese ID gerundet: Wählen Sie den Kanal.',
  text_missing: 'Schreiben Sie einen Text.',
  text_too_long: 'Kürzen Sie den Text.',
  media_no_url: 'Eine Adresse beginnt mit https:// oder http://.',
  media_gone: 'Diese hochgeladene Datei gibt es nicht oder nicht mehr.',
  media_refused: 'Der Kanal nimmt diese Datei nicht an.',
  notes_too_long: 'Kürzen Sie die Notizen.',
  too_many_cells:
    'Die Zeile hat mehr Zellen als Spalten: Was nach der letzten Spalte kommt, geht verloren. Prüfen Sie den Text.',
  characters_lost: 'Zeichen der Datei sind verloren: Speichern Sie sie in UTF-8, und importieren Sie sie noch einmal.',
}

/** These texts are about the import of posts from a CSV. */
export const importWords: typeof english = {
  title: 'Beiträge importieren',
  open: 'Aus CSV importieren…',
  lead: (zone) =>
    `Jede Zeile wird ein Entwurf, der wie jeder andere freigegeben wird. Zeiten gelten in ${zone}, wenn die Datei keine andere Zone nennt.`,
  columns:
    'Spalten: time (Zeit), channel (Name oder ID des Kanals), text (Text), media (eine Adresse) und notes (Notizen). Nur channel und text sind nötig.',
  template: 'Vorlage herunterladen',
  templateName: 'beitraege.csv',
  example: {
    text: 'Der Text des Beitrags. In einer Tabelle kann er mehrere Zeilen haben.',
    channel: 'Der Name eines Kanals',
  },
  choose: 'Datei wählen…',
  tooLarge: 'Die Datei ist zu groß: Teilen Sie sie, mit höchstens 500 Zeilen je Teil.',
  whichDate: (text) => `Welches Datum ist ${text}? Die Antwort gilt für die ganze Datei.`,
  lines: 'Zeilen der Datei',
  line: (many) => `Zeile ${number(many)}`,
  summary: (lines, wrong) =>
    wrong === 0
      ? `${count(lines, 'Zeile kann', 'Zeilen können')} importiert werden.`
      : `${number(wrong)} von ${count(lines, 'Zeile', 'Zeilen')} ${wrong === 1 ? 'hat ein Problem: Berichtigen Sie sie, oder lassen Sie sie weg' : 'haben ein Problem: Berichtigen Sie diese, oder lassen Sie sie weg'}.`,
  onlyWrong: 'Nur Zeilen mit einem Problem zeigen',
  correct: 'Berichtigen',
  leaveOut: 'Weglassen',
  column: { time: 'Zeit', channel: 'Kanal', text: 'Text', media: 'Bild oder Video', notes: 'Notizen' } as Record<
    ImportColumn,
    string
  >,
  done: 'Fertig',
  chooseChannel: 'Kanal wählen',
  import: (many) => `${count(many, 'Entwurf', 'Entwürfe')} importieren`,
  imported: (many) => `${count(many, 'Entwurf ist', 'Entwürfe sind')} importiert.`,
  toCalendar: 'Kalender zeigen',
  another: 'Weitere Datei importieren',
  permissionMissing:
    'Sie können Beiträge ansehen, aber nicht schreiben. Bitten Sie die Administration um das Recht dazu.',
  problem: (code, message, excess) =>
    excess === undefined
      ? (PROBLEMS[code] ?? message)
      : `Der Kanal nimmt höchstens ${postWords.editor.most(excess.what, excess.max)}: Dieser Text hat ${number(excess.count)}.`,
}
