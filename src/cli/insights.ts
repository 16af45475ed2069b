import { type Command, Option } from 'commander'
import type { AdAccount, CampaignEntry, DayRow, GetCampaignDailyInsightsQuery } from '../client/index.js'
import { addDays, isBareDate, toDateIn } from '../lib/dates.js'
import { api, byKey } from './client.js'
import { ORGANIZATION_HELP, toId, toWholeNumber } from './input.js'
import { type Cli, CliError, example } from './io.js'
import { printLine, printTable, type Row, writeRows, writeToStdout } from './output.js'
import { countWhile, toCount } from './progress.js'
import { widthOf } from './terminal.js'
import { cut, onOneLine } from './text.js'

const DEFAULT_DAYS = 7

/** The metrics of interface 2.3 and their headings in a table. */
const METRICS = {
  marketing_messages_delivered: 'delivered',
  marketing_messages_read_rate: 'read',
  marketing_messages_link_btn_click: 'clicks',
  marketing_messages_link_btn_click_rate: 'clicked',
  marketing_messages_spend: 'spend',
  marketing_messages_cost_per_delivered: 'per msg',
  marketing_messages_cost_per_link_btn_click: 'per click',
} as const

const CSV_COLUMNS = ['date_start', 'date_stop', 'campaign_id', 'campaign_name', ...Object.keys(METRICS)]

interface Options {
  from?: string
  to?: string
  yesterday?: true
  days?: number
  organization?: string
}

/** The target of the calls: the key, or a token and an organization. */
interface Asked {
  cli: Cli
  adAccount: string
  organizationId: string | undefined
}

export function addInsights(program: Command, cli: Cli): void {
  program
    .command('insights <ad-account>')
    .description('the metrics of an ad account, one row per campaign and day, by default for the last 7 days')
    .option('--from <date>', 'first day, YYYY-MM-DD, at most 93 days in all', toDate)
    .option('--to <date>', 'last day, YYYY-MM-DD', toDate)
    .addOption(new Option('--yesterday', "yesterday in the ad account's time zone").conflicts(['from', 'to', 'days']))
    .addOption(
      new Option('--days <number>', 'the last whole days in its time zone')
        .argParser(toWholeNumber)
        .conflicts(['from', 'to']),
    )
    .option('--organization <organization>', ORGANIZATION_HELP, toId)
    .addHelpText('after', example('greenroom insights 23846105 --from 2026-11-01 --to 2026-11-07 --csv'))
    .action(async (given: string, options: Options) => {
      // The platform's own tools show the id with the prefix act_.
      const adAccount = given.replace(/^act_/, '')
      const asked = { cli, adAccount, organizationId: options.organization }
      const window = await toWindow(asked, options)
      if (cli.format() === 'table') await showCampaigns(asked, window)
      else await writeDays(asked, window)
    })
}

function toDate(given: string): string {
  if (isBareDate(given)) return given
  throw new CliError(2, `${given} is not a day in the form YYYY-MM-DD.`)
}

async function toWindow(asked: Asked, { from, to, yesterday, days }: Options): Promise<GetCampaignDailyInsightsQuery> {
  if (from !== undefined && to !== undefined) return { startDate: from, endDate: to }
  if (from !== undefined || to !== undefined) throw new CliError(2, 'Use --from and --to together.')
  const count = yesterday ? 1 : (days ?? DEFAULT_DAYS)
  if (count < 1) throw new CliError(2, '--days must be at least 1.')
  const endDate = addDays(await findToday(asked), -1)
  return { startDate: addDays(endDate, 1 - count), endDate }
}

async function findAdAccount({ cli, adAccount, organizationId }: Asked): Promise<AdAccount | undefined> {
  const accounts = await (organizationId === undefined
    ? byKey(cli).adAccounts.list()
    : api(cli).call('listOrganizationAdAccounts', { organizationId }))
  return accounts.find(({ id }) => id === adAccount)
}

const listCampaigns = ({ cli, adAccount: adAccountId, organizationId }: Asked, query: GetCampaignDailyInsightsQuery) =>
  organizationId === undefined
    ? byKey(cli).campaigns.dailyInsightsAll(adAccountId, query)
    : api(cli).items('listOrganizationDailyInsights', { organizationId, adAccountId, query })

/** Returns today's date in the time zone of the ad account, which the platform uses to count days. */
async function findToday(asked: Asked): Promise<string> {
  const found = await findAdAccount(asked)
  if (found === undefined)
    throw new CliError(1, `There is no ad account ${asked.adAccount}: see \`greenroom ad-accounts list\`.`)
  return toDateIn(found.timezone, asked.cli.clock.now())
}

