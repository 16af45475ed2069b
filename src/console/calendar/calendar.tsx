import type { QueryClient } from '@tanstack/preact-query'
import { useEffect, useState } from 'preact/hooks'
import type { CalendarPost, OwnOrganization } from '../../interface/generated/types.ts'
import { POST_STATUSES, type PostStatus } from '../../interface/post-status.ts'
import { now } from '../clock.ts'
import { Choice } from '../fields.tsx'
import { Icon } from '../icons.tsx'
import { readPages } from '../list.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { SendPosts, useMaySend } from '../outside/send-posts.tsx'
import { useChannels } from '../posts/queries.ts'
import { Refusal } from '../refusal.tsx'
import { formatDay, zoneName } from '../times.ts'
import { Button, Loading, Page, Problem } from '../ui.tsx'
import { common, outside as outsideWords, textOf, calendar as words } from '../words.ts'
import { toDay } from '../zoned.ts'
import type { PostActions } from './chip.tsx'
import { DayList } from './day-list.tsx'
import { Found } from './found.tsx'
import { Grid } from './grid.tsx'
import { postsQuery, type Query, useFound, usePosts, useTimeless } from './queries.ts'
import { SelectionBar, useSelection } from './selection.tsx'
import { findCrowded } from './slots.ts'
import { Tools } from './tools.tsx'
import { Tray } from './tray.tsx'
import { useMoves } from './use-moves.tsx'
import { usePlanning } from './use-planning.ts'
import { groupByDay, leadsAway, rangeOf, readView, stepOf, VIEWS, type View } from './view.ts'
import './calendar.css'

/** Matches if there is room for a seven-day grid. */
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

/** The posts of a month or week, in the organization's time zone. */
export default function Calendar() {
  const { timeZone } = useOrganization()
  const { query } = useUrlQuery()
  const today = toDay(now(), timeZone)
  const view = readView(query, today, useIsWide())
  const text = query.text?.trim() ?? ''
  const posts = usePosts(rangeOf(view.days, timeZone))
  const timeless = useTimeless(posts.data !== undefined || view.isList)
  const { planning, timeFor } = usePlanning(posts.data ?? [], view.day)
  const moves = useMoves(timeFor)
  const selection = useSelection()
  const isMovedListed = text === '' && hasPlace(moves.moved, view, timeZone)
  const found = useFound(text)
  const all = text === '' ? [...(posts.data ?? []), ...(timeless.data ?? [])] : (found.data ?? [])
  const selected = all.filter(({ id }) => selection.ids.has(id))
  const shown: Shown = {
    ...{ view, today, posts, timeless, planning },
    actions: {
      onMove: moves.ask,
      onToggle: selection.toggle,
      selected: selection.ids,
      crowded: findCrowded(all),
    },
    moved: isMovedListed ? moves.moved : undefined,
    onDrop: (id, day) => {
      const post = all.find((one) => one.id === id)
      if (post === undefined) return
      if (day === undefined) return moves.takeOut(post)
      const days = selected.includes(post) && selected.length > 1 ? daysFrom(post, day, timeZone) : 0
      if (days === 0) moves.drop(post, day)
      else moves.shift(selected, days)
    },
  }
  return (
    <Page title={words.title} className="calendar" aside={<Views view={view} />}>
      <div class="calendar-bar">
        <Steps view={view} />
        <Filters />
        {view.isWeek && <SendWeek posts={posts.data ?? []} />}
      </div>
      <div class="calendar-zone">
        <p class="quiet small-text">{words.zone({ zone: zoneName(timeZone) })}</p>
        {!isMovedListed && moves.moved?.note}
      </div>
      <Refusal error={moves.error} />
      {text === '' ? (
        <Days {...shown} />
      ) : (
        <Found read={found} today={today} actions={shown.actions} moved={shown.moved} />
      )}
      {text === '' && !view.isList && timeless.data !== undefined && (
        <Tray posts={timeless.data} actions={shown.actions} onDrop={(id) => shown.onDrop(id, undefined)} />
      )}
      <Tools />
      {selected.length > 0 && (
        <SelectionBar
          posts={selected}
          busy={moves.busy}
          onShift={(days) => moves.shift(selected, days)}
          onClear={selection.clear}
        />
      )}
      {moves.dialogs}
    </Page>
  )
}

/** Offers a review link for the week's posts that wait for approval, if any. */
function SendWeek({ posts }: { posts: readonly CalendarPost[] }) {
  const maySend = useMaySend()
  const waiting = posts.filter(
    ({ status, channels }) => status === 'WAITING_FOR_APPROVAL' && maySend(channels.map(({ id }) => id)),
  )
  if (waiting.length === 0) return null
  return (
    <SendPosts
      text={outsideWords.sendWeek({ many: waiting.length })}
      postIds={waiting.map(({ id }) => id)}
      channelIds={waiting.flatMap(({ channels }) => channels.map(({ id }) => id))}
      kind="small"
    />
  )
}

