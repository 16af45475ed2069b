import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

export const words: typeof english = {
  title: 'Audiencia',
  noWorkspaceTitle: 'Todavía no hay ningún espacio de trabajo VIP',
  noWorkspace: 'Un administrador crea uno y le conecta canales.',
  noChannelTitle: 'No hay ningún canal conectado a este espacio de trabajo',
  noChannel: 'Un administrador conecta uno.',
  workspace: 'Espacio de trabajo',
  channel: 'Canal',
  scope: 'Quién',
  scopeVip: 'VIP',
  scopeAll: 'Todos',
  birthday: 'Cumpleaños',
  birthdayAny: 'Cualquiera o desconocido',
  birthdayKnown: 'Conocido',
  birthdaySoon: (days) => `En los próximos ${count(days, 'día')}`,
  birthdayIn: (month) => `En ${month}`,
  shown: (first, last, total, isCapped) =>
    `${number(first)}–${number(last)} de ${isCapped ? 'al menos ' : ''}${count(total, 'persona')}`,
  sorted: '· primero el mayor valor de por vida',
  sortedByDay: '· primero el cumpleaños más próximo',
  changed: (many) => `${many === 1 ? 'Ha cambiado 1' : `Han cambiado ${number(many)}`}: mostrar`,
  nobody: 'Nadie',
  capped:
    'Este canal tiene más de 25.000 conversaciones: solo se busca en las 25.000 de mayor valor de por vida, así que puede haber más personas de las que se cuentan aquí.',
  csv: 'Exportar CSV',
  csvProgress: 'Leyendo…',
  saved: (rows, isCapped) =>
    `${count(rows, 'persona exportada', 'personas exportadas')} en CSV${isCapped ? ': las de mayor valor de por vida. Hay más' : ''}.`,
  fileName: (channel, isAll, day) =>
    `${isAll ? 'audiencia' : 'vip'}-${channel.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${day}.csv`,
  caption: (channel) => `Personas de ${channel}`,
  person: 'Persona',
  lastPurchase: 'Última compra',
  lastMessage: 'Último mensaje',
  lastOpen: 'Última apertura de la aplicación',
  vip: 'VIP',
  vipOf: (name) => `${name} es VIP`,
  marked: (name) => `${name} es VIP ahora.`,
  unmarked: (name) => `${name} ya no es VIP.`,
  emptyTitle: 'No se ha encontrado a nadie',
  empty: (isAll) =>
    isAll ? 'Elige otro cumpleaños u otro canal.' : 'Elige «Todos» y marca personas como VIP con la estrella.',
  firstPage: 'Ir a la primera página',
  pages: 'Páginas',
  before: 'Anterior',
  next: 'Siguiente',
}
