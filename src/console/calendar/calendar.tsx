import type { QueryClient } from '@tanstack/preact-query'
import { useEffect, useState } from 'preact/hooks'
import type { OwnOrganization } from '../../interface/people.ts'
import { POST_STATUSES, type PostStatus } from '../../interface/post-status.ts'
import type { ScheduledPost } from '../../interface/posts.ts'
import { listScheduledPosts } from '../api.ts'
import { now, POLL_MS } from '../clock.ts'
import { Choice } from '../fields.tsx'
import { Icon } from '../icons.tsx'
import { type ReadPage, readPages, useList } from '../list.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { SendPosts } from '../outside/send-posts.tsx'
import { words as outsideWords } from '../outside/words.ts'
import { useChannels } from '../posts/queries.ts'
import { Refusal } from '../refusal.tsx'
import { formatDay, zoneName } from '../times.ts'
import { Button, Loading, Page, Problem } from '../ui.tsx'
import { common } from '../words.ts'
import { toDay } from '../zoned.ts'
import { DayList } from './day-list.tsx'
import { Grid } from './grid.tsx'
import { useMoves } from './use-moves.tsx'
import { groupByDay, leadsAway, rangeOf, readView, stepOf, VIEWS, type View } from './view.ts'
import { words } from './words.ts'
import './calendar.css'

/** Posts with a time are before it, so that only posts without one are from here on. */
const AFTER_ALL = '9999-12-31T23:59:59Z'

/** Matches where there is room for a grid of seven days. */
const wideMedia = (): MediaQueryList => matchMedia('(min-width: 56rem)')

function useIsWide(): boolean {
  const [media] = useState(wideMedia)
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
  const { id: organizationId, timeZone } = useOrganization()
  const { query, setQuery } = useUrlQuery()
  const today = toDay(now(), timeZone)
  const view = readView(query, today, useIsWide())
  const { days, day, isWeek } = view
  const moves = useMoves()
  const [focused, setFocused] = useState(day)
  const posts = usePosts(rangeOf(days, timeZone))
  const timeless = usePosts({ scheduledFrom: AFTER_ALL }, view.isList)
  const focusDay = (next: string): void => {
    setFocused(next)
    if (leadsAway(view, next)) setQuery({ day: next }, { replace: true })
  }
  const byDay = groupByDay(posts.data ?? [], days, timeZone)
  // In the order in which they are published.
  const waiting = days.flatMap((one) =>
    (byDay.get(one) ?? []).filter(({ status }) => status === 'WAITING_FOR_APPROVAL').map(({ id }) => id),
  )
  const movedFrom = moves.moved?.post.scheduledFor
  /** True where the list shows the place that a post was moved from. A day of the grid has no room for a note. */
  const isMovedListed = view.isList && (movedFrom === undefined || days.includes(toDay(movedFrom, timeZone)))
  const shared = { days, today, byDay, onMove: moves.ask }
  const views = (
    <div class="views" role="group" aria-label={words.view}>
      {VIEWS.map((one) => (
        <a
          key={one}
          class="button small"
          href={hrefOf(organizationId, 'calendar', [], { ...query, view: one })}
          aria-current={view.asked === one ? 'true' : undefined}
        >
          {words.views[one]}
        </a>
      ))}
    </div>
  )
  return (
    <Page title={words.title} className="calendar" aside={views}>
      <div class="calendar-bar">
        <Steps view={view} />
        <Filters />
        {isWeek && waiting.length > 0 && (
          <SendPosts text={outsideWords.sendWeek(waiting.length)} postIds={waiting} kind="small" />
        )}
      </div>
      <div class="calendar-zone">
        <p class="quiet small-text">{words.zone(zoneName(timeZone))}</p>
        {!isMovedListed && moves.moved?.note}
      </div>
      <Refusal error={moves.error} />
      {posts.data === undefined ? (
        posts.error ? (
          <Problem error={posts.error} onRetry={posts.refetch} />
        ) : (
          <Loading lines={9} />
        )
      ) : view.isList ? (
        <>
          {timeless.data === undefined && <Problem error={timeless.error} onRetry={timeless.refetch} />}
          <DayList {...shared} timeless={timeless.data ?? []} moved={isMovedListed ? moves.moved : undefined} />
        </>
      ) : (
        <Grid
          {...shared}
          month={isWeek ? undefined : day.slice(0, 7)}
          focused={focused}
          // A pointer on a pale day opens a post there, or drags it: the month stays.
          onFocusDay={setFocused}
          onGoTo={focusDay}
          onDrop={moves.drop}
        />
      )}
      {moves.dialogs}
    </Page>
  )
}

