import { addDays } from '../days.ts'
import { TableFrame } from '../ui.tsx'
import { daysToCsv } from './csv.ts'
import { ExportButton } from './export-button.tsx'
import { metricOf } from './figures.ts'
import { formatDay, type Shown } from './format.ts'
import { words } from './words.ts'

/** The platform may correct its figures for so long. */
const PROVISIONAL_DAYS = 28

/** The metric day by day, beside the days of the window before. */
export function DayTable({ account, window, end, heading, comparison, metric, format }: Shown) {
  const { sum, sumBefore, days } = comparison
  const firstOpen = addDays(end, 1 - PROVISIONAL_DAYS)
  return (
    <section class="day-table">
      <div class="bar">
        <h3>{words.days}</h3>
        <ExportButton
          name={words.fileName(account.name, 'days', window.startDate, window.endDate)}
          toCsv={() => daysToCsv(days, account.currency)}
          rows={days.length}
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
          {days.map(({ day, figures, figuresBefore }) => (
            <tr key={day}>
              <th scope="row">
                {formatDay(day, 'weekDate')}
                {day >= firstOpen && <Provisional isToday={day === end} />}
              </th>
              <td class="number">{format(metricOf(figures, metric), metric)}</td>
              <td class="number">{sumBefore && format(metricOf(figuresBefore, metric), metric)}</td>
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
  )
}

const Provisional = ({ isToday }: { isToday: boolean }) => (
  <span class="quiet">
    {' '}
    <span aria-hidden="true">≈</span>
    <span class={isToday ? 'small-text' : 'hidden'}> {isToday ? words.soFar : words.mayChange}</span>
  </span>
)
