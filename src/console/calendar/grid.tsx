import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ScheduledPost } from '../../interface/posts.ts'
import { addDays, addMonths, dayOfWeek } from '../days.ts'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Chip, DRAG_TYPE } from './chip.tsx'
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
  timeZone: string
  canMove: boolean
  onFocusDay: (day: string) => void
  onDrop: (post: ScheduledPost, day: string) => void
  onMove: (post: ScheduledPost) => void
}

/** A grid of days: one of them is in the tab order, arrow keys lead to the others, Tab to the posts of that day. */
export function Grid({ days, month, today, focused, byDay, timeZone, canMove, onFocusDay, onDrop, onMove }: Props) {
  const { id: organizationId } = useOrganization()
  const table = useRef<HTMLTableElement>(null)
  /** Where the keys have led so far: the grid of another month takes a moment. */
  const target = useRef<string>()
  const [over, setOver] = useState<string>()
  const active = days.includes(focused) ? focused : days.includes(today) ? today : days[0]!
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7))
  const shownMax = month === undefined ? Number.POSITIVE_INFINITY : SHOWN_MAX

  // Before the next key, which belongs to that day.
  useLayoutEffect(() => {
    if (target.current === undefined) return
    const cell = table.current?.querySelector<HTMLElement>(`[data-day="${target.current}"]`)
    if (cell == null) return
    target.current = undefined
    cell.focus()
  }, [active, days[0]])

  const onKeyDown = (event: KeyboardEvent, onDay: string): void => {
    if (event.target !== event.currentTarget) {
      // From a post back to its day.
      if (event.key === 'Escape') (event.currentTarget as HTMLElement).focus()
      return
    }
    const day = target.current ?? onDay
    const weekday = dayOfWeek(day)
    const next: Record<string, () => string> = {
      ArrowLeft: () => addDays(day, -1),
      ArrowRight: () => addDays(day, 1),
      ArrowUp: () => addDays(day, -7),
      ArrowDown: () => addDays(day, 7),
      Home: () => addDays(day, 1 - weekday),
      End: () => addDays(day, 7 - weekday),
      PageUp: () => (month === undefined ? addDays(day, -7) : addMonths(day, -1)),
      PageDown: () => (month === undefined ? addDays(day, 7) : addMonths(day, 1)),
    }
    if (event.key === 'Enter') (event.currentTarget as HTMLElement).querySelector('a')?.focus()
    else if (Object.hasOwn(next, event.key)) {
      target.current = next[event.key]!()
      onFocusDay(target.current)
    } else return
    event.preventDefault()
  }

  return (
    <table class={`grid ${month === undefined ? 'grid-week' : ''}`} role="grid" ref={table} aria-label={words.title}>
      <thead>
        <tr>
          {days.slice(0, 7).map((day) => (
            <th key={day} scope="col" abbr={nameOfDay(day, 'day').split(' ')[0]}>
              {nameOfDay(day, 'weekday')}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => {
              const posts = byDay.get(day) ?? []
              const isActive = day === active
              return (
                <td
                  key={day}
                  role="gridcell"
                  data-day={day}
                  tabIndex={isActive ? 0 : -1}
                  aria-current={day === today ? 'date' : undefined}
                  class={[
                    month !== undefined && !day.startsWith(month) ? 'day-other' : '',
                    day === over ? 'day-over' : '',
                  ].join(' ')}
                  onKeyDown={(event) => onKeyDown(event, day)}
                  onFocusIn={() => {
                    if (!isActive && target.current === undefined) onFocusDay(day)
                  }}
                  onDragOver={(event) => {
                    if (!event.dataTransfer?.types.includes(DRAG_TYPE)) return
                    event.preventDefault()
                    setOver(day)
                  }}
                  onDragLeave={() => setOver((before) => (before === day ? undefined : before))}
                  onDrop={(event) => {
                    event.preventDefault()
                    setOver(undefined)
                    const id = event.dataTransfer?.getData(DRAG_TYPE)
                    const post = [...byDay.values()].flat().find((one) => one.id === id)
                    if (post !== undefined) onDrop(post, day)
                  }}
                >
                  <span class="hidden">{words.day(nameOfDay(day, 'day'), posts.length)}</span>
                  <span class="day-number" aria-hidden="true">
                    {Number(day.slice(8))}
                  </span>
                  {posts.slice(0, shownMax).map((post) => (
                    <Chip
                      key={post.id}
                      post={post}
                      timeZone={timeZone}
                      canMove={canMove}
                      tabIndex={isActive ? 0 : -1}
                      onMove={onMove}
                    />
                  ))}
                  {posts.length > shownMax && (
                    <a
                      class="day-more"
                      tabIndex={isActive ? 0 : -1}
                      href={hrefOf(organizationId, 'calendar', [], { view: 'list', day })}
                    >
                      {words.moreOnDay(posts.length - shownMax)}
                    </a>
                  )}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
      <caption class="hidden">
        {words.title} {words.keyboardHint}
      </caption>
    </table>
  )
}

const nameOfDay = (day: string, part: 'day' | 'weekday'): string => formatInstant(`${day}T12:00:00Z`, 'UTC', part)
