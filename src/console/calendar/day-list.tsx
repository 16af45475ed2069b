import { useEffect } from 'preact/hooks'
import type { ScheduledPost } from '../../interface/posts.ts'
import { OpenThreads } from '../discussion/open-threads.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { channelNames, nameOf } from '../posts/post-text.ts'
import { postWords } from '../posts/words.ts'
import { formatDay, formatInstant } from '../times.ts'
import { Empty, Status } from '../ui.tsx'
import { toDay } from '../zoned.ts'
import { MoveButton } from './chip.tsx'
import type { Moved } from './use-moves.tsx'
import { words } from './words.ts'

interface Props {
  days: readonly string[]
  byDay: ReadonlyMap<string, ScheduledPost[]>
  timeless: readonly ScheduledPost[]
  today: string
  onMove: (post: ScheduledPost) => void
  /** The last move: its note stands where the post was, so that no row comes under the pointer in its place. */
  moved: Moved | undefined
}

/** The posts as a list by day, and below them the posts that have no time yet. */
export function DayList({ days, byDay, timeless, today, onMove, moved }: Props) {
  const { timeZone } = useOrganization()
  const { query } = useUrlQuery()
  const movedFrom = moved && (moved.post.scheduledFor === undefined ? 'none' : toDay(moved.post.scheduledFor, timeZone))
  const filled = days.filter((day) => byDay.has(day) || day === movedFrom)
  const hasTimeless = timeless.length > 0 || movedFrom === 'none'
  useEffect(() => {
    if (query.day !== undefined) document.getElementById(`day-${query.day}`)?.scrollIntoView({ block: 'start' })
  }, [query.day])
  if (filled.length === 0 && !hasTimeless) return <Empty title={words.empty} />
  const rows = (day: string, posts: readonly ScheduledPost[]) => (
    <Rows posts={posts} moved={day === movedFrom ? moved : undefined} onMove={onMove} />
  )
  return (
    <div class="day-list">
      {filled.map((day) => (
        <section key={day} id={`day-${day}`} aria-labelledby={`day-${day}-name`}>
          <h3 id={`day-${day}-name`}>
            {formatDay(day, 'day')}
            {day === today && <span class="quiet"> · {words.today}</span>}
          </h3>
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

function Rows({ posts, moved, onMove }: Pick<Props, 'onMove' | 'moved'> & { posts: readonly ScheduledPost[] }) {
  const { id: organizationId, timeZone } = useOrganization()
  const rows = moved === undefined ? posts : [...posts, moved.post].toSorted(byPlace)
  return (
    <ul>
      {rows.map((post) =>
        post === moved?.post ? (
          <li key="moved">{moved.note}</li>
        ) : (
          <li key={post.id} class="day-row">
            <a href={hrefOf(organizationId, 'posts', [post.id])}>
              <span class="day-time">
                {post.scheduledFor === undefined ? '—' : formatInstant(post.scheduledFor, timeZone, 'time')}
              </span>
              <span class="day-text">
                <span dir="auto">{nameOf(post)}</span>
                <span class="quiet small-text">
                  {channelNames(post)} <OpenThreads post={post} />
                </span>
              </span>
              <Status status={post.status} />
            </a>
            <MoveButton class="button icon-button" post={post} onMove={onMove} />
          </li>
        ),
      )}
    </ul>
  )
}

/** The order of the service: by time, and then by id. */
const byPlace = (a: ScheduledPost, b: ScheduledPost): number => (placeOf(a) < placeOf(b) ? -1 : 1)
const placeOf = ({ scheduledFor = '', id }: ScheduledPost): string => `${scheduledFor} ${id}`
