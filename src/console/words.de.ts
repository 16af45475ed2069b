import type { PostStatus } from '../interface/post-status.ts'
import { makeWording } from './wording.ts'
import type { common as english } from './words.ts'

const { locale, number, list } = makeWording({
  language: 'de',
  separator: '.',
  separated: ['de-DE'],
  separatedFrom: 1_000,
})

/** `1 Beitrag`, `2 Beiträge`. */
const count = (many: number, one: string, other = `${one}s`): string => `${number(many)} ${many === 1 ? one : other}`

const STATUSES: Record<PostStatus, string> = {
  DRAFT: 'Entwurf',
  WAITING_FOR_APPROVAL: 'Wartet auf Freigabe',
  REJECTED: 'Zurückgegeben',
  SCHEDULED: 'Geplant',
  PUBLISHING: 'Wird veröffentlicht',
  PUBLISHED: 'Veröffentlicht',
  FAILED: 'Fehlgeschlagen',
}

const FIELDS: Record<string, string> = {
  scheduledFor: 'Zeit',
  media: 'Bild oder Video',
  mediaType: 'Bild oder Video',
  altText: 'Beschreibung des Bildes',
  aiGenerated: 'KI-Hinweis',
  notes: 'Notizen',
  caption: 'Text',
  superpower: 'Superkraft',
}

const ERRORS: Record<string, string> = {
  unreachable: 'Greenroom ist nicht erreichbar. Prüfen Sie Ihre Verbindung; was Sie getippt haben, ist noch da.',
  post_changed:
    'Dieser Beitrag hat sich geändert, seit Sie ihn gesehen haben. Lesen Sie ihn noch einmal, bevor Sie entscheiden.',
  precondition_required:
    'Dieser Beitrag ist noch nicht gelesen. Warten Sie einen Moment und versuchen Sie es noch einmal.',
  already_published:
    'Er ist auf einem Kanal schon veröffentlicht, deshalb bleiben Bild oder Video, Text und Superkraft, wie sie dort veröffentlicht wurden.',
  post_not_found: 'Diesen Beitrag gibt es hier nicht: Er wurde gelöscht oder gehört einer anderen Organisation.',
  database_unavailable:
    'Greenroom kann seine Daten gerade nicht lesen oder schreiben. Es versucht es von selbst wieder.',
  stopping: 'Greenroom wird neu gestartet. Es versucht es von selbst wieder.',
  internal: 'Bei uns ist etwas schiefgegangen.',
  hashtag_conflict:
    'Ein Hashtag ist schon vergeben. Wählen Sie einen anderen, oder stoppen Sie die Superkraft des Beitrags, der ihn hat.',
  channel_in_use:
    'Dort sollen gleich Beiträge erscheinen. Setzen Sie sie zuerst auf Entwurf zurück, löschen Sie sie, oder lassen Sie sie fehlschlagen.',
  media_refused:
    'Diese Datei ist weder JPEG noch PNG, MP4 oder QuickTime. Exportieren Sie sie in eines dieser Formate.',
  superpower_unknown:
    'Diese gespeicherte Superkraft gibt es nicht mehr. Wählen Sie eine andere, oder schreiben Sie eine.',
  platform_refused: 'Die Plattform lehnt das Zugriffstoken ab. Verbinden Sie das Konto mit einem neuen.',
  platform_failed: 'Die Plattform hat nicht geantwortet, wie sie sollte. Versuchen Sie es später noch einmal.',
  platform_rate_limited: 'Die Plattform nimmt im Moment keine weiteren Aufrufe an.',
  platform_timeout:
    'Die Plattform hat nicht rechtzeitig geantwortet. Versuchen Sie es noch einmal, oder wählen Sie einen kürzeren Zeitraum.',
  ad_platform_not_connected: 'Dieses Werbekonto hat kein Zugriffstoken. Verbinden Sie es zuerst.',
  window_too_heavy: 'Dieser Zeitraum ist zu lang für die Plattform. Wählen Sie einen kürzeren.',
  window_too_old: 'Die Plattform bewahrt Zahlen 37 Monate lang auf. Wählen Sie einen späteren Zeitraum.',
  too_many_insights: 'Ihre Organisation hat gerade viele Auswertungen gelesen.',
}

export const common: typeof english = {
  locale,
  count,
  list,
  number,
  name: 'Greenroom',
  titleOf: (page, unread) => `${unread === 0 ? '' : `(${number(unread)}) `}${page} · Greenroom`,
  loading: 'Lädt…',
  hashtagInUse: (hashtag, channel) => `${hashtag} ist auf ${channel} vergeben an`,
  loseTyped: 'Was Sie getippt haben, ist nicht gespeichert, und das Abmelden löscht es. Trotzdem abmelden?',
  anotherPost: 'einen anderen Beitrag',
  pressEnter: 'Drücken Sie die Eingabetaste, um fortzufahren.',
  tryAgain: 'Noch einmal versuchen',
  undo: 'Rückgängig',
  close: 'Schließen',
  cancel: 'Abbrechen',
  save: 'Speichern',
  status: STATUSES,
  field: (name) => FIELDS[name] ?? name,
  error: (code, message) =>
    ERRORS[code] ?? (message === '' ? 'Das hat nicht geklappt. Versuchen Sie es noch einmal.' : message),
  requestId: (id) => `Nennen Sie ${id}, wenn Sie es melden.`,
  retryAfter: (seconds) => `Versuchen Sie es in ${count(seconds, 'Sekunde', 'Sekunden')} noch einmal.`,
  channelType: (type) => ({ FB_PAGE: 'Facebook-Seite', INSTAGRAM_ACCOUNT: 'Instagram-Konto' })[type] ?? type,
  copy: 'Kopieren',
  copied: 'Kopiert.',
  copyYourself: 'Der Text ist markiert: Kopieren Sie ihn mit der Tastatur.',
  haveIt: 'Ich habe es',
  noLines: 'Die Datei hat unter der ersten Zeile keine weiteren.',
  readAs: (text, as) => `${text} wurde als ${as} gelesen.`,
}
