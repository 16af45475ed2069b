import { common } from '../words.ts'
import type { channelRoleWords as english } from './channel-roles.words.ts'

export const channelRoleWords: typeof english = {
  action: 'Rollen in Kanälen',
  title: (name) => `In einigen Kanälen hat ${name} eine andere Rolle`,
  lead: 'Die Rolle und das Recht zur Freigabe in der Organisation gelten in jedem Kanal, der hier nicht steht. Das Lesen ist nicht eingeschränkt: Alle Mitglieder lesen alles. Gespeicherte Texte, Segmente und Einstellungen folgen der Rolle in der Organisation.',
  list: 'Kanäle mit anderer Rolle',
  none: 'Hier steht kein Kanal: Die Rolle in der Organisation gilt in allen.',
  role: (channel) => `Rolle in ${channel}`,
  approves: (channel) => `Gibt Beiträge in ${channel} frei`,
  remove: (channel) => `${channel} entfernen`,
  channel: 'Kanal',
  add: 'Hinzufügen',
  noChannels: 'Es gibt noch keinen Kanal.',
  inChannels: (many) => `andere Rolle in ${common.count(many, 'Kanal', 'Kanälen')}`,
}
