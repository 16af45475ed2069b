import { common } from '../words.ts'
import type { channelRoleWords as english } from './channel-roles.words.ts'

export const channelRoleWords: typeof english = {
  action: 'Papéis nos canais',
  title: (name) => `Em alguns canais, ${name} tem outro papel`,
  lead: 'O papel e o direito de aprovar na organização valem em todos os canais que não estão aqui. A leitura não é limitada: todos os membros leem tudo. Textos salvos, segmentos e configurações seguem o papel na organização.',
  list: 'Canais com outro papel',
  none: 'Nenhum canal está aqui: o papel na organização vale em todos.',
  role: (channel) => `Papel em ${channel}`,
  approves: (channel) => `Aprova publicações em ${channel}`,
  remove: (channel) => `Remover ${channel}`,
  channel: 'Canal',
  add: 'Adicionar',
  noChannels: 'Ainda não há canais.',
  inChannels: (many) => `outro papel em ${common.count(many, 'canal', 'canais')}`,
}
