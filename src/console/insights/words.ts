import { lazily } from '../wording.ts'
import { common } from '../words.ts'

const { count } = common

const percents = lazily(() => new Intl.NumberFormat(common.locale, { style: 'percent', maximumFractionDigits: 0 }))

export const words = {
  title: 'Insights',
  toSettings: 'Go to the ad accounts',
  noAccountTitle: 'There is no ad account yet',
  noAccount: 'An administrator adds one, with its access token.',
  account: 'Ad account',
  notConnectedName: (name: string): string => `${name} (not connected)`,
  notConnected: 'This ad account is not connected: an administrator gives it an access token.',
  window: 'Period',
  lastDays: (days: number): string => `Last ${count(days, 'day')}, including today`,
  ownWindow: 'Custom period',
  periods: {
    yesterday: 'Yesterday',
    week: 'Last 7 full days',
    month: 'This month so far',
    'last-month': 'Last month',
  },
  comparison: 'Compare with',
  comparisons: {
    previous: 'The days before',
    year: 'Same days of last year',
    none: 'Nothing',
  },
  notKept: (months: number): string =>
    `The platform keeps its figures for ${count(months, 'month')}, so the other period is not compared.`,
  from: 'From',
  to: 'To',
  windowName: (first: string, last: string): string => (first === last ? first : `${first} – ${last}`),
  lead: (window: string, currency: string, zone: string): string =>
    `${window}. Money is in ${currency}; days are those of the account, in ${zone}.`,
  wrongOrder: 'The last day is before the first.',
  tooLong: (days: number): string => `Choose at most ${count(days, 'day')}.`,
  reading: (pages: number, campaigns: number): string =>
    pages === 0
      ? 'Asking the platform…'
      : `Reading from the platform… ${count(campaigns, 'campaign')} on ${count(pages, 'page')} so far`,
  waiting: (seconds: number): string =>
    `The platform asks to wait ${count(seconds, 'second')}. It continues by itself.`,
  readingBefore: 'Reading the other period…',
  readAt: (time: string): string => `Read at ${time}`,
  readAgain: 'Refresh',
  noBefore: 'The other period could not be read, so there is nothing to compare with.',
  metrics: 'Choose a metric',
  metric: {
    spend: 'Spend',
    delivered: 'Delivered',
    readRate: 'Read rate',
    clicks: 'Clicks',
    clickRate: 'Click rate',
    costPerDelivered: 'Cost per delivered',
    costPerClick: 'Cost per click',
  },
  change: (percent: number | undefined): string => {
    if (percent === undefined) return 'nothing to compare'
    if (Math.abs(percent) < 0.5) return 'unchanged'
    return `${percents().format(Math.abs(percent) / 100)} ${percent > 0 ? 'more' : 'less'} than before`
  },
  changeInPoints: (points: number | undefined, digits: number): string => {
    if (points === undefined) return 'nothing to compare'
    const size = Math.abs(points).toFixed(digits)
    if (Number(size) === 0) return 'unchanged'
    return `${size} ${Number(size) === 1 ? 'point' : 'points'} ${points > 0 ? 'more' : 'less'} than before`
  },
  thisWindow: 'This period',
  point: (day: string, value: string, before: string | undefined): string =>
    before === undefined ? `${day}: ${value}` : `${day}: ${value} (before: ${before})`,
  overDays: (metric: string): string => `${metric} over days`,
  days: 'Day by day',
  daysOf: (name: string): string => `Day by day: ${name}`,
  day: 'Day',
  inSum: 'Total',
  soFar: 'so far',
  mayChange: 'may still change',
  provisional: (days: number): string =>
    `≈ may still change: the platform corrects its figures for up to ${count(days, 'day')}.`,
  leftOut: (many: number, cutoff: string): string =>
    `Not counted here: ${count(many, 'campaign')} that delivered in this period and ${many === 1 ? 'was' : 'were'} created before ${cutoff}.`,
  cutoff: (cutoff: string): string => `Campaigns that were created before ${cutoff} are not counted.`,
  showInstead: (window: string): string => `Show ${window} instead`,
  noSuchAccount: (id: string): string => `There is no ad account ${id} here. Choose another.`,
  allCampaigns: 'All campaigns',
  showAll: 'Show all campaigns',
  byCampaign: 'By campaign',
  filter: 'Filter campaigns',
  noneFound: (search: string): string => `No campaign is called “${search}”.`,
  totalOf: (many: number): string => `Total of ${count(many, 'campaign')}`,
  campaigns: 'Campaigns',
  campaign: 'Campaign',
  beforeHead: (metric: string): string => `${metric}, compared`,
  csv: 'Export CSV',
  saved: (rows: number): string => `${count(rows, 'row')} exported as CSV.`,
  /** `of`: the campaign of the file, where it is of one. */
  fileName: (account: string, what: string, first: string, last: string, of = ''): string =>
    `insights-${[account, of, what]
      .filter(Boolean)
      .join('-')
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${first}-${last}.csv`,
  emptyTitle: 'Nothing was delivered',
  empty: 'No campaign of marketing messages delivered on these days. Choose others.',
}
