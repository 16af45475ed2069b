import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ConnectedAdAccount, GetCampaignDailyInsightsQuery } from '../../interface/generated/types.ts'
import { ApiError } from '../api.ts'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { formatDay, formatInstant } from '../times.ts'
import { Button, Empty, Loading, Note, Problem } from '../ui.tsx'
import { type Read, useRead } from '../use-read.ts'
import { insights as words } from '../words.ts'
import { Campaigns } from './campaigns.tsx'
import { DayTable } from './day-table.tsx'
import { compare, METRICS, metricOf } from './figures.ts'
import { describeChange, makeFormat, makeTickFormat, nameOfWindow, type Shown } from './format.ts'
import { Plot } from './plot.tsx'
import { type Progress, readInsights, type WindowInsights } from './read-insights.ts'
import { comparedWith, isKept, KEPT_MONTHS, laterHalf, windowBeside } from './window.ts'

const FRESH_MS = 5 * 60_000
/** Refusals that are solved with another token. */
const NEEDS_TOKEN = ['platform_refused', 'ad_platform_not_connected']

interface Insights extends Read<WindowInsights> {
  progress: Progress | undefined
}

/** Reads a window once, and again only on request, because each read costs calls to the platform. */
function useInsights(accountId: string, window: GetCampaignDailyInsightsQuery, isEnabled = true): Insights {
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

interface ReportProps {
  account: ConnectedAdAccount
  window: GetCampaignDailyInsightsQuery
  /** The account's current day. */
  end: string
  settings: ComponentChildren
}

/** Reads a window and the one that it is compared with, and shows both. */
export function Report({ settings, ...props }: ReportProps) {
  const { account, window, end } = props
  const { query } = useUrlQuery()
  const read = useInsights(account.id, window)
  const beside = windowBeside(window, comparedWith(query))
  const isAsked = beside !== undefined && isKept(beside, end)
  const before = useInsights(account.id, beside ?? window, isAsked && read.data !== undefined)
  if (read.data !== undefined)
    return <Figures {...props} insights={read.data} read={read} before={isAsked ? before : undefined} />
  if (read.error && !read.isFetching)
    return (
      <>
        <Problem error={read.error} onRetry={isTooHeavy(read.error) ? undefined : read.refetch} />
        {isTooHeavy(read.error) && window.startDate < window.endDate && <Narrower window={window} />}
        {read.error instanceof ApiError && NEEDS_TOKEN.includes(read.error.code) && settings}
      </>
    )
  return (
    <>
      <p role="status">{describeProgress(read.progress)}</p>
      <Loading lines={8} />
    </>
  )
}

const describeProgress = ({ pages, campaigns, waitSeconds }: Progress = { pages: 0, campaigns: 0 }): string =>
  waitSeconds === undefined ? words.reading({ pages, campaigns }) : words.waiting({ seconds: waitSeconds })

const isTooHeavy = (error: unknown): boolean => error instanceof ApiError && error.code === 'window_too_heavy'

/** Offers the later half of a window that is too large for the platform; the same window would fail again. */
function Narrower({ window }: Pick<ReportProps, 'window'>) {
  const { setQuery } = useUrlQuery()
  const { startDate, endDate } = laterHalf(window)
  return (
    <div class="actions">
      <Button onClick={() => setQuery({ from: startDate, to: endDate, days: undefined, period: undefined })}>
        {words.showInstead({ window: nameOfWindow(startDate, endDate) })}
      </Button>
    </div>
  )
}

interface FiguresProps extends Omit<ReportProps, 'settings'> {
  insights: WindowInsights
  read: Insights
  /** Undefined if nothing is compared, or the platform no longer has it. */
  before: Insights | undefined
}

function Figures({ account, window, end, insights: { campaigns, leftOut, cutoffDate }, read, before }: FiguresProps) {
  const { query, setQuery } = useUrlQuery()
  const format = useMemo(() => makeFormat(account.currency), [account.currency])
  const formatTick = useMemo(() => makeTickFormat(account.currency), [account.currency])
  const metric = METRICS.find((one) => one === query.metric) ?? 'spend'
  const choice = comparedWith(query)
  const campaignsBefore = before?.data?.campaigns
  const chosen = query.campaign
  const campaign = [...campaigns, ...(campaignsBefore ?? [])].find(({ campaignId }) => campaignId === chosen)
  const comparison = compare(window, campaigns, campaignsBefore, chosen, choice)
  const title = useRef<HTMLHeadingElement>(null)
  const wasChosen = useRef(chosen)
  // The campaign is chosen in a table further down the page.
  useEffect(() => {
    if (wasChosen.current === chosen) return
    wasChosen.current = chosen
    title.current?.focus({ preventScroll: true })
    title.current?.scrollIntoView({ block: 'start' })
  }, [chosen])
  const { days, sumBefore } = comparison
  const heading = chosen === undefined ? words.allCampaigns : campaign?.campaignName || chosen
  const shown = {
    account,
    window,
    end,
    heading,
    chosen,
    campaigns,
    before: campaignsBefore,
    comparison,
    comparedWith: choice,
    metric,
    format,
  }
  return (
    <>
      <div class="bar">
        <div class="actions">
          <h2 ref={title} tabIndex={-1} dir="auto">
            {heading}
          </h2>
          {chosen !== undefined && (
            <Button kind="small" onClick={() => setQuery({ campaign: undefined })}>
              {words.showAll}
            </Button>
          )}
        </div>
        <Freshness read={read} before={before} />
      </div>
      <Problem error={read.error} />
      {choice !== 'none' && before === undefined && (
        <Note>
          <p>{words.notKept({ months: KEPT_MONTHS })}</p>
        </Note>
      )}
      {before?.error && (
        <Note kind="warn">
          <p>{words.noBefore}</p>
        </Note>
      )}
      {leftOut > 0 && (
        <Note>
          <p>{words.leftOut({ many: leftOut, cutoff: formatDay(cutoffDate) })}</p>
        </Note>
      )}
      {leftOut === 0 && window.startDate < cutoffDate && (
        <p class="quiet small-text">{words.cutoff({ cutoff: formatDay(cutoffDate) })}</p>
      )}
      <Tiles {...shown} />
      {campaigns.length === 0 ? (
        <Empty title={words.emptyTitle}>{words.empty}</Empty>
      ) : (
        <>
          <div class="figures">
            <section>
              <h3>{words.overDays({ metric: words.metric[metric] })}</h3>
              <Plot
                data={{
                  days: days.map(({ day }) => day),
                  values: days.map(({ figures }) => metricOf(figures, metric)),
                  beforeName: words.comparisons[choice],
                  before: sumBefore && days.map(({ figuresBefore }) => metricOf(figuresBefore, metric)),
                }}
                formatValue={(value) => format(value, metric)}
                formatTick={(value, step) => formatTick(value, metric, step)}
              />
            </section>
            <DayTable {...shown} />
          </div>
          <Campaigns {...shown} />
        </>
      )}
    </>
  )
}

/** Shows the progress or the time of the reading, with a button to read again. */
function Freshness({ read, before }: { read: Insights; before: Insights | undefined }) {
  const { timeZone } = useOrganization()
  return (
    <div class="actions">
      <p role="status" class="quiet small-text">
        {read.isFetching
          ? describeProgress(read.progress)
          : before?.isFetching
            ? words.readingBefore
            : words.readAt({ time: formatInstant(read.dataUpdatedAt, timeZone, 'time') })}
      </p>
      <Button kind="small" disabled={read.isFetching} onClick={() => void read.refetch()}>
        {words.readAgain}
      </Button>
    </div>
  )
}

/** Each metric's total and change. A click plots the metric. */
function Tiles({ comparison: { sum, sumBefore }, metric, format }: Shown) {
  const { setQuery } = useUrlQuery()
  return (
    <div class="tiles" role="group" aria-label={words.metrics}>
      {METRICS.map((one) => {
        const value = metricOf(sum, one)
        return (
          <button
            key={one}
            type="button"
            class="tile"
            aria-pressed={one === metric}
            onClick={() => setQuery({ metric: one })}
          >
            <span class="quiet small-text">{words.metric[one]}</span>
            <span class="tile-value">{format(value, one)}</span>
            <span class="small-text">
              {sumBefore === undefined ? ' ' : describeChange(value, metricOf(sumBefore, one), one)}
            </span>
          </button>
        )
      })}
    </div>
  )
}
