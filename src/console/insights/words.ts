import { common, lazily } from '../words.ts'

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
  window: 'Window',
  lastDays: (days: number): string => `Last ${count(days, 'day')}, with today`,
  ownWindow: 'Other days',
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
  waiting: (seconds: number): string => `The platform asks to wait ${count(seconds, 'second')}. It goes on by itself.`,
  readingBefore: 'Reading the window before…',
  readAt: (time: string): string => `Read at ${time}`,
  readAgain: 'Read again',
  noBefore: 'The window before could not be read, so there is nothing to compare with.',
  metrics: 'Choose what is plotted',
  metric: {
    spend: 'Spend',
    delivered: 'Delivered',
    readRate: 'Read rate',
    clicks: 'Clicks',
    costPerDelivered: 'Cost per delivered',
    costPerClick: 'Cost per click',
  },
  change: (percent: number | undefined): string => {
    if (percent === undefined) return 'nothing to compare'
    if (Math.abs(percent) < 0.5) return 'as before'
    return `${percents().format(Math.abs(percent) / 100)} ${percent > 0 ? 'more' : 'less'} than before`
  },
  thisWindow: 'This window',
  windowBefore: 'Window before',
  point: (day: string, value: string, before: string | undefined): string =>
    before === undefined ? `${day}: ${value}` : `${day}: ${value} (before: ${before})`,
  overDays: (metric: string): string => `${metric} over days`,
  days: 'Day by day',
  daysOf: (name: string): string => `Day by day: ${name}`,
  day: 'Day',
  inSum: 'In sum',
  soFar: 'so far',
  mayChange: 'may still change',
  provisional: (days: number): string =>
    `≈ may still change: the platform corrects its figures for up to ${count(days, 'day')}.`,
  allCampaigns: 'All campaigns',
  showAll: 'Show all campaigns',
  byCampaign: (metric: string): string => `By campaign, the highest ${metric.toLowerCase()} first`,
  campaigns: 'Campaigns',
  campaign: 'Campaign',
  beforeHead: (metric: string): string => `${metric}, compared`,
  csv: 'Save as CSV',
  saved: (rows: number): string => `${count(rows, 'row')} saved as CSV.`,
  fileName: (account: string, what: string, first: string, last: string): string =>
    `insights-${account.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${what}-${first}-${last}.csv`,
  emptyTitle: 'Nothing was delivered',
  empty: 'No campaign of marketing messages delivered on these days. Choose others.',
}
