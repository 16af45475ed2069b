import { common } from '../words.ts'
import type { mediaWords as english } from './media.words.ts'
import { postWords } from './words.ts'

const { number } = common

const mib = (size: number): string => `${number(Math.ceil(size))} MiB`

/** These texts are about files: what is done to one before it is sent, and its crop. */
export const mediaWords: typeof english = {
  madeJpeg:
    'Daraus wurde ein JPEG-Bild, das jeder Kanal nimmt. Was die Kamera vom Ort festgehalten hatte, ist nicht mehr darin.',
  madeSmaller: 'Die Datei wurde verkleinert, weil ein Kanal keine von ihrer Größe nimmt.',
  unreadable:
    'Dieser Browser kann die Datei weder als Bild noch als Video lesen. Speichern Sie sie als JPEG, PNG, MP4 oder QuickTime, und laden Sie diese hoch.',
  gone: 'Die Datei ließ sich nicht lesen. Laden Sie die Seite neu, und wählen Sie sie noch einmal.',
  videoTooLarge: (is, max) =>
    `Dieses Video hat ${mib(is)}, und ein gewählter Kanal nimmt höchstens ${mib(max)}. Exportieren Sie es kleiner: Meist genügt 1080p.`,
  preparing: (name) => `${name}: wird vorbereitet…`,
  altText: 'Beschreibung des Bildes',
  altTextHint: 'Für Personen, die es nicht sehen. Sie erscheint mit dem Bild auf Facebook und Instagram.',
  altTextCount: (many, max) => postWords.editor.count('characters', many, max),
  fix: 'Ein passendes JPEG-Bild daraus machen',
  crop: 'Zuschneiden…',
  cropTitle: 'Bild zuschneiden',
  cropped: 'Der Teil, der bleibt',
  shape: 'Form',
  shapes: { portrait: 'Hochformat, 4:5', square: 'Quadrat, 1:1', wide: 'Querformat, 1,91:1', whole: 'Wie es ist' },
  zoom: 'Näher',
  across: 'Von links nach rechts',
  down: 'Von oben nach unten',
  cropHint: 'Ziehen Sie das Bild, oder bewegen Sie die Regler. Die hochgeladene Datei bleibt in der Mediathek.',
  cropSubmit: 'Diesen Teil benutzen',
}