type Query = Record<string, string | undefined>

interface Range {
  scheduledFrom: string
  scheduledBefore?: string
}

/** Every post of the range that the filters of the address leave, by time. */
function postsQuery(organizationId: string, query: Query, range: Range) {
  const status = POST_STATUSES.find((one) => one === query.status)
  const filter = { ...(query.channel && { mediumId: query.channel }), ...(status && { status }), ...range }
  const read: ReadPage<ScheduledPost> = (cursor, options) =>
    listScheduledPosts(organizationId, { ...filter, limit: 200, ...cursor }, options)
  return { queryKey: ['posts', organizationId, filter], read }
}

/** The month before stays until the next is here. */
function usePosts(range: Range, enabled = true) {
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  const { queryKey, read } = postsQuery(organizationId, query, range)
  // The posts that readFirst has read are not read twice.
  return useList(queryKey, read, { enabled, placeholderData: (before) => before, staleTime: POLL_MS })
}

/** Reads the shown month before it is drawn. */
Calendar.readFirst = async (client: QueryClient, { id, timeZone }: OwnOrganization, query: Query): Promise<void> => {
  const { days } = readView(query, toDay(now(), timeZone), wideMedia().matches)
  const { queryKey, read } = postsQuery(id, query, rangeOf(days, timeZone))
  await client.prefetchQuery({ queryKey, queryFn: async ({ signal }) => (await readPages(read, { signal })).items })
}

/** Leads to the month or week before and after, and to today. */
function Steps({ view }: { view: View }) {
  const { setQuery } = useUrlQuery()
  const { isWeek, day, days } = view
  const step = (by: 1 | -1): void => setQuery({ day: stepOf(view, by) })
  return (
    <div class="calendar-steps">
      <Button kind="icon-button" aria-label={words.before(isWeek)} onClick={() => step(-1)}>
        <Icon name="left" />
      </Button>
      <Button kind="small" onClick={() => setQuery({ day: undefined })}>
        {words.today}
      </Button>
      <Button kind="icon-button" aria-label={words.after(isWeek)} onClick={() => step(1)}>
        <Icon name="right" />
      </Button>
      <h2 aria-live="polite">
        {isWeek ? words.week(formatDay(days[0]!, 'day'), formatDay(days[6]!, 'day')) : formatDay(day, 'month')}
      </h2>
    </div>
  )
}

function Filters() {
  const { query, setQuery } = useUrlQuery()
  const channels = (useChannels().data ?? []).map(
    ({ id, name, type }) => [id, `${name} (${common.channelType(type)})`] as const,
  )
  return (
    <div class="calendar-filters">
      <Choice
        isBare
        label={words.channel}
        value={query.channel ?? ''}
        options={[['', words.allChannels], ...channels]}
        onChoose={(channel) => setQuery({ channel })}
      />
      <Choice<PostStatus | ''>
        isBare
        label={words.status}
        value={POST_STATUSES.find((one) => one === query.status) ?? ''}
        options={[['', words.allStatuses], ...POST_STATUSES.map((status) => [status, common.status[status]] as const)]}
        onChoose={(status) => setQuery({ status })}
      />
    </div>
  )
}
