import type { AutomationMode } from '../../interface/automation.ts'
import type { OptOut } from '../../interface/generated/types.ts'
import type { words as english } from './channels.words.ts'

const modes: Record<AutomationMode, string> = {
  off: 'Aus: nichts geschieht',
  shadow: 'Probelauf: entscheiden und aufschreiben, nichts senden',
  on: 'An: Kommentare beantworten',
}
const states: Record<AutomationMode, string> = {
  off: 'Superkräfte sind aus',
  shadow: 'Superkräfte laufen zur Probe',
  on: 'Superkräfte sind an',
}

const sources: Record<OptOut['source'], string> = {
  comment: 'Hat in einem Kommentar Stopp gesagt',
  message: 'Hat in einer Nachricht Stopp gesagt',
  hand: 'Von Hand eingetragen',
}

export const words: typeof english = {
  superpowers: 'Superkräfte',
  superpowersOf: (name) => `Superkräfte auf ${name}`,
  superpowersText:
    'Kommentare von vor dem Einschalten bleiben unbeantwortet. Wenn die Plattform den Kanal gestoppt hat, startet ihn das Speichern wieder.',
  modes,
  state: (mode) => states[mode],
  notice: 'Hinweis',
  noticeHint: 'Steht am Anfang jeder automatischen privaten Antwort, etwa: Dies ist eine automatische Nachricht.',
  perHour: 'Private Antworten pro Stunde, höchstens',
  changed: 'Die Superkräfte sind geändert',
  stopped: (why) => `Die Plattform hat die Superkräfte hier gestoppt: ${why}`,
  subscription: {
    PENDING: 'Nachrichten und Kommentare werden gerade abonniert',
    SUBSCRIBED: 'Nachrichten und Kommentare kommen an',
  },
  newestComment: (at) => `Neuester Kommentar ${at}`,
  commentsRead: (at) => `Kommentare zuletzt gelesen ${at}`,
  optOuts: 'Ausgenommene',
  optOutsOf: (name) => `Ausgenommene auf ${name}`,
  optOutsText:
    'Superkräfte senden diesen Personen hier nichts. Ein Kommentar oder eine Nachricht mit STOP nimmt aus, wer das schreibt.',
  optOutSource: sources,
  fromId: 'Person',
  fromIdHint: 'Die ID der Person auf der Plattform, wie sie in Kommentaren und Nachrichten steht.',
  addOptOut: 'Hinzufügen',
  optOutAdded: (id) => `${id} bekommt keine automatischen Nachrichten mehr`,
  removeOptOut: 'Wieder erlauben',
  optOutRemoved: (id) => `${id} kann wieder automatische Nachrichten bekommen`,
  noOptOuts: 'Niemand ist ausgenommen',
  noOptOutsText: 'Superkräfte antworten allen, die kommentieren.',
  moreOptOuts: 'Mehr zeigen',
  refused: (problem) => `Nachrichten und Kommentare kommen nicht an: ${problem}`,
  logins: { facebook: 'Verbunden per Facebook-Login.', instagram: 'Verbunden per Instagram-Login.' },
  permissionsUnknown: 'Die Plattform nennt seine Rechte nicht.',
  lacks: (permission, what) => `Dem Token fehlt ${permission}. Es gehen nicht: ${what}.`,
  neededFor: { comments: 'Kommentare', likes: 'Likes', messages: 'private Nachrichten', webhooks: 'Zustellungen' },
}
