import type { LateCause, WaitReason } from '../../interface/post-waits.ts'
import type { words as english } from './waits.words.ts'

const reasons: Record<WaitReason, string> = {
  publisher_off: 'Kein Prozess veröffentlicht: Melden Sie es dem Betreiber',
  organization_inactive: 'Die Organisation ist nicht aktiv',
  token_unreadable: 'Das Token des Kanals ist unlesbar: Melden Sie es dem Betreiber',
  rate_limit_app: 'Die Plattform begrenzt die Aufrufe der App',
  rate_limit_channel: 'Die Plattform begrenzt die Aufrufe des Kanals',
  posting_quota: 'Das Konto hat die Beiträge des Tages verbraucht',
  platform_unreachable: 'Die Plattform antwortet nicht',
  platform_down: 'Die Plattform ist gestört',
  media_unreachable: 'Das Medium ist unter seiner Adresse nicht lesbar',
  answer_lost: 'Die Antwort ging verloren: Der Beitrag wird gesucht',
  same_text: 'Ein gleicher Beitrag wird gerade veröffentlicht',
  processing: 'Die Plattform verarbeitet das Medium noch',
  interrupted: 'Der Server stand kurz still',
  in_progress: 'Er wird gerade veröffentlicht',
  queue: 'Andere Beiträge sind vor ihm',
}

const causes: Record<LateCause, string> = {
  publisher_off: 'Kein Prozess veröffentlichte',
  database_away: 'Der Server erreichte seine Datenbank nicht',
  clock_jumped: 'Die Uhr sprang, oder der Server stand still',
  queue: 'Andere Beiträge waren vor ihm',
}

export const words: typeof english = {
  reasons,
  causes,
  late: (reason) => `Verspätet: ${reasons[reason]}`,
  nextTry: (time) => `Nächster Versuch: ${time}`,
}
