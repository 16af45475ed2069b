import type {
  AutomationMode,
  CommentReason,
  EffectName,
  EffectReason,
  EffectState,
} from '../../interface/automation.ts'
import { common } from '../words.ts'
import type { words as english } from './comments.words.ts'

const { count } = common

const comments: Record<CommentReason, string> = {
  matched: 'Passt',
  no_match: 'Keine Bedingung passt',
  inactive: 'Die Superkraft ist nicht aktiv',
  expired: 'Die Superkraft war abgelaufen',
  chance: 'Durch Zufall ausgelassen',
  users_limit: 'Die Höchstzahl an Personen ist erreicht',
  time_limit: 'Die Person hatte kurz zuvor eine Antwort bekommen',
  own_comment: 'Von der Seite geschrieben',
  reply_to_us: 'Eine Antwort an die Seite',
  before_switch: 'Älter als das Einschalten',
  switched_off: 'Superkräfte waren ausgeschaltet',
  stopped: 'Die Superkraft wurde gestoppt',
  opted_out: 'Die Person möchte keine automatischen Nachrichten',
  human_first: 'Ein Mensch von der Seite hat zuerst geantwortet',
  too_old: 'Älter als 7 Tage',
  no_person: 'Die Plattform sagt nicht, wer das geschrieben hat',
}

const effectReasons: Record<EffectReason, string> = {
  chance: 'durch Zufall ausgelassen',
  no_private_reply: 'die private Antwort ging nicht hinaus',
  dry_run: 'Probelauf',
  person_answered: 'die Person hat die eine private Antwort zu diesem Beitrag schon',
  window: 'zu spät für die Plattform, die 7 Tage erlaubt',
  late: 'eine Stunde zu spät',
  opted_out: 'die Person möchte keine automatischen Nachrichten',
  human_first: 'ein Mensch von der Seite hat zuerst geantwortet',
  stopped: 'die Superkraft wurde gestoppt',
  switched_off: 'Superkräfte waren ausgeschaltet',
  channel_stopped: 'der Kanal ist gestoppt oder nicht verbunden',
  comment_deleted: 'der Kommentar ist weg',
  person_forgotten: 'die Person wurde gelöscht',
  already_replied: 'es gab schon eine private Antwort',
  not_replyable: 'der Kommentar lässt sich nicht beantworten',
  not_eligible: 'die Plattform erlaubt keine Antwort darauf',
  not_a_follower: 'die Person folgt dem Konto nicht',
  unavailable: 'die Person ist nicht erreichbar',
  other_app: 'eine andere App führt das Gespräch',
  refused: 'von der Plattform abgelehnt',
  throttled: 'die Plattform bittet zu warten',
  unreachable: 'die Plattform ist nicht erreichbar',
  answer_lost: 'die Antwort ging verloren: sie kann draußen sein und wird nicht noch einmal gesendet',
}

const effects: Record<EffectName, string> = {
  private_reply: 'Private Antwort',
  public_reply: 'Öffentliche Antwort',
  like: 'Gefällt mir',
  message: 'Nachricht',
}

const states: Record<EffectState, string> = {
  planned: 'vorgesehen',
  attempting: 'unterwegs',
  done: 'gesendet',
  refused: 'abgelehnt',
  unknown: 'unbekannt',
  skipped: 'ausgelassen',
}

const modes: Record<AutomationMode, string> = { off: 'aus', shadow: 'Probelauf', on: 'an' }

export const words: typeof english = {
  title: 'Kommentare',
  hint: 'Jeder Kommentar, der gesehen wurde, mit dem, was seine Superkraft getan hat, und warum.',
  none: 'Noch wurde kein Kommentar gesehen',
  noneText: 'Kommentare erscheinen hier binnen einer Minute.',
  optOut: 'Ausnehmen',
  optOutTitle: (name) => `${name} keine automatischen Nachrichten senden?`,
  optOutText:
    'Superkräfte antworten dieser Person auf diesem Kanal nicht mehr. Unter Einstellungen, Kanäle, Ausgenommene lässt sich das rückgängig machen.',
  optedOut: (name) => `${name} bekommt keine automatischen Nachrichten mehr`,
  more: 'Mehr zeigen',
  comments,
  effectReasons,
  effects,
  states,
  mode: (mode) => `Superkräfte: ${modes[mode]}`,
  counts: (total, matched) =>
    `${count(total, 'Kommentar', 'Kommentare')}, davon ${matched === 1 ? 'passt 1' : `passen ${matched}`}`,
  sent: (sent) => `${sent} gesendet`,
  unknown: (unknown) => `${unknown} unbekannt`,
  newest: (at) => `neuester Kommentar ${at}`,
  lastRead: (at) => `zuletzt gelesen ${at}`,
  notRead: (why) => `Kommentare lassen sich nicht lesen: ${why}`,
  platformStopped: (why) => `Die Plattform hat den Kanal gestoppt: ${why}`,
  stopped: (at, reason) => `Gestoppt ${at}: ${reason}`,
  stop: 'Superkraft stoppen',
  stopTitle: (channel) => `Die Superkraft auf ${channel} stoppen?`,
  stopText:
    'Sie antwortet niemandem mehr: Was vorgesehen ist, wird ausgelassen. Sie bleibt gestoppt, und ihr Hashtag ist für andere Beiträge frei.',
  reason: 'Grund',
  wasStopped: 'Die Superkraft ist gestoppt',
  byGroup: (group) => `Gruppe ${group + 1}`,
  unnamed: 'Unbekannte Person',
  tryTitle: 'Ausprobieren',
  tryHint: 'Nichts wird gespeichert oder gesendet.',
  tryComment: 'Ein Kommentar',
  tryName: 'Geschrieben von',
  try: 'Was würde geschehen?',
  nothing: 'Nichts wird gesendet.',
  notExecuted: 'Aufbewahrt, aber nicht ausgeführt',
  warnings: 'Einen Blick wert',
}
