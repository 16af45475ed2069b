import { useEffect } from 'preact/hooks'
import type { ScheduledPost } from '../../interface/posts.ts'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { channelNames, nameOf } from '../posts/post-text.ts'
import { postWords } from '../posts/words.ts'
import { formatDay, formatInstant } from '../times.ts'
import { Empty, Status } from '../ui.tsx'
import { MoveButton } from './chip.tsx'
import { words } from './words.ts'

interface Props {
  days: readonly string[]
  byDay: ReadonlyMap<string, ScheduledPost[]>
  timeless: readonly ScheduledPost[]
  today: string
  onMove: (post: ScheduledPost) => void
}

/** The posts as a list by day, and below them the posts that have no time yet. */
export function DayList({ days, byDay, timeless, today, onMove }: Props) {
  const { query } = useUrlQuery()
  const filled = days.filter((day) => byDay.has(day))
  useEffect(() => {
    if (query.day !== undefined) document.getElementById(`day-${query.day}`)?.scrollIntoView({ block: 'start' })
  }, [query.day])
  if (filled.length === 0 && timeless.length === 0) return <Empty title={words.empty} />
  return (
    <div class="day-list">
      {filled.map((day) => (
        <section key={day} id={`day-${day}`} aria-labelledby={`day-${day}-name`}>
          <h3 id={`day-${day}-name`}>
            {formatDay(day, 'day')}
            {day === today && <span class="quiet"> · {words.today}</span>}
          </h3>
          <Rows posts={byDay.get(day) ?? []} onMove={onMove} />
        </section>
      ))}
      {timeless.length > 0 && (
        <section aria-labelledby="day-none-name">
          <h3 id="day-none-name">{postWords.noTime}</h3>
          <Rows posts={timeless} onMove={onMove} />
        </section>
      )}
    </div>
  )
}

function Rows({ posts, onMove }: Pick<Props, 'onMove'> & { posts: readonly ScheduledPost[] }) {
  const { id: organizationId, timeZone } = useOrganization()
  return (
    <ul>
      {posts.map((post) => (
        <li key={post.id} class="day-row">
          <a href={hrefOf(organizationId, 'posts', [post.id])}>
            <span class="day-time">
              {post.scheduledFor === undefined ? '—' : formatInstant(post.scheduledFor, timeZone, 'time')}
            </span>
            <span class="day-text">
              <span dir="auto">{nameOf(post)}</span>
              <span class="quiet small-text">{channelNames(post)}</span>
            </span>
            <Status status={post.status} />
          </a>
          <MoveButton class="button icon-button" post={post} onMove={onMove} />
        </li>
      ))}
    </ul>
  )
}
