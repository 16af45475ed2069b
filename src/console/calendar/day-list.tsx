import { useEffect } from 'preact/hooks'
import { isEditable } from '../../interface/post-status.ts'
import type { ScheduledPost } from '../../interface/posts.ts'
import { Icon } from '../icons.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { nameOf } from '../posts/post-text.ts'
import { postWords } from '../posts/words.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Empty, Status } from '../ui.tsx'
import { words } from './words.ts'

interface Props {
  days: readonly string[]
  byDay: ReadonlyMap<string, ScheduledPost[]>
  timeless: readonly ScheduledPost[]
  today: string
  timeZone: string
  canMove: boolean
  onMove: (post: ScheduledPost) => void
}

/** The posts as a list by day, and below them the posts that have no time yet. */
export function DayList({ days, byDay, timeless, today, ...rest }: Props) {
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
            {formatInstant(`${day}T12:00:00Z`, 'UTC', 'day')}
            {day === today && <span class="quiet"> · {words.today}</span>}
          </h3>
          <Rows posts={byDay.get(day) ?? []} {...rest} />
        </section>
      ))}
      {timeless.length > 0 && (
        <section aria-labelledby="day-none-name">
          <h3 id="day-none-name">{postWords.noTime}</h3>
          <Rows posts={timeless} {...rest} />
        </section>
      )}
    </div>
  )
}

function Rows({
  posts,
  timeZone,
  canMove,
  onMove,
}: Pick<Props, 'timeZone' | 'canMove' | 'onMove'> & { posts: readonly ScheduledPost[] }) {
  const { id: organizationId } = useOrganization()
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
              <span class="quiet small-text">
                {Object.values(post.mediumsData)
                  .map(({ mediumName }) => mediumName)
                  .join(', ')}
              </span>
            </span>
            <Status status={post.status} />
          </a>
          {canMove && isEditable(post.status) && (
            <button
              type="button"
              class="button icon-button"
              aria-label={words.moveOne(nameOf(post))}
              onClick={() => onMove(post)}
            >
              <Icon name="SCHEDULED" />
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}
