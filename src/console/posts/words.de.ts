import type { PostAction } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import type { postWords as englishPosts, superpowerWords as englishSuperpowers } from './words.ts'

const { count, list, number } = common

const ACTIONS: Record<PostAction, string> = {
  created: 'hat ihn angelegt',
  updated: 'hat ihn geändert',
  submitted: 'hat um Freigabe gebeten',
  approved: 'hat ihn freigegeben',
  rejected: 'hat ihn zurückgegeben',
  reverted: 'hat ihn auf Entwurf zurückgesetzt',
  retried: 'hat ihn wieder geplant',
  claimed: 'hat begonnen, ihn zu veröffentlichen',
  waits: 'muss damit warten',
  published: 'hat ihn veröffentlicht',
  failed: 'konnte ihn nicht veröffentlichen',
  deleted: 'hat ihn gelöscht',
}

const ACTION_WORDS: Record<string, string> = {
  COMMENTED: 'kommentiert',
  LIKED: 'den Beitrag mit „Gefällt mir“ markiert',
  SHARED: 'den Beitrag teilt',
  MESSAGED: 'eine Nachricht schreibt',
}

const quote = (text: string): string => `„${text}“`

const FILE_KINDS: Record<string, string> = {
  'image/jpeg': 'JPEG-Bild',
  'image/png': 'PNG-Bild',
  'video/mp4': 'MP4-Video',
  'video/quicktime': 'QuickTime-Video',
}

const fileKind = (contentType: string): string => FILE_KINDS[contentType] ?? contentType

/** Thousands of bytes below a million. */
const fileSize = (bytes: number): string =>
  bytes < 100_000 ? `${number(Math.ceil(bytes / 1000))} kB` : `${number(Math.ceil(bytes / 100_000) / 10)} MB`

/** The units of which a channel takes only so many. */
const counted = (what: string): string =>
  ({ characters: 'Zeichen', hashtags: 'Hashtags', mentions: 'Erwähnungen' })[what] ?? what

/** The acts that a superpower may have as its target. */
const targeted = (many: number, what: string): string => {
  switch (what) {
    case 'comment':
      return count(many, 'Kommentar', 'Kommentare')
    case 'like':
      return `${number(many)}-mal „Gefällt mir“`
    case 'share':
      return `${number(many)}-mal geteilt`
    default:
      return `${number(many)} ${what}`
  }
}

const FILE_TYPES: Record<string, string> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'video/mp4': 'MP4',
  'video/quicktime': 'QuickTime',
}

