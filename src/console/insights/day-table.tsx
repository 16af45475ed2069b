import { addDays } from '../days.ts'
import { formatDay } from '../times.ts'
import { daysToCsv } from './csv.ts'
import { type Figures, metricOf } from './figures.ts'
import { FiguresTable } from './figures-table.tsx'
import type { Shown } from './format.ts'
import { words } from './words.ts'

/** The platform may correct its figures for so long. */
const PROVISIONAL_DAYS = 28

/** The metric day by day, beside the days of the window before. */
export function DayTable({ account, window, end, heading, chosen, comparison, metric, format }: Shown) {
  const { sum, sumBefore, days } = comparison
  const firstOpen = addDays(end, 1 - PROVISIONAL_DAYS)
  const valuesOf = (figures: Figures | undefined, figuresBefore: Figures | undefined) => [
    format(metricOf(figures, metric), metric),
    sumBefore && format(metricOf(figuresBefore, metric), metric),
  ]
  return (
    <FiguresTable
      className="day-table"
      title={words.days}
      label={words.daysOf(heading)}
      file={{
        name: words.fileName(account.name, 'days', window.startDate, window.endDate, chosen && heading),
        toCsv: () => daysToCsv(days, account.currency),
        rows: days.length,
      }}
      heads={[words.day, words.metric[metric], words.windowBefore]}
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
      {window.endDate >= firstOpen && <p class="quiet small-text">{words.provisional(PROVISIONAL_DAYS)}</p>}
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