/** Returns true if the list shows the moved post's old place. A day of the grid has no room for a note. */
function hasPlace(moved: ReturnType<typeof useMoves>['moved'], { isList, days }: View, timeZone: string): boolean {
  const from = moved?.post.scheduledFor
  return isList && (from === undefined || days.includes(toDay(from, timeZone)))
}

const DAY_MS = 86_400_000

/** Returns the number of days from a post's day to another. */
function daysFrom(post: CalendarPost, day: string, timeZone: string): number {
  if (post.scheduledFor === undefined) return 0
  return Math.round((Date.parse(day) - Date.parse(toDay(post.scheduledFor, timeZone))) / DAY_MS)
}

interface Shown {
  view: View
  today: string
  posts: ReturnType<typeof usePosts>
  timeless: ReturnType<typeof usePosts>
  actions: PostActions
  planning: ReturnType<typeof usePlanning>['planning']
  moved: ReturnType<typeof useMoves>['moved']
  /** `id` is the dropped post; without a day, the post loses its time. */
  onDrop: (id: string, day: string | undefined) => void
}

/** The posts of the view, as a grid or a list. */
function Days({ view, today, posts, timeless, actions, planning, moved, onDrop }: Shown) {
  const { timeZone } = useOrganization()
  const { setQuery } = useUrlQuery()
  const { days, day, isWeek } = view
  const [focused, setFocused] = useState(day)
  const focusDay = (next: string): void => {
    setFocused(next)
    if (leadsAway(view, next)) setQuery({ day: next }, { replace: true })
  }
  if (posts.data === undefined) {
    return posts.error ? <Problem error={posts.error} onRetry={posts.refetch} /> : <Loading lines={9} />
  }
  const shared = { days, today, byDay: groupByDay(posts.data, days, timeZone), actions, planning }
  if (view.isList) {
    return (
      <>
        {timeless.data === undefined && <Problem error={timeless.error} onRetry={timeless.refetch} />}
        <DayList {...shared} timeless={timeless.data ?? []} empty={words.empty} moved={moved} />
      </>
    )
  }
  return (
    <Grid
      {...shared}
      month={isWeek ? undefined : day.slice(0, 7)}
      focused={focused}
      // Clicking or dragging on an adjacent month's day must not change the month.
      onFocusDay={setFocused}
      onGoTo={focusDay}
      onDrop={onDrop}
    />
  )
}

/** Loads the month before it is drawn. */
Calendar.readFirst = async (client: QueryClient, { id, timeZone }: OwnOrganization, query: Query): Promise<void> => {
  const { days } = readView(query, toDay(now(), timeZone), wideMedia().matches)
  const { queryKey, read } = postsQuery(id, query, rangeOf(days, timeZone))
  await client.prefetchQuery({ queryKey, queryFn: async ({ signal }) => (await readPages(read, { signal })).items })
}

function Views({ view }: { view: View }) {
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  return (
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
}

/** Links to the previous and next month or week, and to today. */
function Steps({ view }: { view: View }) {
  const { setQuery } = useUrlQuery()
  const { isWeek, day, days } = view
  const step = (by: 1 | -1): void => setQuery({ day: stepOf(view, by) })
  return (
    <div class="calendar-steps">
      <Button kind="icon-button" aria-label={words.before({ isWeek })} onClick={() => step(-1)}>
        <Icon name="left" />
      </Button>
      <Button kind="small" onClick={() => setQuery({ day: undefined })}>
        {words.today}
      </Button>
      <Button kind="icon-button" aria-label={words.after({ isWeek })} onClick={() => step(1)}>
        <Icon name="right" />
      </Button>
      <h2 aria-live="polite">
        {isWeek
          ? words.week({ first: formatDay(days[0]!, 'day'), last: formatDay(days[6]!, 'day') })
          : formatDay(day, 'month')}
      </h2>
    </div>
  )
}

function Filters() {
  const { query, setQuery } = useUrlQuery()
  const channels = (useChannels().data ?? []).map(
    ({ id, name, type }) => [id, `${name} (${textOf(common.channelTypes, type)})`] as const,
  )
  return (
    <div class="calendar-filters">
      <label>
        <span class="hidden">{words.search}</span>
        <input
          type="search"
          placeholder={words.search}
          maxLength={200}
          value={query.text ?? ''}
          onInput={({ currentTarget }) => setQuery({ text: currentTarget.value || undefined }, { replace: true })}
        />
      </label>
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
