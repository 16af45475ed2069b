import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useState } from 'preact/hooks'
import { POST_STATUSES, type PostStatus } from '../../interface/post-status.ts'
import type { ScheduledPost } from '../../interface/posts.ts'
import { listScheduledPosts } from '../api.ts'
import { now, POLL_MS } from '../clock.ts'
import { addDays, addMonths, isDay, monthGrid, weekDays } from '../days.ts'
import { Icon } from '../icons.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useChannels } from '../posts/queries.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant, zoneName } from '../times.ts'
import { announce, Loading, Page, Problem } from '../ui.tsx'
import { common } from '../words.ts'
import { readWallTime, startOfDay, toDay, toWallTime } from '../zoned.ts'
import { DayList } from './day-list.tsx'
import { Grid } from './grid.tsx'
import { type Move, moveBack, movePost } from './move.ts'
import { MoveDialog } from './move-dialog.tsx'
import { words } from './words.ts'
import './calendar.css'
import { useRead } from '../use-read.ts'

const VIEWS = ['month', 'week', 'list'] as const
type View = (typeof VIEWS)[number]

/** Later than any time of a post: what comes from here on has none. */
const AFTER_ALL = '9999-12-31T23:59:59Z'

/** Whether there is room for a grid of seven days. */
function useIsWide(): boolean {
  const [media] = useState(() => matchMedia('(min-width: 56rem)'))
  const [isWide, setIsWide] = useState(media.matches)
  useEffect(() => {
    const follow = (): void => setIsWide(media.matches)
    media.addEventListener('change', follow)
    return () => media.removeEventListener('change', follow)
  }, [media])
  return isWide
}

