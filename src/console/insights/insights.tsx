import { useMemo, useState } from 'preact/hooks'
import { toCsvRecord } from '../../interface/csv.ts'
import type { CampaignEntry, ConnectedAdAccount, InsightsWindow } from '../../interface/insights.ts'
import { ApiError, listAdAccounts } from '../api.ts'
import { saveFile } from '../audience/save-file.ts'
import { now, POLL_MS } from '../clock.ts'
import { addDays, daysBetween, isDay } from '../days.ts'
import { Icon } from '../icons.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant, today, zoneName } from '../times.ts'
import { announce, Empty, Field, Loading, Note, Page, Problem, TableFrame } from '../ui.tsx'
import { common } from '../words.ts'
import { byDay, changeOf, type Figures, METRICS, type Metric, metricOf, NOTHING, sumOf } from './figures.ts'
import { Plot } from './plot.tsx'
import { type Progress, readInsights } from './read-insights.ts'
import { words } from './words.ts'
import './insights.css'
import { useRead } from '../use-read.ts'

/** What the service takes at most. */
const WINDOW_DAYS_MAX = 93
const PRESETS = [7, 14, 28, 90]
/** The platform may correct its figures for so long. */
const PROVISIONAL_DAYS = 28
const FRESH_MS = 5 * 60_000

/** What the campaigns of an ad account cost and brought, over days, beside the window before. */
export default function Insights() {
  const { id: organizationId, may } = useOrganization()
  const { query, setQuery } = useUrlQuery()
  const accounts = useRead({
    queryKey: ['ad-accounts', organizationId],
    queryFn: ({ signal }) => listAdAccounts(organizationId, { signal }),
    refetchInterval: POLL_MS,
  })
  const list = accounts.data ?? []
  const account = list.find(({ id }) => id === query.account) ?? list.find(({ connected }) => connected) ?? list[0]
  const settings = may('settings:write') && (
    <a href={hrefOf(organizationId, 'settings', ['ad-accounts'])}>{words.toSettings}</a>
  )
  return (
    <Page title={words.title} className="insights">
      {accounts.isPending && <Loading lines={6} />}
      {accounts.error && accounts.data === undefined && <Problem error={accounts.error} onRetry={accounts.refetch} />}
      {accounts.data !== undefined && account === undefined && (
        <Empty title={words.noAccountTitle}>
          <p>{words.noAccount}</p>
          {settings}
        </Empty>
      )}
      {account !== undefined && (
        <Account
          key={account.id}
          account={account}
          accounts={list}
          settings={settings}
          query={query}
          setQuery={setQuery}
        />
      )}
    </Page>
  )
}

interface AccountProps {
  account: ConnectedAdAccount
  accounts: ConnectedAdAccount[]
  settings: preact.ComponentChildren
  query: Record<string, string | undefined>
  setQuery: ReturnType<typeof useUrlQuery>['setQuery']
}

