import type { KeyPermission, KeyRefusal } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import type { words as english } from './keys.words.ts'

const { count, number } = common

const REFUSALS: Record<KeyRefusal, string> = {
  signature: 'die Signatur stimmt nicht',
  ended: 'er ist widerrufen oder abgelaufen',
  address: 'es kam von einer Adresse, die nicht erlaubt ist',
  permission: 'er darf nicht tun, was verlangt wurde',
  rate: 'es waren zu viele Anfragen auf einmal',
}

/** The permissions that a program of this kind needs. */
const PRESETS = {
  audience: { name: 'Das Publikum lesen', permissions: ['channels:read', 'audience:read'] },
  vips: { name: 'VIPs markieren', permissions: ['channels:read', 'audience:read', 'audience:mark'] },
  insights: { name: 'Auswertungen lesen', permissions: ['insights:read'] },
  posts: {
    name: 'Beiträge planen',
    permissions: ['channels:read', 'posts:read', 'posts:write', 'superpowers:read'],
  },
  intake: { name: 'Personen importieren', permissions: ['channels:read', 'audience:write'] },
  activity: { name: 'Die Aktivität beobachten', permissions: ['audit:read', 'settings:read'] },
} satisfies Record<string, { name: string; permissions: KeyPermission[] }>

export const words: typeof english = {
  purpose: 'Zweck',
  purposeHint: 'Kreuzt an, was ein solches Programm braucht. Ändern Sie es unten nach Belieben.',
  ownChoice: 'Eigene Auswahl',
  presets: PRESETS,
  editTitle: (name) => `${name} bearbeiten`,
  editHint: 'Es gilt ab der nächsten Anfrage des Programms, das sein Geheimnis behält.',
  perSecond: 'Anfragen pro Sekunde',
  perSecondHint:
    'Kurzzeitig doppelt so viele. 0: keine Grenze. Leer: so viele, wie der Server einem Schlüssel erlaubt.',
  limitedTo: (perSecond) =>
    perSecond === 0 ? 'Keine Grenze für Anfragen' : `Höchstens ${count(perSecond, 'Anfrage', 'Anfragen')} pro Sekunde`,
  replacedBy: (name) => `Ersetzt durch ${name}`,
  refused: (many, time, reason) =>
    `${many === 1 ? 'Einmal' : `${number(many)}-mal`} abgelehnt, zuletzt ${time}: ${REFUSALS[reason]}.`,
}
