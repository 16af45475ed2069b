import type { EventType } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import type { words as english } from './webhooks.words.ts'

const { count, list, number } = common

const EVENTS: Record<EventType, string> = {
  'post.failed': 'Ein Beitrag ist fehlgeschlagen',
  'post.waiting_for_approval': 'Ein Beitrag wartet auf Freigabe',
  'token.refused': 'Ein Token wird abgelehnt',
  'key.expiring': 'Ein Schlüssel läuft bald ab',
  'import.finished': 'Ein Import ist fertig',
  'superpower.acted': 'Eine Superkraft hat gehandelt',
  'superpower.stopped': 'Eine Superkraft wurde gestoppt',
  'raffle.drawn': 'Eine Verlosung ist gelost',
  test: 'Ein Test',
}

export const words: typeof english = {
  title: 'Webhooks',
  hint: 'Ihre Programme erfahren von Ereignissen und müssen nicht nachfragen. Sie bekommen IDs, nie, was jemand geschrieben hat.',
  noneTitle: 'Es gibt keinen Webhook',
  none: 'Fügen Sie die Adresse hinzu, unter der Ihr Programm Ereignisse empfängt.',
  add: 'Webhook hinzufügen',
  addIt: 'Hinzufügen',
  editTitle: (name) => `${name} bearbeiten`,
  name: 'Name',
  nameHint: 'Zum Beispiel das Programm, das benachrichtigt wird.',
  address: 'Adresse',
  addressHint: 'Sie beginnt mit https:// und ist aus dem Internet erreichbar.',
  chosen: 'Ereignisse',
  allEvents: 'Alle Ereignisse, auch die späterer Versionen',
  someEvents: 'Nur diese',
  noEvent: 'Wählen Sie mindestens ein Ereignis.',
  toldOf: (events) => (events === undefined ? 'Alle Ereignisse' : list(events.map((event) => EVENTS[event]))),
  events: EVENTS,
  since: (day) => `seit ${day}`,
  twoSecrets: (time) => `das vorige Geheimnis signiert auch noch bis ${time}`,
  off: 'Ausgeschaltet: Er erfährt nichts Neues',
  switchOff: 'Ausschalten',
  switchOn: 'Einschalten',
  switched: (name, on) => (on ? `${name} ist eingeschaltet.` : `${name} ist ausgeschaltet.`),
  sendTest: 'Test senden',
  testSent: 'Ein Test ist unterwegs.',
  rotate: 'Geheimnis ersetzen',
  rotateTitle: (name) => `Das Geheimnis von ${name} ersetzen?`,
  rotateText:
    'Einen Tag lang wird jedes Ereignis mit beiden Geheimnissen signiert, damit Sie Zeit haben, Ihr Programm zu ändern.',
  remove: 'Entfernen',
  removeTitle: (name) => `${name} entfernen?`,
  removeText: 'Es wird nichts mehr gesendet, und ausstehende Ereignisse werden nicht zugestellt.',
  removed: (name) => `${name} ist entfernt.`,
  ready: 'Der Webhook ist bereit',
  lead: 'Bewahren Sie sein Geheimnis jetzt auf: Es wird nur einmal gezeigt. Ihr Programm prüft damit, ob ein Ereignis von diesem Server kommt.',
  secret: 'Geheimnis',
  secretHint: 'Hüten Sie es wie ein Passwort.',

  deliveries: 'Zustellungen',
  deliveriesHint: 'Die letzten 30 Tage, die neuesten zuerst.',
  ofWebhook: 'Webhook',
  ofAll: 'Alle Webhooks',
  removedWebhook: 'einen entfernten Webhook',
  to: (webhook, time) => `an ${webhook} · ${time}`,
  noneThere: 'In dieser Zeit wurde nichts dorthin gesendet.',
  delivered: (attempts) => (attempts > 1 ? `Zugestellt beim ${number(attempts)}. Versuch` : 'Zugestellt'),
  notDelivered: (attempts, why) =>
    attempts > 0
      ? `In ${count(attempts, 'Versuch', 'Versuchen')} nicht zugestellt. ${why}`
      : `Nicht zugestellt. ${why}`,
  onItsWay: 'Unterwegs',
  again: (why, time) => `${why} Es wird ${time} noch einmal gesendet.`,
  sendAgain: 'Noch einmal senden',
  sentAgain: 'Es ist wieder unterwegs.',
  more: 'Mehr zeigen',
  older: 'Ältere listet die Befehlszeile auf: greenroom webhooks deliveries.',
  show: 'Zeigen',
  payload: 'Gesendet',
  answer: 'Geantwortet',
  answerOf: (status, time, durationMs) =>
    status === undefined
      ? `Keine Antwort · ${time} · ${number(durationMs)} ms`
      : `Status ${status} · ${time} · ${number(durationMs)} ms`,
  notTried: 'Es wurde noch nicht gesendet.',
  noText: 'Die Antwort hatte keinen Text.',
  firstBytes: 'Die ersten 2 kB dessen, was das Programm zuletzt geantwortet hat.',
}
