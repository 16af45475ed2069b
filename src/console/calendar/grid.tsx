import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CalendarPost } from '../../interface/generated/types.ts'
import { Icon } from '../icons.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { formatDay } from '../times.ts'
import { calendar as words } from '../words.ts'
import { Chip, DRAG_TYPE, type PostActions } from './chip.tsx'
import type { SlotOfDay } from './slots.ts'
import { dayByKey } from './view.ts'

/** Posts shown per day of a month; the rest are behind a link to the list. */
const SHOWN_MAX = 4

interface Props {
  days: readonly string[]
  /** The month, `YYYY-MM`; days outside it are dimmed. Undefined for a week. */
  month: string | undefined
  today: string
  /** The day from which arrow keys move. */
  focused: string
  byDay: ReadonlyMap<string, CalendarPost[]>
  actions: PostActions
  planning: Planning
  onFocusDay: (day: string) => void
  /** Called when a key moves to a day, possibly in another month or week. */
  onGoTo: (day: string) => void
  /** `id` is the dropped post. */
  onDrop: (id: string, day: string) => void
}

/** Starts new posts. */
export interface Planning {
  canBegin: (day: string) => boolean
  begin: (day: string, slot?: SlotOfDay) => void
  /** The free slots, shown in a week. */
  slotsOn: (day: string) => readonly SlotOfDay[]
  channelName: (id: string) => string
}

/** A grid of days. One day is in the tab order; arrow keys move to the others, and Tab to the day's posts. */
export function Grid({ days, month, today, focused, onFocusDay, onGoTo, ...rest }: Props) {
  const { planning } = rest
  const table = useRef<HTMLTableElement>(null)
  /** The day that the keys have reached; another month's grid takes a moment to load. */
  const target = useRef<string>()
  const active = days.includes(focused) ? focused : days.includes(today) ? today : days[0]!
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7))

  // Focus the cell before the next key press, which belongs to that day.
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
      // Escape moves from a post back to its day.
      if (event.key === 'Escape') cell.focus()
      return
    }
    const next = dayByKey(event.key, target.current ?? onDay, month === undefined)
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
    const isFilled = rest.byDay.has(onDay)
    if (event.key === 'Enter' && isFilled) cell.querySelector('a')?.focus()
    else if ((event.key === 'Enter' || event.key.toLowerCase() === 'c') && isPlain && planning.canBegin(onDay)) {
      if (!event.repeat) planning.begin(onDay)
    } else if (next !== undefined) {
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

interface DayProps extends Pick<Props, 'month' | 'byDay' | 'onDrop' | 'actions' | 'planning'> {
  day: string
  isToday: boolean
  /** True for the day in the tab order. */
  isActive: boolean
  onKeyDown: (event: KeyboardEvent) => void
  onFocus: () => void
}

/** A day of the grid with its posts. Posts can be dropped on it; a click on its empty space starts a new one. */
function Day(props: DayProps) {
  const { day, month, byDay, isToday, isActive, onDrop, actions, planning } = props
  /** True while a post is dragged over the day. */
  const [isOver, setIsOver] = useState(false)
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  const posts = byDay.get(day) ?? []
  const shownMax = month === undefined ? Number.POSITIVE_INFINITY : SHOWN_MAX
  const tabIndex = isActive ? 0 : -1
  const canBegin = planning.canBegin(day)
  const isPale = month !== undefined && !day.startsWith(month)
  return (
    <td
      role="gridcell"
      data-day={day}
      tabIndex={tabIndex}
      aria-current={isToday ? 'date' : undefined}
      class={`${isPale ? 'day-other' : ''} ${isOver ? 'day-over' : ''} ${canBegin ? 'day-open' : ''}`}
      onKeyDown={props.onKeyDown}
      onFocusIn={props.onFocus}
      onClick={({ target }) => {
        if (canBegin && (target as Element).closest('a, button, label, .chip') === null) planning.begin(day)
      }}
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
        if (id) onDrop(id, day)
      }}
    >
      <span class="hidden">{words.day({ day: formatDay(day, 'day'), many: posts.length })}</span>
      <span class="day-number" aria-hidden="true">
        {Number(day.slice(8))}
      </span>
      {isActive && canBegin && (
        <button
          type="button"
          class="day-new"
          aria-label={words.newOn({ day: formatDay(day, 'day') })}
          onClick={() => planning.begin(day)}
        >
          <Icon name="plus" />
        </button>
      )}
      {posts.slice(0, shownMax).map((post) => (
        <Chip key={post.id} post={post} tabIndex={tabIndex} actions={actions} />
      ))}
      {month === undefined && canBegin && <Slots day={day} planning={planning} tabIndex={tabIndex} />}
      {posts.length > shownMax && (
        <a
          class="day-more"
          tabIndex={tabIndex}
          href={hrefOf(organizationId, 'calendar', [], { ...query, view: 'list', day })}
        >
          {words.moreOnDay({ many: posts.length - shownMax })}
        </a>
      )}
    </td>
  )
}

/** A day's free slots as subtle marks. Each starts a post. */
function Slots({ day, planning, tabIndex }: Pick<DayProps, 'day' | 'planning'> & { tabIndex: 0 | -1 }) {
  return (
    <>
      {planning.slotsOn(day).map((slot) => (
        <button
          key={`${slot.channelId} ${slot.time}`}
          type="button"
          class="slot"
          tabIndex={tabIndex}
          onClick={() => planning.begin(day, slot)}
        >
          <span class="hidden">{words.newAtSlot} </span>
          <span class="chip-time">{slot.time}</span> <bdi>{planning.channelName(slot.channelId)}</bdi>
        </button>
      ))}
    </>
  )
}
