import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ScheduledPost } from '../../interface/posts.ts'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { formatDay } from '../times.ts'
import { Chip, DRAG_TYPE } from './chip.tsx'
import { dayByKey } from './view.ts'
import { words } from './words.ts'

/** More than these on a day of a month are behind a link to the list. */
const SHOWN_MAX = 4

interface Props {
  days: readonly string[]
  /** `YYYY-MM` of a month's grid, whose other days are pale; undefined for a week. */
  month: string | undefined
  today: string
  /** The day that the arrow keys start from. */
  focused: string
  byDay: ReadonlyMap<string, ScheduledPost[]>
  onFocusDay: (day: string) => void
  /** A key leads to the day, which may be in another month or week. */
  onGoTo: (day: string) => void
  onDrop: (post: ScheduledPost, day: string) => void
  onMove: (post: ScheduledPost) => void
}

/** A grid of days: one of them is in the tab order, arrow keys lead to the others, Tab to the posts of that day. */
export function Grid({ days, month, today, focused, onFocusDay, onGoTo, ...rest }: Props) {
  const table = useRef<HTMLTableElement>(null)
  /** The day that the keys have reached so far: the grid of another month takes a moment. */
  const target = useRef<string>()
  const active = days.includes(focused) ? focused : days.includes(today) ? today : days[0]!
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7))

  // The cell takes the focus before the next key, which belongs to that day.
  useLayoutEffect(() => {
    if (target.current === undefined) return
    const cell = table.current?.querySelector<HTMLElement>(`[data-day="${target.current}"]`)
    if (cell == null) return
    target.current = undefined
    cell.focus()
  }, [active, days[0]])

  const onKeyDown = (event: KeyboardEvent, onDay: string): void => {
    const cell = event.currentTarget as HTMLElement
    if (event.target !== cell) {
      // Escape leads from a post back to its day.
      if (event.key === 'Escape') cell.focus()
      return
    }
    const next = dayByKey(event.key, target.current ?? onDay, month === undefined)
    if (event.key === 'Enter') cell.querySelector('a')?.focus()
    else if (next !== undefined) {
      target.current = next
      onGoTo(next)
    } else return
    event.preventDefault()
  }

  return (
    <table class={`grid ${month === undefined ? 'grid-week' : ''}`} role="grid" ref={table} aria-label={words.title}>
      <Weekdays days={days.slice(0, 7)} />
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => (
              <Day
                key={day}
                {...rest}
                day={day}
                month={month}
                isToday={day === today}
                isActive={day === active}
                onKeyDown={(event) => onKeyDown(event, day)}
                onFocus={() => {
                  if (day !== active && target.current === undefined) onFocusDay(day)
                }}
              />
            ))}
          </tr>
        ))}
      </tbody>
      <caption class="hidden">
        {words.title} {words.keyboardHint}
      </caption>
    </table>
  )
}

const Weekdays = ({ days }: { days: readonly string[] }) => (
  <thead>
    <tr>
      {days.map((day) => (
        <th key={day} scope="col" abbr={formatDay(day, 'day').split(' ')[0]}>
          {formatDay(day, 'weekday')}
        </th>
      ))}
    </tr>
  </thead>
)

interface DayProps extends Pick<Props, 'month' | 'byDay' | 'onDrop' | 'onMove'> {
  day: string
  isToday: boolean
  /** True for the one day that is in the tab order. */
  isActive: boolean
  onKeyDown: (event: KeyboardEvent) => void
  onFocus: () => void
}

/** A day of the grid: its posts, and the place to drop others on. */
function Day(props: DayProps) {
  const { day, month, byDay, isToday, isActive, onDrop, onMove } = props
  /** True while a post is dragged over it. */
  const [isOver, setIsOver] = useState(false)
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  const posts = byDay.get(day) ?? []
  const shownMax = month === undefined ? Number.POSITIVE_INFINITY : SHOWN_MAX
  const tabIndex = isActive ? 0 : -1
  return (
    <td
      role="gridcell"
      data-day={day}
      tabIndex={tabIndex}
      aria-current={isToday ? 'date' : undefined}
      class={`${month !== undefined && !day.startsWith(month) ? 'day-other' : ''} ${isOver ? 'day-over' : ''}`}
      onKeyDown={props.onKeyDown}
      onFocusIn={props.onFocus}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes(DRAG_TYPE)) return
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        const id = event.dataTransfer?.getData(DRAG_TYPE)
        const post = [...byDay.values()].flat().find((one) => one.id === id)
        if (post !== undefined) onDrop(post, day)
      }}
    >
      <span class="hidden">{words.day(formatDay(day, 'day'), posts.length)}</span>
      <span class="day-number" aria-hidden="true">
        {Number(day.slice(8))}
      </span>
      {posts.slice(0, shownMax).map((post) => (
        <Chip key={post.id} post={post} tabIndex={tabIndex} onMove={onMove} />
      ))}
      {posts.length > shownMax && (
        <a
          class="day-more"
          tabIndex={tabIndex}
          href={hrefOf(organizationId, 'calendar', [], { ...query, view: 'list', day })}
        >
          {words.moreOnDay(posts.length - shownMax)}
        </a>
      )}
    </td>
  )
}
