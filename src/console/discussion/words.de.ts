import type { DiscussionAction } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

const ACTIONS: Record<DiscussionAction, string> = {
  written: 'hat eine Nachricht geschrieben',
  edited: 'hat eine Nachricht bearbeitet',
  deleted: 'hat eine Nachricht gelöscht',
  resolved: 'hat ein Thema erledigt',
  reopened: 'hat ein Thema wieder geöffnet',
}

export const words: typeof english = {
  title: 'Diskussion',
  titleOpen: (many) => `Diskussion: ${number(many)} offen`,
  open: (many) => `${count(many, 'offenes Thema', 'offene Themen')} in der Diskussion`,
  hint: 'Für Ihre Kolleginnen und Kollegen; nie veröffentlicht. Mit @ erwähnen Sie jemanden.',
  outsideTitle: 'Fragen und Anmerkungen',
  outsideHint: 'Das lesen alle, die an diesem Beitrag arbeiten, und alle anderen, die einen Link zu ihm haben.',
  none: 'Noch hat niemand etwas geschrieben.',
  threads: 'Offene Themen',
  resolved: (many) => count(many, 'erledigtes Thema', 'erledigte Themen'),
  deleted: 'Diese Nachricht wurde gelöscht.',
  edited: 'bearbeitet',
  shared: 'für Personen mit einem Link sichtbar',
  resolvedBy: (name, time) => `Erledigt von ${name}, ${time}`,
  resolvedOutside: 'Erledigt',
  mentions: (names) => `Erwähnt ${common.list(names)}`,
  action: ACTIONS,
  actor: (type) => (type === 'operator' ? 'Die Betriebsleitung' : type === 'user' ? 'Ein gelöschtes Konto' : 'Jemand'),
  you: 'Sie',
  message: 'Nachricht',
  newMessage: 'Neue Nachricht',
  replyTo: (name) => `Antwort an ${name}`,
  share: 'Dieses Thema Personen mit einem Link zum Beitrag zeigen',
  send: 'Senden',
  sent: 'Gesendet.',
  reply: 'Antworten',
  edit: 'Bearbeiten',
  delete: 'Löschen',
  deleteTitle: 'Die Nachricht löschen?',
  deleteText: 'Ihr Text wird endgültig gelöscht. Hat sie Antworten, bleibt an ihrer Stelle „gelöscht“.',
  wasDeleted: 'Die Nachricht ist gelöscht.',
  resolve: 'Erledigen',
  wasResolved: 'Das Thema ist erledigt.',
  reopen: 'Wieder öffnen',
  wasReopened: 'Das Thema ist wieder offen.',
  messageOf: (name) => `die Nachricht von ${name}`,
  own: 'Ihre Nachricht',
  people: 'Personen zum Erwähnen',
  found: (many) => `${count(many, 'Person', 'Personen')}: Wählen Sie mit den Pfeiltasten und der Eingabetaste.`,
}
