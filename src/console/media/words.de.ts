import { postWords } from '../posts/words.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { number } = common

/** These texts are about the library of uploaded files. */
export const words: typeof english = {
  title: 'Mediathek',
  lead: 'Bilder und Videos, die hier hochgeladen wurden, die neuesten zuerst.',
  off: 'Dieser Server nimmt keine Dateien an: Beiträge benutzen Dateien, die schon im Netz sind.',
  kind: 'Zeigen',
  kinds: { '': 'Alles', IMAGE: 'Bilder', VIDEO: 'Videos' },
  search: 'Name enthält',
  files: 'Dateien',
  unnamed: (mediaType, time) => `${mediaType === 'VIDEO' ? 'Video' : 'Bild'} von ${time}`,
  facts: ({ contentType, width, height, bytes }) =>
    `${postWords.fileKind(contentType)}, ${number(width)} × ${number(height)}, ${postWords.fileSize(bytes)}`,
  uploaded: (time) => `Hochgeladen ${time}`,
  usedBy: 'Benutzt von',
  post: 'einem Beitrag',
  inStatus: (status) => `(Status: ${common.status[status]})`,
  unused: 'Kein Beitrag benutzt sie.',
  inUse:
    'Sie lässt sich nicht löschen, solange ein Beitrag, der sie benutzt, auf Freigabe wartet, geplant ist oder gerade veröffentlicht wird.',
  delete: 'Löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteUnused: 'Das lässt sich nicht rückgängig machen.',
  deleteUsed:
    'Das lässt sich nicht rückgängig machen. Was veröffentlicht ist, behält seine Kopie. Ein Entwurf, der die Datei benutzt, braucht eine andere; ein fehlgeschlagener Beitrag lässt sich ohne sie nicht noch einmal versuchen.',
  deleted: (name) => `${name} ist gelöscht.`,
  emptyTitle: 'Hier sind keine Dateien',
  empty: 'Dateien, die Sie in einem Beitrag hochladen, erscheinen hier.',
  emptyFilter: 'Keine Datei passt. Wählen Sie einen anderen Filter.',
  pages: 'Seiten',
  newest: 'Neueste',
  older: 'Ältere',
  choose: 'Aus der Mediathek wählen…',
  chooseTitle: 'Bild oder Video wählen',
  asPage: 'Die Mediathek als Seite öffnen',
}