/** The posts of a month or week in the organization's time zone. */
export default function Calendar() {
  const { id: organizationId, timeZone, may } = useOrganization()
  const { query, setQuery } = useUrlQuery()
  const client = useQueryClient()
  const isWide = useIsWide()
  const today = toDay(now(), timeZone)
  const day = isDay(query.day) ? query.day : today
  const asked: View = VIEWS.find((one) => one === query.view) ?? 'month'
  const view: View = isWide ? asked : 'list'
  const isWeek = asked === 'week' && isWide
  const days = isWeek ? weekDays(day) : view === 'list' ? monthOnly(day) : monthGrid(day)
  const channels = useChannels()
  const filter = {
    ...(query.channel === undefined ? {} : { mediumId: query.channel }),
    ...(POST_STATUSES.includes(query.status as PostStatus) ? { status: query.status as PostStatus } : {}),
  }
  const range = {
    scheduledFrom: startOfDay(days[0]!, timeZone),
    scheduledBefore: startOfDay(addDays(days.at(-1)!, 1), timeZone),
  }
  const posts = usePosts({ ...filter, ...range })
  const timeless = usePosts({ ...filter, scheduledFrom: AFTER_ALL }, view === 'list')
  const [asks, setAsks] = useState<{ post: ScheduledPost; time: string }>()
  const [lastMove, setLastMove] = useState<Move>()
  const [error, setError] = useState<unknown>()
  const [focused, setFocused] = useState(day)

  const step = (by: 1 | -1): void => setQuery({ day: isWeek ? addDays(day, 7 * by) : addMonths(day, by) })
  const move = async (post: ScheduledPost, instant: string): Promise<void> => {
    setAsks(undefined)
    setError(undefined)
    try {
      const done = await movePost(client, organizationId, post, instant)
      setLastMove(done)
      announce(words.moved(formatInstant(instant, timeZone)))
    } catch (thrown) {
      setLastMove(undefined)
      setError(thrown)
    }
  }
  /** To the same time of another day; asks where that time does not exist there, comes twice or is over. */
  const drop = (post: ScheduledPost, onDay: string): void => {
    if (post.scheduledFor === undefined || toDay(post.scheduledFor, timeZone) === onDay) return
    const time = `${onDay}T${toWallTime(post.scheduledFor, timeZone).slice(11)}`
    const read = readWallTime(time, timeZone)
    if (read?.kind === 'once' && Date.parse(read.instant) > now()) void move(post, read.instant)
    else setAsks({ post, time })
  }
  const undo = async (): Promise<void> => {
    if (lastMove === undefined) return
    try {
      await moveBack(client, organizationId, lastMove)
      announce(words.movedBack)
    } catch (thrown) {
      setError(thrown)
    }
    setLastMove(undefined)
  }
  const byDay = groupByDay(posts.data ?? [], timeZone)
  const askMove = (post: ScheduledPost): void =>
    setAsks({ post, time: toWallTime(post.scheduledFor ?? startOfDay(addDays(today, 1), timeZone), timeZone) })
  const canMove = may('posts:write')

  return (
    <Page
      title={words.title}
      className="calendar"
      aside={
        <div class="views" role="group" aria-label={words.view}>
          {VIEWS.map((one) => (
            <a
              key={one}
              class="button small"
              href={hrefOf(organizationId, 'calendar', [], { ...query, view: one })}
              aria-current={asked === one ? 'true' : undefined}
            >
              {words.views[one]}
            </a>
          ))}
        </div>
      }
    >
      <div class="calendar-bar">
        <div class="calendar-steps">
          <button type="button" class="button icon-button" aria-label={words.before(isWeek)} onClick={() => step(-1)}>
            <Icon name="left" />
          </button>
          <button type="button" class="button small" onClick={() => setQuery({ day: undefined })}>
            {words.today}
          </button>
          <button type="button" class="button icon-button" aria-label={words.after(isWeek)} onClick={() => step(1)}>
            <Icon name="right" />
          </button>
          <h2 aria-live="polite">{isWeek ? words.week(nameDay(days[0]!), nameDay(days[6]!)) : nameMonth(day)}</h2>
        </div>
        <div class="calendar-filters">
          <label>
            <span class="hidden">{words.channel}</span>
            <select value={query.channel ?? ''} onChange={(event) => setQuery({ channel: event.currentTarget.value })}>
              <option value="">{words.allChannels}</option>
              {(channels.data ?? []).map(({ id, name, type }) => (
                <option key={id} value={id}>
                  {name} ({common.channelType(type)})
                </option>
              ))}
            </select>
          </label>
          <label>
            <span class="hidden">{words.status}</span>
            <select value={query.status ?? ''} onChange={(event) => setQuery({ status: event.currentTarget.value })}>
              <option value="">{words.allStatuses}</option>
              {POST_STATUSES.map((status) => (
                <option key={status} value={status}>
                  {common.status[status]}
                </option>
              ))}
            </select>
          </label>
        </div>
      </div>
      <p class="quiet small-text">{words.zone(zoneName(timeZone))}</p>

      {error !== undefined && <Problem error={error} />}
      {posts.error && posts.data === undefined && <Problem error={posts.error} onRetry={posts.refetch} />}
      {posts.data === undefined && posts.isPending ? (
        <Loading lines={9} />
      ) : view === 'list' ? (
        <DayList
          days={days}
          byDay={byDay}
          timeless={timeless.data ?? []}
          today={today}
          timeZone={timeZone}
          canMove={canMove}
          onMove={askMove}
        />
      ) : (
        <Grid
          days={days}
          month={isWeek ? undefined : day.slice(0, 7)}
          today={today}
          focused={focused}
          byDay={byDay}
          timeZone={timeZone}
          canMove={canMove}
          onFocusDay={(next) => {
            setFocused(next)
            if (!days.includes(next) || (!isWeek && next.slice(0, 7) !== day.slice(0, 7)))
              setQuery({ day: next }, { replace: true })
          }}
          onDrop={drop}
          onMove={askMove}
        />
      )}
      {lastMove !== undefined && (
        <div class="undo" role="status">
          <p>{words.moved(formatInstant(lastMove.post.scheduledFor ?? '', timeZone))}</p>
          {lastMove.from !== undefined && (
            <button type="button" class="button small" onClick={() => void undo()}>
              {words.undo}
            </button>
          )}
          <button
            type="button"
            class="button icon-button"
            aria-label={common.close}
            onClick={() => setLastMove(undefined)}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
      {asks !== undefined && (
        <MoveDialog
          post={asks.post}
          time={asks.time}
          timeZone={timeZone}
          onClose={() => setAsks(undefined)}
          onMove={(instant) => void move(asks.post, instant)}
        />
      )}
    </Page>
  )
}

/** Every post of the filter, page by page, and again while it is shown. */
function usePosts(query: Parameters<typeof listScheduledPosts>[1], enabled = true) {
  const { id: organizationId } = useOrganization()
  return useRead({
    queryKey: ['posts', organizationId, query],
    queryFn: async ({ signal }) => {
      const found: ScheduledPost[] = []
      let after: string | undefined
      do {
        const page = await listScheduledPosts(
          organizationId,
          { ...query, limit: 200, ...(after === undefined ? {} : { after }) },
          { signal },
        )
        found.push(...page.items)
        after = page.nextCursor
      } while (after !== undefined)
      return found
    },
    enabled,
    refetchInterval: POLL_MS,
    // The month before stays until the next is here.
    placeholderData: (before) => before,
  })
}

function groupByDay(posts: readonly ScheduledPost[], timeZone: string): Map<string, ScheduledPost[]> {
  const days = new Map<string, ScheduledPost[]>()
  for (const post of posts) {
    if (post.scheduledFor === undefined) continue
    const day = toDay(post.scheduledFor, timeZone)
    const there = days.get(day)
    if (there === undefined) days.set(day, [post])
    else there.push(post)
  }
  return days
}

const monthOnly = (day: string): string[] => monthGrid(day).filter((one) => one.startsWith(day.slice(0, 7)))

// A bare date is named as it is, whatever the zone: at noon in UTC.
const nameMonth = (day: string): string => formatInstant(`${day}T12:00:00Z`, 'UTC', 'month')
const nameDay = (day: string): string => formatInstant(`${day}T12:00:00Z`, 'UTC', 'day')
