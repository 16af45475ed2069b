import { useEffect } from 'preact/hooks'
import type { CalendarPost } from '../../interface/generated/types.ts'
import { OpenThreads } from '../discussion/open-threads.tsx'
import { Icon } from '../icons.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { channelNamesOf, nameOfText } from '../posts/post-text.ts'
import { formatDay, formatInstant } from '../times.ts'
import { Button, Empty, Status } from '../ui.tsx'
import { posts as postWords, calendar as words } from '../words.ts'
import { toDay } from '../zoned.ts'
import { CrowdedSign, LateSign, MoveButton, Networks, type PostActions, SelectBox, Thumbnail } from './chip.tsx'
import type { Planning } from './grid.tsx'
import type { Moved } from './use-moves.tsx'

interface Props {
  days: readonly string[]
  byDay: ReadonlyMap<string, CalendarPost[]>
  timeless: readonly CalendarPost[]
  today: string
  actions: PostActions
  /** True if the days may be in any year, which is then shown. */
  hasYears?: boolean
  /** Absent if new posts cannot be started from a day. */
  planning?: Planning
  /** Shown if there are no posts. */
  empty: string
  /** The last move. Its note takes the post's old place, so that no other row slides under the pointer. */
  moved: Moved | undefined
}

/** Posts listed by day, followed by those without a time. */
export function DayList({ days, byDay, timeless, today, actions, hasYears, planning, empty, moved }: Props) {
  const dayName = (day: string): string => formatDay(day, hasYears ? 'longDate' : 'day')
  const { timeZone } = useOrganization()
  const { query } = useUrlQuery()
  const movedFrom = moved && (moved.post.scheduledFor === undefined ? 'none' : toDay(moved.post.scheduledFor, timeZone))
  const filled = days.filter((day) => byDay.has(day) || day === movedFrom)
  const hasTimeless = timeless.length > 0 || movedFrom === 'none'
  useEffect(() => {
    if (query.day !== undefined) document.getElementById(`day-${query.day}`)?.scrollIntoView({ block: 'start' })
  }, [query.day])
  if (filled.length === 0 && !hasTimeless) return <Empty title={empty} />
  const rows = (day: string, posts: readonly CalendarPost[]) => (
    <Rows posts={posts} moved={day === movedFrom ? moved : undefined} actions={actions} />
  )
  return (
    <div class="day-list">
      {filled.map((day) => (
        <section key={day} id={`day-${day}`} aria-labelledby={`day-${day}-name`}>
          <div class="day-head">
            <h3 id={`day-${day}-name`}>
              {dayName(day)}
              {day === today && <span class="quiet"> · {words.today}</span>}
            </h3>
            {planning?.canBegin(day) && (
              <Button
                kind="icon-button"
                aria-label={words.newOn({ day: formatDay(day, 'day') })}
                onClick={() => planning.begin(day)}
              >
                <Icon name="plus" />
              </Button>
            )}
          </div>
          {rows(day, byDay.get(day) ?? [])}
        </section>
      ))}
      {hasTimeless && (
        <section aria-labelledby="day-none-name">
          <h3 id="day-none-name">{postWords.noTime}</h3>
          {rows('none', timeless)}
        </section>
      )}
    </div>
  )
}

function Rows({ posts, moved, actions }: Pick<Props, 'actions' | 'moved'> & { posts: readonly CalendarPost[] }) {
  const { id: organizationId, timeZone } = useOrganization()
  const rows = moved === undefined ? posts : [...posts, moved.post].toSorted(byPlace)
  return (
    <ul>
      {rows.map((post) =>
        post === moved?.post ? (
          <li key="moved">{moved.note}</li>
        ) : (
          <li key={post.id} class="day-row">
            <SelectBox post={post} actions={actions} />
            <a href={hrefOf(organizationId, 'posts', [post.id])}>
              <span class="day-time">
                {post.scheduledFor === undefined ? '—' : formatInstant(post.scheduledFor, timeZone, 'time')}
              </span>
              <span class="day-text">
                <span dir="auto">{nameOfText(post.text)}</span>
                <span class="quiet small-text">
                  <Networks post={post} />
                  <LateSign post={post} />
                  <CrowdedSign post={post} actions={actions} /> {channelNamesOf(post.channels)}{' '}
                  <OpenThreads many={post.openMessages} />
                </span>
              </span>
              <Thumbnail post={post} />
              <Status status={post.status} />
            </a>
            <MoveButton class="button icon-button" post={post} actions={actions} />
          </li>
        ),
      )}
    </ul>
  )
}

/** Sorts as the service does: by time, then by id. */
const byPlace = (a: CalendarPost, b: CalendarPost): number => (placeOf(a) < placeOf(b) ? -1 : 1)
const placeOf = ({ scheduledFor = '', id }: CalendarPost): string => `${scheduledFor} ${id}`
