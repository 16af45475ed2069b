import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

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
  birthdayIn: (month) => `Em ${month}`,
  shown: (first, last, total, isCapped) =>
    `${number(first)}–${number(last)} de ${isCapped ? 'pelo menos ' : ''}${count(total, 'pessoa')}`,
  sorted: '· do maior valor vitalício ao menor',
  sortedByDay: '· do aniversário mais próximo ao mais distante',
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