export const postWords: typeof englishPosts = {
  action: ACTIONS,
  fileKind,
  fileSize,
  actor: (type, id) =>
    ({
      operator: 'Die Betriebsleitung',
      publisher: 'Der Veröffentlicher',
      key: `Schlüssel ${id}`,
      user: 'Ein Mitglied',
    })[type] ?? type,
  deletedAccount: 'Ein gelöschtes Konto',
  tookBack: 'hat die eigene Entscheidung zurückgenommen',
  changedOn: (channel) => `Text oder Superkraft auf ${channel}`,
  overdue: 'Überfällig',
  noTime: 'Noch keine Zeit',
  altText: 'Beschreibung des Bildes',
  aiGenerated: 'Mit KI erstellt oder bearbeitet',
  preview: {
    label: (name, type) => `So zeigt ihn ${name} (${type})`,
    noText: 'Noch kein Text',
    noMedia: 'Noch kein Bild oder Video',
    imageAlt: 'Das Bild des Beitrags',
    imageFailed: 'Das Bild lässt sich hier nicht zeigen',
    video: 'Das Video des Beitrags',
    videoFailed: 'Das Video lässt sich hier nicht abspielen',
    more: { instagram: 'mehr', facebook: 'Mehr ansehen' },
    less: 'Zeigen, wie ihn der Feed kürzt',
    gone: 'Diese Datei wurde aus der Bibliothek gelöscht: Der Beitrag braucht eine andere.',
    openMedia: 'In einem neuen Tab öffnen',
  },
  superpower: {
    title: (name) => (name === '' ? 'Superkraft' : `Superkraft: ${name}`),
    inactive: 'Sie ist inaktiv.',
    hashtag: (hashtag) => `Ihr Hashtag ist ${hashtag}.`,
    when: (conditions) => (conditions.length === 0 ? 'Immer:' : `Wenn jemand ${conditions.join(', oder ')}:`),
    condition: (action, values, logic) => {
      const does = ACTION_WORDS[action] ?? (action === '' ? 'reagiert' : `${action} tut`)
      if (values.length === 0) return does
      const said = list(values.map(quote))
      return `${does}, mit ${logic === 'ANY_VALUE' ? 'einem von ' : ''}${said}`
    },
    publicReply: (text) => `öffentlich antworten${text === '' ? '' : `: ${quote(text)}`}`,
    privateReply: (text) => `eine Nachricht senden${text === '' ? '' : `: ${quote(text)}`}`,
    like: 'das Geschriebene mit „Gefällt mir“ markieren',
    takesPart: 'an der Verlosung teilnehmen lassen',
    timeLimit: (many, unit) =>
      `je Person einmal in ${unit === 'HOUR' ? count(many, 'Stunde', 'Stunden') : count(many, unit.toLowerCase())}`,
    target: (what, many) => `Ziel: ${targeted(many, what)}.`,
    raffle: (winners, end) =>
      `Verlosung${winners === undefined ? '' : ` mit ${count(winners, 'Gewinn', 'Gewinnen')}`}${end ? `, bis ${end}` : ''}.`,
    usersLimit: (many) => `Für höchstens ${count(many, 'Person', 'Personen')}.`,
    expires: (time) => `Endet ${time}.`,
  },
  editor: {
    title: 'Beitrag',
    titleOf: (name) => `Beitrag: ${name}`,
    backTo: (page) => `Zurück: ${page}`,
    newTitle: 'Neuer Beitrag',
    channels: 'Kanäle und Text',
    noChannels: 'Es gibt noch keinen Kanal: Bitten Sie die Administration, einen zu verbinden.',
    noChannel: 'Wählen Sie einen Kanal, um zu sehen, wie es aussieht.',
    notConnected: 'nicht verbunden',
    caption: (channel) => `Text auf ${channel}`,
    count: (what, many, max) => `${number(many)} von ${number(max)} ${counted(what)}`,
    tooMuch: (limits) => `Zu viel für diesen Kanal: höchstens ${list(limits)}.`,
    copy: 'Auf allen Kanälen benutzen',
    copied: 'Der Text steht auf allen Kanälen.',
    superpower: (channel) => `Superkraft auf ${channel}`,
    superpowerNone: 'Keine',
    superpowerNew: 'Eine schreiben…',
    superpowerEdit: 'Bearbeiten…',
    superpowerOwn: (name) => (name === '' ? 'Eigene' : `${name} (eigene)`),
    superpowerKept: (name) => (name === '' ? 'Unverändert' : `Unverändert: ${name}`),
    media: 'Bild oder Video',
    mediaUrl: 'Webadresse',
    mediaHint: 'Beide Plattformen holen die Datei von dort, sie muss also öffentlich sein.',
    mediaNoUrl: 'Eine Adresse beginnt mit https:// oder http://.',
    upload: 'Datei hochladen…',
    uploadHint: 'Oder hierher ziehen: ein Bild, oder ein Video als MP4 oder QuickTime.',
    uploading: (name, part) => (part < 1 ? `${name}: ${Math.floor(part * 100)} %` : `${name}: wird geprüft…`),
    uploaded: (name) => `${name} ist hochgeladen.`,
    mediaFacts: ({ contentType, bytes, width, height, durationMs }) =>
      list([
        fileKind(contentType),
        `${number(width)} × ${number(height)} Pixel`,
        ...(durationMs === undefined ? [] : [count(Math.round(durationMs / 1000), 'Sekunde', 'Sekunden')]),
        fileSize(bytes),
      ]),
    mediaRefused: (channel, problems) => `${channel} nimmt nur ${list(problems)}.`,
    mediaProblem: (problem) => {
      switch (problem.what) {
        case 'type':
          return problem.types.map((type) => FILE_TYPES[type] ?? type).join(' oder ')
        case 'size':
          return `Dateien von höchstens ${number(problem.mibMax)} MiB`
        case 'ratio':
          return `eine Breite vom ${number(problem.min)}- bis ${number(problem.max)}-Fachen der Höhe (hier das ${number(problem.is)}-Fache)`
        case 'width':
          return `eine Breite von höchstens ${number(problem.max)} Pixeln`
        case 'duration':
          return `Videos von ${number(problem.minSeconds)} Sekunden bis ${number(problem.maxMinutes)} Minuten`
      }
    },
    mediaType: 'Art',
    image: 'Bild',
    video: 'Video',
    when: 'Wann',
    nextSlot: (time, channel) => `Nächster freier Sendeplatz: ${time} auf ${channel}`,
    crowded: (many) =>
      `${count(many, 'anderer Beitrag erscheint', 'andere Beiträge erscheinen')} auf demselben Kanal weniger als eine Stunde von diesem entfernt:`,
    time: 'Datum und Uhrzeit',
    timeZone: (zone) => `In ${zone}`,
    timeThere: (time, zone) => `${time} in ${zone}`,
    timeUnreadable: 'Schreiben Sie ein Datum und eine Uhrzeit.',
    timeNever: (zone) =>
      `Diese Uhrzeit gibt es in ${zone} nicht: Dann wird die Uhr vorgestellt. Wählen Sie eine andere.`,
    timeTwice: 'Diese Uhrzeit gibt es zweimal, weil dann die Uhr zurückgestellt wird. Wählen Sie eine.',
    timePast: 'Diese Zeit ist vorbei. Wählen Sie eine in der Zukunft.',
    whichOne: 'Welche?',
    occurrence: (which, offset) => `${which === 'earlier' ? 'Die erste' : 'Die zweite'} (UTC${offset})`,
    notes: 'Notizen',
    notesHint: 'Für Ihr Team; nie veröffentlicht.',
    preview: 'Vorschau',
    saveDraft: 'Als Entwurf speichern',
    saveAndAsk: 'Speichern und um Freigabe bitten',
    submit: 'Um Freigabe bitten',
    decide: 'Prüfen',
    revert: 'Auf Entwurf zurücksetzen',
    revertTitle: 'Den Beitrag auf Entwurf zurücksetzen?',
    toCalendar: 'Alle Beiträge',
    revertText: 'Er wird erst veröffentlicht, wenn er wieder freigegeben ist.',
    reverted: 'Auf Entwurf zurückgesetzt.',
    delete: 'Löschen',
    deleteTitle: 'Den Beitrag löschen?',
    deleteText: 'Das lässt sich nicht rückgängig machen. Sein Verlauf bleibt.',
    deleted: 'Gelöscht.',
    saved: 'Gespeichert.',
    savedAndUnapproved: 'Gespeichert. Der Inhalt hat sich geändert, deshalb wartet der Beitrag wieder auf Freigabe.',
    submitted: 'Gespeichert und zur Freigabe gegeben.',
    missing: (what) => `Für die Freigabe braucht er ${what}.`,
    lacks: (what, isApproved) =>
      `Zum Speichern braucht er ${what}.${isApproved ? ' Setzen Sie ihn auf Entwurf zurück, um ihn ohne zu speichern.' : ''}`,
    conflictFirst: 'Entscheiden Sie zuerst, wessen Änderungen bleiben.',
    timeFirst: 'Berichtigen Sie zuerst die Zeit.',
    mediaFirst: 'Wählen Sie zuerst ein anderes Bild oder Video.',
    shortenFirst: 'Kürzen Sie zuerst den Text.',
    nothingToSave: 'Noch hat sich nichts geändert.',
    missingChannel: 'einen Kanal',
    missingText: 'einen Text auf jedem Kanal',
    missingMedia: 'ein Bild oder Video',
    missingTime: 'eine Zeit in der Zukunft',
    most: (what, max) => `${number(max)} ${counted(what)}`,
    permissionMissing:
      'Sie können diesen Beitrag ansehen, aber nicht ändern. Bitten Sie die Administration um das Recht dazu.',
    restored: 'Ihre früheren Änderungen sind noch da und noch nicht gespeichert.',
    discard: 'Verwerfen',
    conflict: (who, what) =>
      `${who === '' ? 'Jemand' : who} hat diesen Beitrag geändert, während Sie geschrieben haben${what === '' ? '' : `: ${what}`}. Nichts wird überschrieben, bis Sie es sagen.`,
    keepMine: 'Meine Änderungen behalten',
    takeTheirs: 'Meine Änderungen verwerfen',
    scheduledNote:
      'Freigegeben: Er erscheint zu seiner Zeit. Wenn Sie den Inhalt ändern, muss er wieder freigegeben werden.',
    publishingNote: 'Er wird gerade veröffentlicht und lässt sich nicht mehr ändern.',
    publishedNote: 'Er ist veröffentlicht.',
    failedNote: 'Er konnte nicht überall veröffentlicht werden.',
    seeIt: (channel) => `Auf ${channel} ansehen`,
    retryTitle: 'Noch einmal versuchen',
    retryTime: 'Neues Datum und neue Uhrzeit',
    retry: 'Wieder planen',
    retryNow: 'Jetzt noch einmal versuchen',
    retryHint: 'Nur die Kanäle, auf denen es fehlschlug, werden noch einmal versucht.',
    repairHint:
      'Er ist noch nirgends erschienen, deshalb können Sie ihn unten auch ändern. Danach muss er wieder freigegeben werden.',
    copyHint:
      'Auf einem Kanal ist er erschienen, deshalb bleibt sein Inhalt. Duplizieren Sie ihn, um etwas anderes zu veröffentlichen.',
    removeMedia: 'Bild oder Video entfernen',
  },
}

