import { FAILED_MAX } from '../interface/revision.ts'
import type { words as english } from './shell.words.ts'
import { common } from './words.ts'

const { count, number } = common

export const words: typeof english = {
  skip: 'Zum Inhalt springen',
  connectionLost: 'Greenroom antwortet nicht. Was Sie sehen, kann veraltet sein; es versucht es von selbst wieder.',
  connectionBack: 'Greenroom antwortet wieder.',
  notFoundTitle: 'Seite nicht gefunden',
  notFound: 'Unter dieser Adresse gibt es keine Seite. Sie wurde vielleicht verschoben, oder die Adresse ist vertippt.',
  toStart: 'Zur Startseite',
  crashedTitle: 'Diese Seite funktioniert nicht mehr',
  inactive: 'Diese Organisation ist inaktiv: Ihre Schlüssel werden abgelehnt, und keiner ihrer Beiträge erscheint.',
  newVersionTitle: 'Es gibt eine neue Version',
  notLoadedTitle: 'Diese Seite ist nicht geladen',
  newVersion:
    'Es gibt eine neue Version von Greenroom. Laden Sie die Seite neu, um fortzufahren; was Sie getippt haben, bleibt.',
  notLoaded: 'Diese Seite konnte nicht geladen werden. Prüfen Sie Ihre Verbindung.',
  reload: 'Neu laden',
  crashed: 'Laden Sie sie neu. Wenn sie wieder abbricht, sagen Sie Ihrer Administration, was Sie getan haben.',
  nav: {
    label: 'Hauptmenü',
    inbox: 'Eingang',
    approvals: 'Freigaben',
    calendar: 'Kalender',
    audience: 'Publikum',
    insights: 'Auswertung',
    activity: 'Aktivität',
    settings: 'Einstellungen',
    newPost: 'Neuer Beitrag',
    many: (many) => number(many),
    long: {
      waiting: (many) => (many === 1 ? '1 wartet' : `${number(many)} warten`),
      unread: (many) => `${number(many)} ungelesen`,
    },
    organization: 'Organisation',
    organizations: 'Organisationen',
    inactive: 'inaktiv',
    account: 'Konto',
    signOut: 'Abmelden',
    signOutEverywhere: 'Auf allen Geräten abmelden',
    changePassword: 'Passwort ändern',
    keys: 'Tastenkürzel',
    times: (zone) => `Zeiten gelten in ${zone}`,
    ownTimes: (own, organization) =>
      `Zeiten gelten in ${own}, Ihrer eigenen Zone; die der Organisation ist ${organization}`,
  },
  failures: {
    posts: (many) =>
      many >= FAILED_MAX
        ? `${number(many)} Beiträge oder mehr wurden nicht veröffentlicht.`
        : `${count(many, 'Beitrag wurde', 'Beiträge wurden')} nicht veröffentlicht.`,
    seePosts: 'Sehen, warum',
    tokens: (many) =>
      `Die Plattform lehnt ${count(many, 'Zugriffstoken', 'Zugriffstoken')} ab: Dort wird nichts veröffentlicht oder gelesen.`,
    seeTokens: (mayConnect) => (mayConnect ? 'Wieder verbinden' : 'Sehen, welche'),
  },
  password: {
    title: 'Passwort ändern',
    present: 'Bisheriges Passwort',
    next: 'Neues Passwort',
    submit: 'Passwort ändern',
    done: 'Ihr Passwort ist geändert. Auf Ihren anderen Geräten sind Sie abgemeldet.',
  },
  keys: {
    title: 'Tastenkürzel',
    on: 'Einzelne Tasten wirken auf diesem Gerät',
    next: 'Nächster Beitrag',
    previous: 'Vorheriger Beitrag',
    approve: 'Freigeben',
    return: 'Mit Notizen zurückgeben',
    select: 'Beitrag auswählen oder abwählen, um über mehrere zugleich zu entscheiden',
    undo: 'Die letzte Entscheidung rückgängig machen',
    calendar:
      'Im Kalender: Pfeiltasten wechseln den Tag, Bild auf und Bild ab den Monat, Eingabe öffnet, M verschiebt einen Beitrag',
  },
}
