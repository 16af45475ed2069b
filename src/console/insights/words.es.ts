import { lazily } from '../wording.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

const percents = lazily(() => new Intl.NumberFormat(common.locale, { style: 'percent', maximumFractionDigits: 0 }))

export const words: typeof english = {
  title: 'Resultados',
  toSettings: 'Ir a las cuentas publicitarias',
  noAccountTitle: 'Todavía no hay ninguna cuenta publicitaria',
  noAccount: 'Un administrador añade una, con su token de acceso.',
  account: 'Cuenta publicitaria',
  notConnectedName: (name) => `${name} (no conectada)`,
  notConnected: 'Esta cuenta publicitaria no está conectada: un administrador le da un token de acceso.',
  window: 'Periodo',
  lastDays: (days) => `Últimos ${count(days, 'día')}, con hoy`,
  ownWindow: 'Periodo personalizado',
  periods: {
    yesterday: 'Ayer',
    week: 'Los últimos 7 días completos',
    month: 'Este mes hasta ahora',
    'last-month': 'El mes pasado',
  },
  comparison: 'Comparar con',
  comparisons: {
    previous: 'Los días anteriores',
    year: 'Los mismos días del año pasado',
    none: 'Nada',
  },
  notKept: (months) =>
    `La plataforma conserva sus cifras ${count(months, 'mes', 'meses')}, así que no se compara con el otro periodo.`,
  from: 'Desde',
  to: 'Hasta',
  windowName: (first, last) => (first === last ? first : `${first} – ${last}`),
  lead: (window, currency, zone) =>
    `${window}. El dinero está en ${currency}; los días son los de la cuenta, en ${zone}.`,
  wrongOrder: 'El último día es anterior al primero.',
  tooLong: (days) => `Elige como máximo ${count(days, 'día')}.`,
  reading: (pages, campaigns) =>
    pages === 0
      ? 'Preguntando a la plataforma…'
      : `Leyendo de la plataforma… ${count(campaigns, 'campaña')} en ${count(pages, 'página')} hasta ahora`,
  waiting: (seconds) => `La plataforma pide esperar ${count(seconds, 'segundo')}. La lectura continúa por sí sola.`,
  readingBefore: 'Leyendo el otro periodo…',
  readAt: (time) => `Leído a las ${time}`,
  readAgain: 'Actualizar',
  noBefore: 'No se ha podido leer el otro periodo, así que no hay nada con qué comparar.',
  metrics: 'Elegir una métrica',
  metric: {
    spend: 'Gasto',
    delivered: 'Entregados',
    readRate: 'Tasa de lectura',
    clicks: 'Clics',
    clickRate: 'Tasa de clics',
    costPerDelivered: 'Coste por entrega',
    costPerClick: 'Coste por clic',
  },
  change: (percent) => {
    if (percent === undefined) return 'nada que comparar'
    if (Math.abs(percent) < 0.5) return 'sin cambios'
    return `${percents().format(Math.abs(percent) / 100)} ${percent > 0 ? 'más' : 'menos'} que antes`
  },
  changeInPoints: (points, digits) => {
    if (points === undefined) return 'nada que comparar'
    const size = Math.abs(points).toFixed(digits)
    if (Number(size) === 0) return 'sin cambios'
    return `${count(Number(size), 'punto')} ${points > 0 ? 'más' : 'menos'} que antes`
  },
  thisWindow: 'Este periodo',
  point: (day, value, before) => (before === undefined ? `${day}: ${value}` : `${day}: ${value} (antes: ${before})`),
  overDays: (metric) => `${metric} por días`,
  days: 'Día a día',
  daysOf: (name) => `Día a día: ${name}`,
  day: 'Día',
  inSum: 'Total',
  soFar: 'hasta ahora',
  mayChange: 'aún puede cambiar',
  provisional: (days) =>
    `≈ aún puede cambiar: la plataforma corrige sus cifras durante ${count(days, 'día')} como máximo.`,
  leftOut: (many, cutoff) =>
    many === 1
      ? `Aquí no se cuenta 1 campaña que entregó en este periodo y se creó antes del ${cutoff}.`
      : `Aquí no se cuentan ${number(many)} campañas que entregaron en este periodo y se crearon antes del ${cutoff}.`,
  cutoff: (cutoff) => `Las campañas creadas antes del ${cutoff} no se cuentan.`,
  showInstead: (window) => `Mostrar ${window}`,
  noSuchAccount: (id) => `Aquí no hay ninguna cuenta publicitaria ${id}. Elige otra.`,
  allCampaigns: 'Todas las campañas',
  showAll: 'Mostrar todas las campañas',
  byCampaign: 'Por campaña',
  filter: 'Filtrar las campañas',
  noneFound: (search) => `Ninguna campaña se llama «${search}».`,
  totalOf: (many) => `Total de ${count(many, 'campaña')}`,
  campaigns: 'Campañas',
  campaign: 'Campaña',
  beforeHead: (metric) => `${metric}, comparación`,
  csv: 'Exportar CSV',
  saved: (rows) => `${count(rows, 'fila exportada', 'filas exportadas')} en CSV.`,
  fileName: (account, what, first, last, of = '') =>
    `resultados-${[account, of, what]
      .filter(Boolean)
      .join('-')
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${first}-${last}.csv`,
  emptyTitle: 'No se ha entregado nada',
  empty: 'Ninguna campaña de mensajes de marketing entregó en estos días. Elige otros.',
}
