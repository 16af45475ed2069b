import { addDays } from '../days.ts'
import { useUrlQuery } from '../navigation.ts'
import { formatDay } from '../times.ts'
import { locale } from '../wording.ts'
import { insights as words } from '../words.ts'
import { daysToCsv } from './csv.ts'
import { type Figures, metricOf } from './figures.ts'
import { FiguresTable } from './figures-table.tsx'
import type { Shown } from './format.ts'
import { fileOfInsights } from './format.ts'
import { readSort, sortBy } from './sort.ts'

/** The platform may revise figures for this many days. */
const PROVISIONAL_DAYS = 28

const COLUMNS = ['day', 'value', 'before'] as const

/** The metric day by day, beside the compared days. */
export function DayTable(props: Shown) {
  const { account, window, end, heading, chosen, comparison, comparedWith, metric, format } = props
  const { query, setQuery } = useUrlQuery()
  const { sum, sumBefore } = comparison
  const firstOpen = addDays(end, 1 - PROVISIONAL_DAYS)
  const first = { by: 'day', isDescending: false } as const
  const sort = readSort(COLUMNS, { by: query['day-sort'], order: query['day-order'] }, first)
  const days = sortBy(
    comparison.days,
    ({ day, figures, figuresBefore }) =>
      sort.by === 'day' ? day : metricOf(sort.by === 'value' ? figures : figuresBefore, metric),
    sort.isDescending,
    locale,
  )
  const isCompared = comparedWith !== 'none'
  const valuesOf = (figures: Figures | undefined, figuresBefore: Figures | undefined) => [
    format(metricOf(figures, metric), metric),
    ...(isCompared ? [sumBefore && format(metricOf(figuresBefore, metric), metric)] : []),
  ]
  return (
    <FiguresTable
      className="day-table"
      title={words.days}
      label={words.daysOf({ name: heading })}
      file={{
        name: fileOfInsights([account.name, chosen && heading, 'days'], window),
        toCsv: () => daysToCsv(days, account.currency, isCompared),
        rows: days.length,
      }}
      heads={[
        ['day', words.day],
        ['value', words.metric[metric]],
        ...(isCompared ? [['before', words.comparisons[comparedWith]] as const] : []),
      ]}
      sort={sort}
      onSort={({ by, isDescending }) => setQuery({ 'day-sort': by, 'day-order': isDescending ? 'desc' : 'asc' })}
      rows={days.map(({ day, figures, figuresBefore }) => [
        day,
        <>
          {formatDay(day, 'weekDate')}
          {day >= firstOpen && <Provisional isToday={day === end} />}
        </>,
        ...valuesOf(figures, figuresBefore),
      ])}
      total={['total', words.inSum, ...valuesOf(sum, sumBefore)]}
    >
      {window.endDate >= firstOpen && <p class="quiet small-text">{words.provisional({ days: PROVISIONAL_DAYS })}</p>}
    </FiguresTable>
  )
}

const Provisional = ({ isToday }: { isToday: boolean }) => (
  <span class="quiet">
    {' '}
    <span aria-hidden="true">≈</span>
    <span class={isToday ? 'small-text' : 'hidden'}> {isToday ? words.soFar : words.mayChange}</span>
  </span>
)
