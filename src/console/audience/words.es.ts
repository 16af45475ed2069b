import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

const MONTHS = [
  ...['enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio'],
  ...['julio', 'agosto', 'septiembre', 'octubre', 'noviembre', 'diciembre'],
]

/** Mexico and its neighbours write decimals with a point. */
const POINT = /^es-(419|BR|BZ|CU|DO|GT|HN|MX|NI|PA|PE|PR|SV|US)$/.test(common.locale) ? '.' : ','

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
  // Without Intl, whose first use in a page takes longer than the page.
  birthdayIn: (month) => `En ${MONTHS[month - 1]}`,
  birthdayOn: (day, month, year) => `${day} de ${MONTHS[month - 1] ?? month}${year === undefined ? '' : ` de ${year}`}`,
  sort: 'Orden',
  sorts: {
    value: 'Primero el mayor valor de por vida',
    name: 'Por nombre',
    lastPurchase: 'Primero la compra más reciente',
    lastMessage: 'Primero el mensaje más reciente',
    birthday: 'Primero el cumpleaños más próximo',
  },
  segment: 'Segmento',
  noSegment: 'Ningún segmento',
  unknownSegment: 'Un segmento que ya no existe',
  readingSegments: 'Leyendo…',
  segments: 'Segmentos',
  importCsv: 'Importar CSV',
  shown: (first, last, total, isCapped) =>
    `${number(first)}–${number(last)} de ${isCapped ? 'al menos ' : ''}${count(total, 'persona')}`,
  sorted: {
    value: '· primero el mayor valor de por vida',
    name: '· por nombre',
    lastPurchase: '· primero la compra más reciente',
    lastMessage: '· primero el mensaje más reciente',
    birthday: '· primero el cumpleaños más próximo, sin quienes no tienen cumpleaños conocido',
  },
  noneHere: 'Nadie entre las 10.000 personas que se han mirado: puede haber alguien más adelante.',
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
  rank: 'Puesto',
  value: 'Valor de por vida',
  valueIn: (currency) => `Valor de por vida en ${currency}`,
  money: (value) => {
    const [whole = '0', cents = '00'] = Math.abs(value).toFixed(2).split('.')
    // Larger ones are written as programs do.
    if (!/^\d{1,15}$/.test(whole)) return String(value)
    return `${value < 0 ? '−' : ''}${number(Number(whole))}${cents === '00' ? '' : `${POINT}${cents}`}`
  },
  choose: (name) => `Elegir a ${name}`,
  chooseAll: 'Elegir a todas las de esta página',
  chosen: (many) => count(many, 'persona elegida', 'personas elegidas'),
  markChosen: 'Marcar como VIP',
  unmarkChosen: 'Quitar la marca de VIP',
  chooseNone: 'No elegir a nadie',
  changedTogether: (marked, unmarked) =>
    [
      ...(marked > 0 ? [`${count(marked, 'persona es VIP', 'personas son VIP')} ahora.`] : []),
      ...(unmarked > 0 ? [`${count(unmarked, 'persona ya no es VIP', 'personas ya no son VIP')}.`] : []),
    ].join(' ') || 'No ha cambiado nada.',
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