function Account({ account, accounts, settings, query, setQuery }: AccountProps) {
  const end = today(now(), account.timezone)
  const window = readWindow(query, end)
  const isOwn = query.from !== undefined
  const problem = problemOf(window)
  const choose = (changes: Record<string, string | number | undefined>): void =>
    setQuery({ campaign: undefined, ...changes })
  return (
    <>
      <div class="filters">
        <label>
          <span class="label">{words.account}</span>
          <select value={account.id} onChange={(event) => choose({ account: event.currentTarget.value })}>
            {accounts.map(({ id, name, connected }) => (
              <option key={id} value={id}>
                {connected ? name : words.notConnectedName(name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="label">{words.window}</span>
          <select
            value={isOwn ? 'own' : String(presetOf(query))}
            onChange={(event) => {
              const { value } = event.currentTarget
              choose(
                value === 'own'
                  ? { from: window.startDate, to: window.endDate, days: undefined }
                  : { from: undefined, to: undefined, days: value },
              )
            }}
          >
            {PRESETS.map((days) => (
              <option key={days} value={days}>
                {words.lastDays(days)}
              </option>
            ))}
            <option value="own">{words.ownWindow}</option>
          </select>
        </label>
        {isOwn && (
          <>
            <Field label={words.from} problem={problem}>
              {(attributes) => (
                <input
                  {...attributes}
                  type="date"
                  value={window.startDate}
                  max={end}
                  onChange={(event) => choose({ from: event.currentTarget.value || window.startDate })}
                />
              )}
            </Field>
            <Field label={words.to}>
              {(attributes) => (
                <input
                  {...attributes}
                  type="date"
                  value={window.endDate}
                  max={end}
                  onChange={(event) => choose({ to: event.currentTarget.value || window.endDate })}
                />
              )}
            </Field>
          </>
        )}
      </div>
      <p class="quiet small-text">{words.lead(windowName(window), account.currency, zoneName(account.timezone))}</p>
      {!account.connected ? (
        <Note kind="warn">
          <p>{words.notConnected}</p>
          {settings}
        </Note>
      ) : (
        problem === undefined && (
          <Figured account={account} window={window} end={end} settings={settings} query={query} setQuery={setQuery} />
        )
      )}
    </>
  )
}

const presetOf = ({ days }: Record<string, string | undefined>): number => {
  const number = Number(days)
  return PRESETS.includes(number) ? number : PRESETS[0]!
}

function readWindow(query: Record<string, string | undefined>, end: string): InsightsWindow {
  const { from, to } = query
  if (isDay(from)) return { startDate: from, endDate: isDay(to) ? to : end }
  return { startDate: addDays(end, 1 - presetOf(query)), endDate: end }
}

function problemOf({ startDate, endDate }: InsightsWindow): string | undefined {
  const days = daysBetween(startDate, endDate)
  if (days < 1) return words.wrongOrder
  return days > WINDOW_DAYS_MAX ? words.tooLong(WINDOW_DAYS_MAX) : undefined
}

/** The window of as many days right before. */
function windowBefore({ startDate, endDate }: InsightsWindow): InsightsWindow {
  return { startDate: addDays(startDate, -daysBetween(startDate, endDate)), endDate: addDays(startDate, -1) }
}

const dayName = (day: string, part: 'date' | 'weekDate' = 'date'): string =>
  formatInstant(`${day}T00:00:00Z`, 'UTC', part)
const windowName = ({ startDate, endDate }: InsightsWindow): string =>
  words.windowName(dayName(startDate), dayName(endDate))

/** Reads a window once; again only when it is asked for, because each reading costs calls of the platform. */
function useInsights(accountId: string, window: InsightsWindow, isEnabled = true) {
  const { id: organizationId } = useOrganization()
  const [progress, setProgress] = useState<Progress>()
  const read = useRead({
    queryKey: ['insights', organizationId, accountId, window],
    queryFn: ({ signal }) => readInsights(organizationId, accountId, window, { signal, onProgress: setProgress }),
    enabled: isEnabled,
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
    retry: false,
  })
  return { ...read, progress }
}

interface FiguredProps extends Omit<AccountProps, 'accounts'> {
  window: InsightsWindow
  /** The last day that has begun for the account. */
  end: string
}

function Figured({ account, window, end, settings, query, setQuery }: FiguredProps) {
  const { timeZone } = useOrganization()
  const read = useInsights(account.id, window)
  const earlier = windowBefore(window)
  const before = useInsights(account.id, earlier, read.data !== undefined)
  const format = useMemo(() => makeFormat(account.currency), [account.currency])
  if (read.data === undefined) {
    return read.error && !read.isFetching ? (
      <>
        <Problem error={read.error} onRetry={read.refetch} />
        {read.error instanceof ApiError && NEEDS_TOKEN.includes(read.error.code) && settings}
      </>
    ) : (
      <>
        <ProgressText progress={read.progress} />
        <Loading lines={8} />
      </>
    )
  }
  const metric = METRICS.find((one) => one === query.metric) ?? 'spend'
  const campaign = read.data.find(({ campaignId }) => campaignId === query.campaign)
  const shown = campaign === undefined ? read.data : [campaign]
  const shownBefore = before.data?.filter(
    ({ campaignId }) => campaign === undefined || campaignId === campaign.campaignId,
  )
  const sum = sumOf(shown.flatMap(({ days }) => days))
  const sumBefore = shownBefore && sumOf(shownBefore.flatMap(({ days }) => days))
  const days = Array.from({ length: daysBetween(window.startDate, window.endDate) }, (_, index) =>
    addDays(window.startDate, index),
  )
  const figures = byDay(shown)
  const figuresBefore = shownBefore && byDay(shownBefore)
  const dayBefore = (index: number): string => addDays(earlier.startDate, index)
  const valuesOf = (found: Map<string, Figures>, name: (index: number) => string) =>
    days.map((_, index) => {
      const one = found.get(name(index))
      return one === undefined ? undefined : metricOf(one, metric)
    })
  const values = valuesOf(figures, (index) => days[index]!)
  const valuesBefore = figuresBefore && valuesOf(figuresBefore, dayBefore)
  const firstOpen = addDays(end, 1 - PROVISIONAL_DAYS)
  const heading = campaign === undefined ? words.allCampaigns : campaign.campaignName || campaign.campaignId
  return (
    <>
      <div class="bar">
        <div class="actions">
          <h2 dir="auto">{heading}</h2>
          {campaign !== undefined && (
            <button type="button" class="button small" onClick={() => setQuery({ campaign: undefined })}>
              {words.showAll}
            </button>
          )}
        </div>
        <div class="actions">
          <p role="status" class="quiet small-text">
            {read.isFetching ? (
              <ProgressText progress={read.progress} isInline />
            ) : before.isFetching ? (
              words.readingBefore
            ) : (
              words.readAt(formatInstant(read.dataUpdatedAt, timeZone, 'time'))
            )}
          </p>
          <button type="button" class="button small" disabled={read.isFetching} onClick={() => void read.refetch()}>
            {words.readAgain}
          </button>
        </div>
      </div>
      {read.error && <Problem error={read.error} />}
      {before.error && (
        <Note kind="warn">
          <p>{words.noBefore}</p>
        </Note>
      )}
      <div class="tiles" role="group" aria-label={words.metrics}>
        {METRICS.map((one) => (
          <button
            key={one}
            type="button"
            class="tile"
            aria-pressed={one === metric}
            onClick={() => setQuery({ metric: one })}
          >
            <span class="quiet small-text">{words.metric[one]}</span>
            <span class="tile-value">{format(metricOf(sum, one), one)}</span>
            <span class="small-text">
              {sumBefore === undefined ? ' ' : words.change(changeOf(metricOf(sum, one), metricOf(sumBefore, one)))}
            </span>
          </button>
        ))}
      </div>
      {shown.length === 0 ? (
        <Empty title={words.emptyTitle}>{words.empty}</Empty>
      ) : (
        <>
          <div class="figures">
            <section>
              <h3>{words.overDays(words.metric[metric])}</h3>
              <Plot data={{ days, values, before: valuesBefore }} formatValue={(value) => format(value, metric)} />
            </section>
            <section class="day-table">
              <div class="bar">
                <h3>{words.days}</h3>
                <SaveButton
                  onSave={() => {
                    const name = words.fileName(account.name, 'days', window.startDate, window.endDate)
                    saveFile(name, daysToCsv(days, figures, figuresBefore, dayBefore, account.currency))
                    announce(words.saved(days.length))
                  }}
                />
              </div>
              <TableFrame label={words.daysOf(heading)}>
                <thead>
                  <tr>
                    <th scope="col">{words.day}</th>
                    <th scope="col" class="number">
                      {words.metric[metric]}
                    </th>
                    <th scope="col" class="number">
                      {words.windowBefore}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {days.map((day, index) => (
                    <tr key={day}>
                      <th scope="row">
                        {dayName(day, 'weekDate')}
                        {day >= firstOpen && <Provisional isToday={day === end} />}
                      </th>
                      <td class="number">{format(values[index], metric)}</td>
                      <td class="number">{valuesBefore && format(valuesBefore[index], metric)}</td>
                    </tr>
                  ))}
                </tbody>
                <tfoot>
                  <tr>
                    <th scope="row">{words.inSum}</th>
                    <td class="number">{format(metricOf(sum, metric), metric)}</td>
                    <td class="number">{sumBefore && format(metricOf(sumBefore, metric), metric)}</td>
                  </tr>
                </tfoot>
              </TableFrame>
              {window.endDate >= firstOpen && <p class="quiet small-text">{words.provisional(PROVISIONAL_DAYS)}</p>}
            </section>
          </div>
          <Campaigns
            campaigns={read.data}
            before={before.data}
            metric={metric}
            format={format}
            onChoose={(id) => setQuery({ campaign: id })}
            onSave={() => {
              const rows = campaignsToCsv(read.data!, account.currency)
              const name = words.fileName(account.name, 'campaigns', window.startDate, window.endDate)
              saveFile(name, rows)
              announce(words.saved(read.data!.reduce((many, one) => many + one.days.length, 0)))
            }}
          />
        </>
      )}
    </>
  )
}

/** Refusals whose remedy is another token. */
const NEEDS_TOKEN = ['platform_refused', 'ad_platform_not_connected']

function ProgressText({ progress, isInline = false }: { progress: Progress | undefined; isInline?: boolean }) {
  const { pages = 0, campaigns = 0, waitSeconds } = progress ?? {}
  const text = waitSeconds === undefined ? words.reading(pages, campaigns) : words.waiting(waitSeconds)
  return isInline ? <span>{text}</span> : <p role="status">{text}</p>
}

function SaveButton({ onSave }: { onSave: () => void }) {
  return (
    <button type="button" class="button small" onClick={onSave}>
      <Icon name="download" /> {words.csv}
    </button>
  )
}

function Provisional({ isToday }: { isToday: boolean }) {
  return (
    <span class="quiet">
      {' '}
      <span aria-hidden="true">≈</span>
      <span class={isToday ? 'small-text' : 'hidden'}> {isToday ? words.soFar : words.mayChange}</span>
    </span>
  )
}

type Format = (value: number | undefined, metric: Metric) => string

function makeFormat(currency: string): Format {
  const money = (digits: number): Intl.NumberFormat =>
    new Intl.NumberFormat(common.locale, { style: 'currency', currency, maximumFractionDigits: digits })
  const [large, sum, cost] = [money(0), money(2), money(4)]
  const percent = new Intl.NumberFormat(common.locale, { style: 'percent', maximumFractionDigits: 1 })
  return (value, metric) => {
    if (value === undefined) return '–'
    if (metric === 'spend') return (value < 1000 ? sum : large).format(value)
    if (metric === 'costPerClick' || metric === 'costPerDelivered') return cost.format(value)
    return metric === 'readRate' ? percent.format(value / 100) : common.number(value)
  }
}

const MetricHeads = () => (
  <>
    {METRICS.map((metric) => (
      <th key={metric} scope="col" class="number">
        {words.metric[metric]}
      </th>
    ))}
  </>
)

const MetricCells = ({ figures, format }: { figures: Figures | undefined; format: Format }) => (
  <>
    {METRICS.map((metric) => (
      <td key={metric} class="number">
        {format(figures === undefined ? undefined : metricOf(figures, metric), metric)}
      </td>
    ))}
  </>
)

function Campaigns({
  campaigns,
  before,
  metric,
  format,
  onChoose,
  onSave,
}: {
  campaigns: readonly CampaignEntry[]
  before: readonly CampaignEntry[] | undefined
  metric: Metric
  format: Format
  onChoose: (id: string) => void
  onSave: () => void
}) {
  const sumBefore = new Map(before?.map(({ campaignId, days }) => [campaignId, sumOf(days)]))
  const rows = campaigns
    .map((campaign) => ({ campaign, sum: sumOf(campaign.days) }))
    .toSorted((a, b) => (metricOf(b.sum, metric) ?? -1) - (metricOf(a.sum, metric) ?? -1))
  return (
    <section class="campaigns">
      <div class="bar">
        <h3>{words.byCampaign(words.metric[metric])}</h3>
        <SaveButton onSave={onSave} />
      </div>
      <TableFrame label={words.campaigns}>
        <thead>
          <tr>
            <th scope="col">{words.campaign}</th>
            <MetricHeads />
            <th scope="col" class="number">
              {words.beforeHead(words.metric[metric])}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ campaign, sum }) => (
            <tr key={campaign.campaignId}>
              <th scope="row">
                <button type="button" class="campaign-name" onClick={() => onChoose(campaign.campaignId)}>
                  <bdi>{campaign.campaignName || campaign.campaignId}</bdi>
                </button>
              </th>
              <MetricCells figures={sum} format={format} />
              <td class="number">
                {before !== undefined &&
                  words.change(
                    changeOf(metricOf(sum, metric), metricOf(sumBefore.get(campaign.campaignId) ?? NOTHING, metric)),
                  )}
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  )
}

const toCsv = (rows: readonly (readonly (string | number | undefined)[])[]): string =>
  `\uFEFF${rows.map(toCsvRecord).join('')}`

/** A row for each day, with the day of the window before beside it. */
function daysToCsv(
  days: readonly string[],
  figures: Map<string, Figures>,
  before: Map<string, Figures> | undefined,
  dayBefore: (index: number) => string,
  currency: string,
): string {
  const cells = (one: Figures | undefined) => METRICS.map((metric) => one && metricOf(one, metric))
  return toCsv([
    ['date', 'currency', ...METRICS, 'dateBefore', ...METRICS.map((metric) => `${metric}Before`)],
    ...days.map((day, index) => [
      day,
      currency,
      ...cells(figures.get(day)),
      dayBefore(index),
      ...cells(before?.get(dayBefore(index))),
    ]),
  ])
}

const RAW = [
  'marketing_messages_spend',
  'marketing_messages_delivered',
  'marketing_messages_read_rate',
  'marketing_messages_link_btn_click',
  'marketing_messages_link_btn_click_rate',
  'marketing_messages_cost_per_delivered',
  'marketing_messages_cost_per_link_btn_click',
] as const

/** A row for each campaign and day, as the platform gives it. */
const campaignsToCsv = (campaigns: readonly CampaignEntry[], currency: string): string =>
  toCsv([
    ['campaignId', 'campaignName', 'date', 'currency', ...RAW],
    ...campaigns.flatMap(({ campaignId, campaignName, days }) =>
      days.map((day) => [campaignId, campaignName, day.date_start, currency, ...RAW.map((name) => day[name])]),
    ),
  ])
