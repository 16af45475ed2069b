import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

const MONTHS = [
  ...['janeiro', 'fevereiro', 'março', 'abril', 'maio', 'junho'],
  ...['julho', 'agosto', 'setembro', 'outubro', 'novembro', 'dezembro'],
]

export const words: typeof english = {
  title: 'Público',
  noWorkspaceTitle: 'Ainda não há um espaço de trabalho VIP',
  noWorkspace: 'Um administrador cria um e conecta canais a ele.',
  noChannelTitle: 'Nenhum canal está conectado a este espaço de trabalho',
  noChannel: 'Um administrador conecta um.',
  workspace: 'Espaço de trabalho',
  channel: 'Canal',
  scope: 'Quem',
  scopeVip: 'VIPs',
  scopeAll: 'Todos',
  birthday: 'Aniversário',
  birthdayAny: 'Qualquer ou desconhecido',
  birthdayKnown: 'Conhecido',
  birthdaySoon: (days) => `Nos próximos ${count(days, 'dia')}`,
  birthdayIn: (month) => `Em ${MONTHS[month - 1]}`,
  birthdayOn: (day, month, year) => `${day} de ${MONTHS[month - 1] ?? month}${year === undefined ? '' : ` de ${year}`}`,
  sort: 'Ordem',
  sorts: {
    value: 'Do maior valor vitalício ao menor',
    name: 'Por nome',
    lastPurchase: 'Da compra mais recente à mais antiga',
    lastMessage: 'Da mensagem mais recente à mais antiga',
    birthday: 'Do aniversário mais próximo ao mais distante',
  },
  segment: 'Segmento',
  noSegment: 'Nenhum segmento',
  unknownSegment: 'Um segmento que não existe mais',
  readingSegments: 'Lendo…',
  segments: 'Segmentos',
  importCsv: 'Importar CSV',
  shown: (first, last, total, isCapped) =>
    `${number(first)}–${number(last)} de ${isCapped ? 'pelo menos ' : ''}${count(total, 'pessoa')}`,
  sorted: {
    value: '· do maior valor vitalício ao menor',
    name: '· por nome',
    lastPurchase: '· da compra mais recente à mais antiga',
    lastMessage: '· da mensagem mais recente à mais antiga',
    birthday: '· do aniversário mais próximo ao mais distante, sem as pessoas de aniversário desconhecido',
  },
  noneHere: 'Ninguém entre as 10.000 pessoas consultadas: pode haver alguém mais adiante.',
  changed: (many) => `${many === 1 ? '1 mudou' : `${number(many)} mudaram`}: mostrar`,
  nobody: 'Ninguém',
  capped:
    'Este canal tem mais de 25.000 conversas: só as 25.000 de maior valor vitalício são pesquisadas, por isso pode haver mais pessoas do que as contadas aqui.',
  csv: 'Exportar CSV',
  csvProgress: 'Lendo…',
  saved: (rows, isCapped) =>
    `${count(rows, 'pessoa exportada', 'pessoas exportadas')} em CSV${isCapped ? ': as de maior valor vitalício. Há mais' : ''}.`,
  fileName: (channel, isAll, day) =>
    `${isAll ? 'publico' : 'vips'}-${channel.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${day}.csv`,
  caption: (channel) => `Pessoas de ${channel}`,
  person: 'Pessoa',
  rank: 'Posição',
  value: 'Valor vitalício',
  valueIn: (currency) => `Valor vitalício em ${currency}`,
  money: (value) => {
    const [whole = '0', cents = '00'] = Math.abs(value).toFixed(2).split('.')
    // Larger ones are written as programs do.
    if (!/^\d{1,15}$/.test(whole)) return String(value)
    return `${value < 0 ? '−' : ''}${number(Number(whole))}${cents === '00' ? '' : `,${cents}`}`
  },
  choose: (name) => `Escolher ${name}`,
  chooseAll: 'Escolher todas desta página',
  chosen: (many) => count(many, 'pessoa escolhida', 'pessoas escolhidas'),
  markChosen: 'Marcar como VIPs',
  unmarkChosen: 'Desmarcar como VIPs',
  chooseNone: 'Não escolher ninguém',
  changedTogether: (marked, unmarked) =>
    [
      ...(marked > 0 ? [`${count(marked, 'pessoa agora é VIP', 'pessoas agora são VIPs')}.`] : []),
      ...(unmarked > 0 ? [`${count(unmarked, 'pessoa não é mais VIP', 'pessoas não são mais VIPs')}.`] : []),
    ].join(' ') || 'Nada mudou.',
  lastPurchase: 'Última compra',
  lastMessage: 'Última mensagem',
  lastOpen: 'Última abertura do app',
  vip: 'VIP',
  vipOf: (name) => `${name} é VIP`,
  marked: (name) => `${name} agora é VIP.`,
  unmarked: (name) => `${name} não é mais VIP.`,
  emptyTitle: 'Nenhuma pessoa encontrada',
  empty: (isAll) =>
    isAll ? 'Escolha outro aniversário ou outro canal.' : 'Escolha “Todos” e marque pessoas como VIP com a estrela.',
  firstPage: 'Ir para a primeira página',
  pages: 'Páginas',
  before: 'Anterior',
  next: 'Próxima',
}