export const superpowerWords: typeof englishSuperpowers = {
  title: 'Superkraft',
  closeTyped: 'Was Sie getippt haben, wird noch nicht benutzt. Schließen und das verlieren?',
  titleOf: (name) => `Gespeicherte Superkraft: ${name}`,
  fields: {
    name: 'Name',
    hashtag: 'Hashtag',
    active: 'Aktiv',
    action: 'Wenn jemand',
    values: 'Mit einem dieser Wörter',
    publicReplies: 'Öffentlich antworten',
    privateReplies: 'Eine Nachricht senden',
    autoLike: 'Das Geschriebene mit „Gefällt mir“ markieren',
    takesPart: 'An der Verlosung teilnehmen lassen',
    groupName: 'Name der Gruppe',
    probability: 'Anteil der Kommentare, von 0 bis 1',
    usersLimit: 'Höchstens so viele Personen',
    timeLimit: 'Dieselbe Person einmal in so vielen Stunden',
    privateDelay: 'Stunden bis zur Nachricht',
    publicDelay: 'Stunden bis zur öffentlichen Antwort',
    winners: 'Gewinne der Verlosung',
    raffleEnd: 'Ende der Verlosung',
    winnersReply: 'Nachricht an die, die gewonnen haben',
    losersReply: 'Nachricht an die anderen',
  },
  nameHint: 'Unter diesem Namen findet Ihr Team sie, wenn sie gespeichert ist.',
  hashtagHint: 'Auf jedem Kanal gehört ein Hashtag jeweils einem Beitrag.',
  always: 'irgendetwas tut',
  actions: ACTION_WORDS,
  valuesHint: 'Eines je Zeile. Leer lassen für beliebige Wörter.',
  repliesHint: 'Gibt es mehrere, entscheidet der Kommentar, welche gesendet wird.',
  replyLabel: (label, place) => (place === 0 ? label : `${label} (${place + 1})`),
  addReply: 'Weiteren Text hinzufügen',
  removeReply: 'Entfernen',
  json: 'Als JSON bearbeiten',
  jsonHint: 'Für Einstellungen, die das Formular nicht hat: weitere Bedingungen, Dateien, Knöpfe.',
  group: (place) => `Gruppe ${place + 1}`,
  groupName: (place, name) => `Gruppe ${place + 1}${name === '' ? '' : `: ${name}`}`,
  shownGroup: 'Die gezeigte Gruppe',
  addGroup: 'Gruppe hinzufügen',
  removeGroup: 'Diese Gruppe entfernen',
  earlier: 'Nach oben',
  later: 'Nach unten',
  limits: 'Grenzen und Verzögerungen',
  shareHint: 'Leer: alle. Welche es sind, entscheidet der Kommentar, immer auf dieselbe Weise.',
  noJson: (message) => `Das ist kein gültiges JSON für eine Superkraft${message === '' ? '' : `: ${message}`}.`,
  useHere: 'In diesem Beitrag benutzen',
  saveForAll: 'Auch für andere Beiträge speichern',
  saveChanges: 'Änderungen speichern',
  saved: (name) => `${name} ist gespeichert. Beiträge mit einer Kopie behalten ihre.`,
  deleteText: (name) => `${name} löschen? Beiträge mit einer Kopie behalten sie.`,
  deleted: (name) => `${name} ist gelöscht.`,
}
