import { lazily } from '../wording.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

const percents = lazily(() => new Intl.NumberFormat(common.locale, { style: 'percent', maximumFractionDigits: 0 }))

export const words: typeof english = {
  title: 'Resultados',
  toSettings: 'Ir para as contas de anúncios',
  noAccountTitle: 'Ainda não há uma conta de anúncios',
  noAccount: 'Um administrador adiciona uma, com seu token de acesso.',
  account: 'Conta de anúncios',
  notConnectedName: (name) => `${name} (não conectada)`,
  notConnected: 'Esta conta de anúncios não está conectada: um administrador lhe dá um token de acesso.',
  window: 'Período',
  lastDays: (days) => `Últimos ${count(days, 'dia')}, incluindo hoje`,
  ownWindow: 'Período personalizado',
  periods: {
    yesterday: 'Ontem',
    week: 'Últimos 7 dias completos',
    month: 'Este mês até agora',
    'last-month': 'Mês passado',
  },
  comparison: 'Comparar com',
  comparisons: {
    previous: 'Os dias anteriores',
    year: 'Os mesmos dias do ano passado',
    none: 'Nada',
  },
  notKept: (months) =>
    `A plataforma guarda os números por ${count(months, 'mês', 'meses')}, por isso não há comparação com o outro período.`,
  from: 'De',
  to: 'Até',
  windowName: (first, last) => (first === last ? first : `${first} – ${last}`),
  lead: (window, currency, zone) => `${window}. Os valores são em ${currency}; os dias são os da conta, em ${zone}.`,
  wrongOrder: 'O último dia é anterior ao primeiro.',
  tooLong: (days) => `Escolha no máximo ${count(days, 'dia')}.`,
  reading: (pages, campaigns) =>
    pages === 0
      ? 'Perguntando à plataforma…'
      : `Lendo da plataforma… ${count(campaigns, 'campanha')} em ${count(pages, 'página')} até agora`,
  waiting: (seconds) => `A plataforma pede para esperar ${count(seconds, 'segundo')}. A leitura continua sozinha.`,
  readingBefore: 'Lendo o outro período…',
  readAt: (time) => `Lido às ${time}`,
  readAgain: 'Atualizar',
  noBefore: 'Não foi possível ler o outro período, por isso não há com o que comparar.',
  metrics: 'Escolher uma métrica',
  metric: {
    spend: 'Gasto',
    delivered: 'Entregues',
    readRate: 'Taxa de leitura',
    clicks: 'Cliques',
    clickRate: 'Taxa de cliques',
    costPerDelivered: 'Custo por entrega',
    costPerClick: 'Custo por clique',
  },
  change: (percent) => {
    if (percent === undefined) return 'nada a comparar'
    if (Math.abs(percent) < 0.5) return 'sem mudança'
    return `${percents().format(Math.abs(percent) / 100)} a ${percent > 0 ? 'mais' : 'menos'} que antes`
  },
  changeInPoints: (points, digits) => {
    if (points === undefined) return 'nada a comparar'
    const size = Math.abs(points).toFixed(digits)
    if (Number(size) === 0) return 'sem mudança'
    return `${size.replace('.', ',')} ${Number(size) < 2 ? 'ponto' : 'pontos'} a ${points > 0 ? 'mais' : 'menos'} que antes`
  },
  thisWindow: 'Este período',
  point: (day, value, before) => (before === undefined ? `${day}: ${value}` : `${day}: ${value} (antes: ${before})`),
  overDays: (metric) => `${metric} ao longo dos dias`,
  days: 'Dia a dia',
  daysOf: (name) => `Dia a dia: ${name}`,
  day: 'Dia',
  inSum: 'Total',
  soFar: 'até agora',
  mayChange: 'ainda pode mudar',
  provisional: (days) => `≈ ainda pode mudar: a plataforma corrige seus números por até ${count(days, 'dia')}.`,
  leftOut: (many, cutoff) =>
    many === 1
      ? `Não contada aqui: 1 campanha que entregou neste período e foi criada antes de ${cutoff}.`
      : `Não contadas aqui: ${number(many)} campanhas que entregaram neste período e foram criadas antes de ${cutoff}.`,
  cutoff: (cutoff) => `As campanhas criadas antes de ${cutoff} não são contadas.`,
  showInstead: (window) => `Mostrar ${window}`,
  noSuchAccount: (id) => `Não há aqui uma conta de anúncios ${id}. Escolha outra.`,
  allCampaigns: 'Todas as campanhas',
  showAll: 'Mostrar todas as campanhas',
  byCampaign: 'Por campanha',
  filter: 'Filtrar campanhas',
  noneFound: (search) => `Nenhuma campanha se chama “${search}”.`,
  totalOf: (many) => `Total de ${count(many, 'campanha')}`,
  campaigns: 'Campanhas',
  campaign: 'Campanha',
  beforeHead: (metric) => `${metric}, comparação`,
  csv: 'Exportar CSV',
  saved: (rows) => `${count(rows, 'linha exportada', 'linhas exportadas')} em CSV.`,
  fileName: (account, what, first, last, of = '') =>
    `resultados-${[account, of, what]
      .filter(Boolean)
      .join('-')
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${first}-${last}.csv`,
  emptyTitle: 'Nada foi entregue',
  empty: 'Nenhuma campanha de mensagens de marketing entregou nestes dias. Escolha outros.',
}
