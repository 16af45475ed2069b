import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { VipUser, VipUserList, VipUserQuery } from '../../interface/audience.ts'
import { listVipUsers, setVipMark } from '../api.ts'
import { now, POLL_MS } from '../clock.ts'
import { Icon } from '../icons.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant, today } from '../times.ts'
import { announce, Empty, Loading, Note, Page, Problem } from '../ui.tsx'
import { common } from '../words.ts'
import { daysAhead, formatBirthday, monthsOf, onDays } from './birthday.ts'
import { type AudienceQuery, chooseChannel, chooseWorkspace, offsetOf, PAGE_ROWS, toFilter } from './choice.ts'
import { toCsv } from './csv.ts'
import { channelsQuery, pageQuery, workspacesQuery } from './queries.ts'
import { saveFile } from './save-file.ts'
import { words } from './words.ts'
import './audience.css'
import { useRead } from '../use-read.ts'

/** The most that the service gives at once. */
const ROWS_AT_ONCE = 200
const IDS_AT_ONCE = 5000
const SOON_DAYS = 7

/** The people of a channel, as the service sorts them: the highest lifetime value first. */
export default function Audience() {
  const { id: organizationId } = useOrganization()
  const { query, setQuery } = useUrlQuery()
  const workspaces = useRead({
    ...workspacesQuery(organizationId),
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
  })
  const { choices, workspaceId } = chooseWorkspace(workspaces.data, query)
  const channels = useRead({
    ...channelsQuery(organizationId, workspaceId),
    enabled: workspaceId !== undefined,
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
  })
  const channel = chooseChannel(channels.data, query)
  const failed = workspaces.error ?? channels.error

  return (
    <Page title={words.title} className="audience">
      {failed && (workspaces.data === undefined || channels.data === undefined) && (
        <Problem error={failed} onRetry={workspaces.refetch} />
      )}
      {workspaces.data !== undefined && workspaceId === undefined && (
        <Empty title={words.noWorkspaceTitle}>{words.noWorkspace}</Empty>
      )}
      {channels.data !== undefined && channel === undefined && (
        <Empty title={words.noChannelTitle}>{words.noChannel}</Empty>
      )}
      {workspaceId !== undefined && channel !== undefined && (
        <>
          <div class="audience-filters">
            {choices.length > 1 && (
              <label>
                <span class="label">{words.workspace}</span>
                <select
                  value={workspaceId}
                  onChange={(event) =>
                    setQuery({ workspace: event.currentTarget.value, channel: undefined, offset: undefined })
                  }
                >
                  {choices.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
            )}
            <label>
              <span class="label">{words.channel}</span>
              <select
                value={channel.id}
                onChange={(event) => setQuery({ channel: event.currentTarget.value, offset: undefined })}
              >
                {channels.data?.map(({ id, name, type }) => (
                  <option key={id} value={id}>
                    {name} ({common.channelType(type)})
                  </option>
                ))}
              </select>
            </label>
            <label>
              <span class="label">{words.scope}</span>
              <select
                value={query.scope === 'all' ? 'all' : 'vip'}
                onChange={(event) => setQuery({ scope: event.currentTarget.value, offset: undefined })}
              >
                <option value="vip">{words.scopeVip}</option>
                <option value="all">{words.scopeAll}</option>
              </select>
            </label>
            <label>
              <span class="label">{words.birthday}</span>
              <select
                value={query.birthday ?? ''}
                onChange={(event) => setQuery({ birthday: event.currentTarget.value, offset: undefined })}
              >
                <option value="">{words.birthdayAny}</option>
                <option value="soon">{words.birthdaySoon(SOON_DAYS)}</option>
                <option value="known">{words.birthdayKnown}</option>
                {Array.from({ length: 12 }, (_, index) => index + 1).map((month) => (
                  <option key={month} value={String(month)}>
                    {words.birthdayIn(nameMonth(month))}
                  </option>
                ))}
              </select>
            </label>
          </div>
          <People
            key={`${workspaceId} ${channel.id}`}
            workspaceId={workspaceId}
            channelId={channel.id}
            channelName={channel.name}
            query={query}
            onOffset={(offset) => setQuery({ offset: offset === 0 ? undefined : offset })}
          />
        </>
      )}
    </Page>
  )
}

const nameMonth = (month: number): string => formatInstant(Date.UTC(2000, month - 1, 15), 'UTC', 'monthName')

interface PeopleProps {
  workspaceId: string
  channelId: string
  channelName: string
  query: AudienceQuery
  onOffset: (offset: number) => void
}

function People({ workspaceId, channelId, channelName, query, onOffset }: PeopleProps) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const client = useQueryClient()
  const { birthday } = query
  const isAll = query.scope === 'all'
  const offset = offsetOf(query)
  const isSoon = birthday === 'soon'
  const days = isSoon ? daysAhead(today(now(), timeZone), SOON_DAYS) : []
  const filter = toFilter(workspaceId, channelId, query)
  const people = useRead({
    ...(isSoon
      ? {
          queryKey: ['people', organizationId, filter, days] as readonly unknown[],
          queryFn: ({ signal }: { signal: AbortSignal }) => readSoon(organizationId, filter, days, signal),
        }
      : pageQuery(organizationId, filter, offset)),
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
    placeholderData: (before) => before,
  })
  // The rows do not say who is marked: the ids of all who are tell it.
  const marked = useRead({
    queryKey: ['marks', organizationId, workspaceId, channelId],
    queryFn: ({ signal }) => readMarks(organizationId, { workspaceId, mediumId: channelId }, signal),
    enabled: isAll,
    refetchInterval: POLL_MS,
  })
  const [changing, setChanging] = useState<ReadonlySet<string>>(new Set())
  const [error, setError] = useState<unknown>()
  const [progress, setProgress] = useState<number>()
  const top = useRef<HTMLParagraphElement>(null)
  useEffect(() => setError(undefined), [birthday, isAll, offset])

  const setMark = async (row: VipUser, vip: boolean): Promise<void> => {
    const { conversationId } = row
    setChanging((before) => new Set([...before, conversationId]))
    setError(undefined)
    try {
      await setVipMark(organizationId, { workspaceId, channelId, conversationId, vip })
      announce(vip ? words.marked(nameOf(row)) : words.unmarked(nameOf(row)))
      // The row of one who is no VIP any more goes, and the focus with it.
      if (!isAll) top.current?.focus({ preventScroll: true })
      await Promise.all([
        client.invalidateQueries({ queryKey: ['people', organizationId] }),
        client.invalidateQueries({ queryKey: ['marks', organizationId] }),
      ])
    } catch (thrown) {
      setError(thrown)
    } finally {
      setChanging((before) => new Set([...before].filter((id) => id !== conversationId)))
    }
  }
  const download = async (): Promise<void> => {
    setError(undefined)
    setProgress(0)
    try {
      const rows = isSoon
        ? (await readSoon(organizationId, filter, days)).items
        : await readAll(organizationId, filter, { onRead: setProgress })
      saveFile(words.fileName(channelName, isAll, today(now(), timeZone)), toCsv(rows))
      announce(words.saved(rows.length))
    } catch (thrown) {
      setError(thrown)
    } finally {
      setProgress(undefined)
    }
  }
  const turn = (to: number): void => {
    onOffset(to)
    top.current?.focus({ preventScroll: true })
    top.current?.scrollIntoView({ block: 'nearest' })
  }

  if (people.data === undefined) {
    return people.error ? <Problem error={people.error} onRetry={people.refetch} /> : <Loading lines={12} />
  }
  const { items, total, returned, mayHaveMore, nextOffset, scanCapped } = people.data
  // Of what is shown: the page that is asked for may still be on its way.
  const first = nextOffset - returned + 1
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      {scanCapped && (
        <Note kind="warn">
          <p>{words.capped}</p>
        </Note>
      )}
      <div class="audience-bar">
        <p ref={top} tabIndex={-1} role="status">
          {returned === 0 ? words.nobody : words.shown(first, first + returned - 1, total, scanCapped)}{' '}
          <span class="quiet">{returned > 0 && (isSoon ? words.sortedByDay : words.sorted)}</span>
        </p>
        <button
          type="button"
          class="button small"
          disabled={progress !== undefined || total === 0}
          onClick={() => void download()}
        >
          <Icon name="download" />
          {progress === undefined ? words.csv : words.csvProgress(progress)}
        </button>
      </div>
      {items.length === 0 ? (
        <Empty title={words.emptyTitle}>
          {offset > 0 ? (
            <button type="button" class="button" onClick={() => turn(0)}>
              {words.firstPage}
            </button>
          ) : (
            words.empty(isAll)
          )}
        </Empty>
      ) : (
        <div class="table-frame">
          <table>
            <caption class="hidden">{words.caption(channelName)}</caption>
            <thead>
              <tr>
                <th scope="col">{words.person}</th>
                <th scope="col">{words.birthday}</th>
                <th scope="col" class="wide">
                  {words.lastPurchase}
                </th>
                <th scope="col" class="wide">
                  {words.lastMessage}
                </th>
                <th scope="col" class="wide">
                  {words.lastOpen}
                </th>
                {may('audience:mark') && (
                  <th scope="col" class="vip">
                    {words.vip}
                  </th>
                )}
              </tr>
            </thead>
            <tbody
              onPointerOver={({ target }) => {
                // The time of day, of the one that is pointed at: in each row it would cost what the row does.
                const time = target instanceof Element ? target.closest('time') : null
                if (time !== null) time.title = formatInstant(time.dateTime, timeZone)
              }}
            >
              {items.map((row) => {
                const isVip = isAll ? (marked.data?.has(row.conversationId) ?? false) : true
                return (
                  <tr key={row.conversationId}>
                    <th scope="row">
                      <Person row={row} />
                    </th>
                    <td>{row.birthday === undefined ? '' : formatBirthday(row.birthday, common.locale)}</td>
                    <Instant at={row.lastPurchaseTimestamp} timeZone={timeZone} />
                    <Instant at={row.lastUserMessageTimestamp} timeZone={timeZone} />
                    <Instant at={row.lastAppOpenTimestamp} timeZone={timeZone} />
                    {may('audience:mark') && (
                      <td>
                        <button
                          type="button"
                          class={`button icon-button star ${isVip ? 'star-on' : ''}`}
                          aria-pressed={isVip}
                          aria-label={words.vipOf(nameOf(row))}
                          disabled={changing.has(row.conversationId) || (isAll && marked.data === undefined)}
                          onClick={() => void setMark(row, !isVip)}
                        >
                          <Icon name="star" />
                        </button>
                      </td>
                    )}
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      )}
      {!isSoon && (offset > 0 || mayHaveMore) && (
        <nav class="actions" aria-label={words.pages}>
          <button
            type="button"
            class="button"
            disabled={offset === 0}
            onClick={() => turn(Math.max(0, offset - PAGE_ROWS))}
          >
            <Icon name="left" /> {words.before}
          </button>
          <button type="button" class="button" disabled={!mayHaveMore} onClick={() => turn(nextOffset)}>
            {words.next} <Icon name="right" />
          </button>
        </nav>
      )}
    </>
  )
}

function Instant({ at, timeZone }: { at: number | undefined; timeZone: string }) {
  return (
    <td class="wide number">
      {at !== undefined && <time dateTime={new Date(at).toISOString()}>{formatInstant(at, timeZone, 'date')}</time>}
    </td>
  )
}

const nameOf = ({ firstName, lastName, userName, cuid }: VipUser): string =>
  [firstName, lastName].filter(Boolean).join(' ') || userName || cuid

function Person({ row }: { row: VipUser }) {
  const [failed, setFailed] = useState<string>()
  const name = nameOf(row)
  const { profilePic, userName } = row
  // The content security policy lets pictures come over https alone.
  const isShown = profilePic !== undefined && /^https:\/\//i.test(profilePic) && failed !== profilePic
  return (
    <span class="person">
      {isShown ? (
        <img
          class="face"
          src={profilePic}
          alt=""
          width="36"
          height="36"
          loading="lazy"
          referrerpolicy="no-referrer"
          onError={() => setFailed(profilePic)}
        />
      ) : (
        <span class="face" aria-hidden="true">
          {[...name][0]?.toUpperCase()}
        </span>
      )}
      <span class="person-name">
        <bdi>{name}</bdi>
        {userName !== undefined && userName !== name && <bdi class="quiet small-text">{userName}</bdi>}
      </span>
    </span>
  )
}

/** Every person of the filter, page by page. */
async function readAll(
  organizationId: string,
  filter: VipUserQuery,
  { signal, onRead }: { signal?: AbortSignal | undefined; onRead?: (rows: number) => void } = {},
): Promise<VipUser[]> {
  const rows: VipUser[] = []
  let page: VipUserList
  let offset = 0
  do {
    page = await listVipUsers(organizationId, { ...filter, limit: ROWS_AT_ONCE, offset }, { signal })
    rows.push(...page.items)
    onRead?.(rows.length)
    offset = page.nextOffset
  } while (page.mayHaveMore && page.returned > 0)
  return rows
}

/** Those whose birthday is on one of the days, as one page, in the order of the days. */
async function readSoon(
  organizationId: string,
  filter: VipUserQuery,
  days: readonly string[],
  signal?: AbortSignal,
): Promise<VipUserList> {
  const months = monthsOf(days)
  const found = await Promise.all(
    months.map((birthdayMonth) => readAll(organizationId, { ...filter, birthdayMonth }, { signal })),
  )
  // Whether the list was cut says any of its pages.
  const { scanCapped } = await listVipUsers(
    organizationId,
    { ...filter, birthdayMonth: months[0]!, limit: 1 },
    { signal },
  )
  const items = onDays(found.flat(), days)
  return {
    items,
    returned: items.length,
    total: items.length,
    mayHaveMore: false,
    nextOffset: items.length,
    scanCapped,
  }
}

/** The ids of all who are marked. */
async function readMarks(
  organizationId: string,
  filter: VipUserQuery,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  let page: VipUserList
  let offset = 0
  do {
    page = await listVipUsers(
      organizationId,
      { ...filter, scope: 'vip', compact: 'true', limit: IDS_AT_ONCE, offset },
      { signal },
    )
    for (const { conversationId } of page.items) ids.add(conversationId)
    offset = page.nextOffset
  } while (page.mayHaveMore && page.returned > 0)
  return ids
}
