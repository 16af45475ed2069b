import { common } from '../words.ts'
import type { mediaWords as english } from './media.words.ts'

const { number } = common

const mib = (size: number): string => `${number(Math.ceil(size))} MiB`

/** These texts are about files: what is done to one before it is sent, and its crop. */
export const mediaWords: typeof english = {
  madeJpeg: 'Es ist jetzt ein JPEG, das jeder Kanal nimmt, ohne den Ort der Aufnahme.',
  madeSmaller: 'Die Datei wurde verkleinert, weil sie einem Kanal zu groß war.',
  unreadable: (name = ''): string =>
    `Dieser Browser kann die Datei${name} nicht lesen. Speichern Sie sie als JPEG, PNG, MP4 oder QuickTime.`,
  gone: 'Die Datei ließ sich nicht lesen. Laden Sie die Seite neu, und wählen Sie sie noch einmal.',
  videoTooLarge: (is, max) =>
    `Dieses Video hat ${mib(is)}, und ein gewählter Kanal nimmt höchstens ${mib(max)}. Exportieren Sie es kleiner: Meist genügt 1080p.`,
  preparing: (name) => `${name}: wird vorbereitet…`,
  altTextHint: 'Für Personen, die es nicht sehen. Sie erscheint mit dem Bild auf Facebook und Instagram.',
  aiGeneratedHint: 'Instagram zeigt „KI-Info“ dazu, Facebook nichts.',
  fix: 'Ein passendes JPEG-Bild daraus machen',
  crop: 'Zuschneiden…',
  cropTitle: 'Bild zuschneiden',
  cropped: 'Der Teil, der bleibt',
  shape: 'Form',
  shapes: { portrait: 'Hochformat, 4:5', square: 'Quadrat, 1:1', wide: 'Querformat, 1,91:1', whole: 'Wie es ist' },
  zoom: 'Näher',
  across: 'Von links nach rechts',
  down: 'Von oben nach unten',
  cropHint: 'Ziehen Sie das Bild oder die Regler. Die hochgeladene Datei bleibt in der Mediathek.',
  cropSubmit: 'Diesen Teil benutzen',
}
