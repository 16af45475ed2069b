import { common } from '../words.ts'
import type { channelRoleWords as english } from './channel-roles.words.ts'

export const channelRoleWords: typeof english = {
  action: 'Roles en canales',
  title: (name) => `En algunos canales, ${name} tiene otro rol`,
  lead: 'El rol y el derecho de aprobar en la organización valen en todos los canales que no figuran aquí. La lectura no se limita: todos los miembros leen todo. Los textos guardados, los segmentos y los ajustes siguen el rol en la organización.',
  list: 'Canales con otro rol',
  none: 'No figura ningún canal: el rol en la organización vale en todos.',
  role: (channel) => `Rol en ${channel}`,
  approves: (channel) => `Aprueba publicaciones en ${channel}`,
  remove: (channel) => `Quitar ${channel}`,
  channel: 'Canal',
  add: 'Añadir',
  noChannels: 'Todavía no hay canales.',
  inChannels: (many) => `otro rol en ${common.count(many, 'canal', 'canales')}`,
}