/** Writes the day rows as they arrive, with the field names of the interface. For programs. */
async function writeDays(asked: Asked, window: GetCampaignDailyInsightsQuery): Promise<void> {
  const { cli } = asked
  async function* days(count: (done: number) => void): AsyncGenerator<DayRow> {
    let campaigns = 0
    for await (const campaign of listCampaigns(asked, window)) {
      yield* campaign.days
      count(++campaigns)
    }
  }
  const format = cli.givenFormat() ?? 'json'
  await countWhile(cli, 'campaigns', cli.stdout.isTTY === true, (count) =>
    writeRows(writeToStdout(cli), format, days(count), CSV_COLUMNS),
  )
}

/** Prints each campaign with its days and a sparkline of deliveries. For people, so numbers are rounded, unlike in JSON. */
async function showCampaigns(asked: Asked, window: GetCampaignDailyInsightsQuery): Promise<void> {
  const { cli } = asked
  const money = moneyOf((await findAdAccount(asked))?.currency)
  let campaigns = 0
  for await (const campaign of listCampaigns(asked, window)) {
    if (campaigns++ > 0) printLine(cli, '')
    showCampaign(cli, campaign, window, money)
  }
  if (campaigns === 0) printLine(cli, `No campaign delivered from ${window.startDate} to ${window.endDate}.`)
}

/** Formats amounts in the currency of an ad account. */
interface Money {
  /** Uses the decimals of the currency. */
  spend(value: number): string
  spendWithCode(value: number): string
  /** Uses more decimals, because a message or a click may cost a fraction of a cent. */
  cost(value: number): string
}

function moneyOf(currency: string | undefined): Money {
  // Currencies differ in their decimals: none for JPY, three for KWD.
  const digits =
    currency === undefined
      ? 2
      : new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits!
  const spend = (value: number): string => value.toFixed(digits)
  return {
    spend,
    spendWithCode: (value) => [spend(value), currency].filter(Boolean).join(' '),
    cost(value) {
      // Shows two significant digits.
      const small = value > 0 ? 1 - Math.floor(Math.log10(value)) : 0
      return value.toFixed(Math.min(Math.max(digits, small), 8))
    },
  }
}

function showCampaign(
  cli: Cli,
  { campaignId, campaignName, days }: CampaignEntry,
  window: GetCampaignDailyInsightsQuery,
  money: Money,
): void {
  const sum = (metric: keyof typeof METRICS): number =>
    days.reduce((total, day) => total + (Number(day[metric]) || 0), 0)
  const id = `  (${onOneLine(campaignId)})`
  const width = widthOf(cli, 'stdout')
  printLine(cli, cut(onOneLine(campaignName), width - id.length) + id)
  const delivered = toCount(sum('marketing_messages_delivered'))
  const totals = `${delivered} delivered, ${money.spendWithCode(sum('marketing_messages_spend'))} spent`
  const bars = sparkline(deliveredByDay(days, window))
  const line = `  ${bars}  ${totals}`
  if (line.length <= width) {
    printLine(cli, line)
  } else {
    for (let at = 0; at < bars.length; at += width - 2) printLine(cli, `  ${bars.slice(at, at + width - 2)}`.trimEnd())
    printLine(cli, `  ${totals}`)
  }
  const names = Object.values(METRICS)
  const rows = days.map((day) => toTableRow(day, money))
  printTable(cli, ['date', ...names], rows, { indent: '  ', right: names })
}

const PERCENTS = ['marketing_messages_read_rate', 'marketing_messages_link_btn_click_rate']

const toTableRow = (day: DayRow, money: Money): Row => ({
  date: day.date_start,
  ...Object.fromEntries(Object.entries(METRICS).map(([metric, name]) => [name, toShown(metric, day[metric], money)])),
})

function toShown(metric: string, value: unknown, money: Money): unknown {
  const number = Number(value)
  if (value === undefined || value === null || value === '' || !Number.isFinite(number)) return value
  if (PERCENTS.includes(metric)) return `${number.toFixed(1)} %`
  if (metric === 'marketing_messages_spend') return money.spend(number)
  return /_cost_per_/.test(metric) ? money.cost(number) : value
}

/** Returns the number delivered on each day of the window, undefined for a day without deliveries. */
function deliveredByDay(days: DayRow[], { startDate, endDate }: GetCampaignDailyInsightsQuery): (number | undefined)[] {
  const delivered = new Map(days.map((day) => [day.date_start, Number(day.marketing_messages_delivered) || 0]))
  const all: (number | undefined)[] = []
  for (let date = startDate; date <= endDate; date = addDays(date, 1)) all.push(delivered.get(date))
  return all
}

const BARS = '▁▂▃▄▅▆▇█'

/** Returns one bar per value, relative to the largest, and a space for undefined. */
export function sparkline(values: (number | undefined)[]): string {
  const most = Math.max(...values.map((value) => value ?? 0))
  return values
    .map((value) => (value === undefined ? ' ' : BARS[most === 0 ? 0 : Math.round((value / most) * (BARS.length - 1))]))
    .join('')
}
