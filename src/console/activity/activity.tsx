import { useState } from 'preact/hooks'
import type { AuditEntry } from '../../interface/access.ts'
import type { Channel } from '../../interface/channels.ts'
import type { ScheduledPost } from '../../interface/posts.ts'
import { getScheduledPost, listAuditTrail, listScheduledPosts } from '../api.ts'
import { now, POLL_MS } from '../clock.ts'
import { Icon } from '../icons.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { knownPeople, useMembers } from '../people.ts'
import { failuresOf } from '../posts/history.tsx'
import { nameOf } from '../posts/post-text.ts'
import { useChannels, useHistory } from '../posts/queries.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Empty, Loading, Page, Problem } from '../ui.tsx'
import { common } from '../words.ts'
import { words } from './words.ts'
import './activity.css'
import { useRead } from '../use-read.ts'

/** What failed and waits for someone to act, and below it who changed what, newest first. */
export default function Activity() {
  const { may } = useOrganization()
  return (
    <Page title={words.title} className="activity">
      <Failures />
      {may('audit:read') ? <Trail /> : <p class="quiet">{words.forAdministrators}</p>}
    </Page>
  )
}

const FAILED_DAYS = 30
const DAY_MS = 86_400_000
const FAILED_SHOWN = 5

function Failures() {
  const { id: organizationId, may } = useOrganization()
  const channels = useChannels()
  // To the day, so that it is the same question for a while.
  const since = new Date(Math.trunc(now() / DAY_MS - FAILED_DAYS) * DAY_MS).toISOString()
  const failed = useRead({
    queryKey: ['posts', organizationId, 'failed', since],
    queryFn: async ({ signal }) => {
      const found: ScheduledPost[] = []
      let after: string | undefined
      do {
        const page = await listScheduledPosts(
          organizationId,
          { status: 'FAILED', scheduledFrom: since, limit: 200, ...(after === undefined ? {} : { after }) },
          { signal },
        )
        found.push(...page.items)
        after = page.nextCursor
      } while (after !== undefined)
      return found.reverse()
    },
    refetchInterval: POLL_MS,
  })
  const [showsAll, setShowsAll] = useState(false)
  const refused = (channels.data ?? []).filter(({ status }) => status === 'needs-reconnect')
  const posts = failed.data ?? []
  const shown = showsAll ? posts : posts.slice(0, FAILED_SHOWN)
  const error = failed.error ?? channels.error
  return (
    <section class="attention" aria-labelledby="attention">
      <h2 id="attention">{words.attention}</h2>
      {error && (failed.data === undefined || channels.data === undefined) ? (
        <Problem error={error} onRetry={() => Promise.all([failed.refetch(), channels.refetch()])} />
      ) : failed.data === undefined || channels.data === undefined ? (
        <Loading lines={2} />
      ) : refused.length + posts.length === 0 ? (
        <p class="quiet">{words.nothingFailed(FAILED_DAYS)}</p>
      ) : (
        <ul>
          {refused.map((channel) => (
            <li key={channel.id} class="notice notice-bad">
              <Icon name="FAILED" />
              <div>
                <p>
                  <strong>{words.refused(channel.name)}</strong>
                </p>
                {channel.problem !== undefined && <p>{channel.problem}</p>}
                {may('settings:write') ? (
                  <a href={hrefOf(organizationId, 'settings', ['channels'])}>{words.reconnect}</a>
                ) : (
                  <p>{words.askToReconnect}</p>
                )}
              </div>
            </li>
          ))}
          {shown.map((post) => (
            <FailedPost key={post.id} post={post} />
          ))}
        </ul>
      )}
      {shown.length < posts.length && (
        <button type="button" class="button small" onClick={() => setShowsAll(true)}>
          {words.showFailed(posts.length - shown.length)}
        </button>
      )}
    </section>
  )
}

function FailedPost({ post }: { post: ScheduledPost }) {
  const { id: organizationId, timeZone } = useOrganization()
  const history = useHistory(post.id, post.status)
  const channelName = (id: string): string => post.mediumsData[id]?.mediumName ?? id
  return (
    <li class="notice notice-bad">
      <Icon name="FAILED" />
      <div>
        <p>
          <a href={hrefOf(organizationId, 'posts', [post.id])}>
            <strong dir="auto">{nameOf(post)}</strong>
          </a>
        </p>
        {failuresOf(history.data ?? []).map(({ channelId, error }) => (
          <p key={channelId}>{channelId === '' ? error : `${channelName(channelId)}: ${error}`}</p>
        ))}
        {post.scheduledFor !== undefined && (
          <p class="small-text">{words.wasDue(formatInstant(post.scheduledFor, timeZone))}</p>
        )}
      </div>
    </li>
  )
}

const PAGE_ROWS = 50
/** Pages of the service that one page here is gathered from, where the filter leaves little of each. */
const GATHERED_MAX = 10

const isOneOf = <One extends string>(list: readonly One[], text: string | undefined): text is One =>
  list.includes(text as One)
const WHATS = Object.keys(words.whats) as (keyof typeof words.whats)[]

function Trail() {
  const { id: organizationId, timeZone } = useOrganization()
  const { query, setQuery } = useUrlQuery()
  const members = useMembers()
  const channels = useChannels()
  const targetType = isOneOf(WHATS, query.what) ? query.what : undefined
  const filter = {
    ...(targetType === undefined ? {} : { targetType }),
    ...(query.who === undefined ? {} : { actor: query.who }),
  }
  const after = /^[\w-]{1,100}$/.test(query.after ?? '') ? query.after : undefined
  const trail = useRead({
    queryKey: ['audit', organizationId, filter, after],
    queryFn: async ({ signal }) => {
      const items: AuditEntry[] = []
      let next = after
      for (let pages = 0; pages < GATHERED_MAX; pages += 1) {
        const limit = PAGE_ROWS - items.length
        const page = await listAuditTrail(
          organizationId,
          { ...filter, limit, ...(next === undefined ? {} : { after: next }) },
          { signal },
        )
        items.push(...page.items)
        next = page.nextCursor ?? undefined
        if (next === undefined || items.length >= PAGE_ROWS) break
      }
      return { items, next }
    },
    // What is older does not change.
    refetchInterval: after === undefined ? POLL_MS : false,
    placeholderData: (before) => before,
  })
  const choose = (changes: Record<string, string | undefined>): void => setQuery({ after: undefined, ...changes })
  const turn = (to: string | undefined): void => {
    setQuery({ after: to })
    document.getElementById('trail')?.focus()
  }
  const isKnown = query.who === undefined || (members.data ?? []).some(({ id }) => query.who === `user:${id}`)
  return (
    <section class="trail" aria-labelledby="trail">
      <h2 id="trail" tabIndex={-1}>
        {words.trail}
      </h2>
      <div class="filters">
        <label>
          <span class="label">{words.what}</span>
          <select value={targetType ?? ''} onChange={(event) => choose({ what: event.currentTarget.value })}>
            <option value="">{words.everything}</option>
            {WHATS.map((what) => (
              <option key={what} value={what}>
                {words.whats[what]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="label">{words.who}</span>
          <select value={query.who ?? ''} onChange={(event) => choose({ who: event.currentTarget.value })}>
            <option value="">{words.everyone}</option>
            {(members.data ?? []).map(({ id, name }) => (
              <option key={id} value={`user:${id}`}>
                {name}
              </option>
            ))}
            <option value="publisher">{words.actor('publisher', undefined)}</option>
            <option value="operator">{words.actor('operator', undefined)}</option>
            {!isKnown && !isOneOf(['publisher', 'operator'], query.who) && (
              <option value={query.who}>{nameOfFilter(query.who!, trail.data?.items)}</option>
            )}
          </select>
        </label>
      </div>
      {trail.data === undefined ? (
        trail.error ? (
          <Problem error={trail.error} onRetry={trail.refetch} />
        ) : (
          <Loading lines={8} />
        )
      ) : trail.data.items.length === 0 ? (
        <Empty title={words.emptyTitle}>{trail.data.next === undefined ? words.empty : words.emptySoFar}</Empty>
      ) : (
        <ol class="card trail-list">
          {trail.data.items.map((entry) => (
            <li key={entry.id}>
              <div>
                <p>
                  <Who actor={entry.actor} onChoose={(who) => choose({ who })} />{' '}
                  {words.did(entry.operation, actionOf(entry))} <Target entry={entry} channels={channels.data ?? []} />
                </p>
                <div class="quiet small-text">
                  <Details entry={entry} channels={channels.data ?? []} />
                  <Repeats entry={entry} timeZone={timeZone} />
                </div>
              </div>
              <time class="quiet small-text" dateTime={entry.at}>
                {formatInstant(entry.at, timeZone, 'short')}
              </time>
            </li>
          ))}
        </ol>
      )}
      {(after !== undefined || trail.data?.next !== undefined) && (
        <nav class="actions" aria-label={words.pages}>
          <button type="button" class="button" disabled={after === undefined} onClick={() => turn(undefined)}>
            <Icon name="left" /> {words.newest}
          </button>
          <button
            type="button"
            class="button"
            disabled={trail.data?.next === undefined}
            onClick={() => turn(trail.data?.next)}
          >
            {words.older} <Icon name="right" />
          </button>
        </nav>
      )}
    </section>
  )
}

const idOf = ({ type, id }: AuditEntry['actor']): string => (id === undefined ? type : `${type}:${id}`)

function nameOfFilter(who: string, items: readonly AuditEntry[] = []): string {
  const actor = items.find((entry) => idOf(entry.actor) === who)?.actor
  return actor?.name ?? who.slice(who.indexOf(':') + 1)
}

function Who({ actor, onChoose }: { actor: AuditEntry['actor']; onChoose: (who: string) => void }) {
  const name = actor.name ?? words.actor(actor.type, actor.id)
  return (
    <button type="button" class="link-button" title={words.onlyBy(name)} onClick={() => onChoose(idOf(actor))}>
      <bdi>{name}</bdi>
      {actor.type === 'key' && actor.name !== undefined && <span class="quiet small-text"> ({words.key})</span>}
    </button>
  )
}

/** Of a post's history: what of the publisher's work it was. */
function actionOf({ changes }: AuditEntry): string | undefined {
  return typeof changes?.action === 'string' ? changes.action : undefined
}

/** A post by the beginning of its text. */
function PostLink({ id }: { id: string }) {
  const { id: organizationId } = useOrganization()
  const post = useRead({
    queryKey: ['post', organizationId, id],
    queryFn: ({ signal }) => getScheduledPost(organizationId, id, { signal }),
    staleTime: 5 * 60_000,
    retry: false,
  })
  if (post.error) return <span class="id">{id}</span>
  return (
    <a href={hrefOf(organizationId, 'posts', [id])}>
      <bdi>{post.data === undefined ? words.post : nameOf(post.data.post)}</bdi>
    </a>
  )
}

function Target({ entry: { target, changes }, channels }: { entry: AuditEntry; channels: readonly Channel[] }) {
  const { type, id } = target
  if (type === 'scheduledPost') {
    return changes?.action === 'deleted' ? <span class="id">{id}</span> : <PostLink id={id} />
  }
  const channel = channels.find((one) => id === one.id || id.split('/').includes(one.id))
  const name =
    (type === 'user' ? knownPeople.get(id) : undefined) ??
    (type === 'invitation' && typeof changes?.mail === 'string' ? changes.mail : undefined) ??
    channel?.name
  if (name !== undefined) return <bdi>{name}</bdi>
  return type === 'organization' || type === 'webhook' ? null : <span class="id">{id}</span>
}

const VALUE_CHARS = 120
/** Said already, or of no use to a reader. */
const UNSAID = ['action', 'fromStatus', 'toStatus', 'detail', 'version']

function Details({ entry: { changes = {} }, channels }: { entry: AuditEntry; channels: readonly Channel[] }) {
  const detail = (typeof changes.detail === 'object' ? changes.detail : {}) as Record<string, unknown>
  const channelName = (id: string): string => channels.find((one) => one.id === id)?.name ?? id
  const changed = Array.isArray(detail.changed)
    ? [...new Set(detail.changed.map(String).map((name) => words.changedField(name, channelName)))]
    : []
  const failures = changes.action === 'failed' ? failuresOf([{ action: 'failed', detail } as never]) : []
  const rest = [
    ...Object.entries(changes).filter(([name]) => !UNSAID.includes(name)),
    ...(typeof detail.notes === 'string' ? [['notes', detail.notes] as const] : []),
  ]
  return (
    <>
      {changed.length > 0 && <p>{common.list(changed)}</p>}
      {failures.map(({ channelId, error }) => (
        <p key={channelId}>{channelId === '' ? error : `${channelName(channelId)}: ${error}`}</p>
      ))}
      {rest.map(([name, value]) => (
        <p key={name} dir="auto">
          {words.change(name, toText(value))}
        </p>
      ))}
    </>
  )
}

/** An operation that is repeated within the hour has no further entry: this says how often, and how it ended. */
function Repeats({ entry: { repeated }, timeZone }: { entry: AuditEntry; timeZone: string }) {
  if (repeated === undefined) return null
  const { times, until, states } = repeated
  const ended = Object.entries(states.at(-1)?.changes ?? {}).map(([name, value]) => words.change(name, toText(value)))
  return <p dir="auto">{words.repeated(times, formatInstant(until, timeZone, 'short'), ended.join(', '))}</p>
}

function toText(value: unknown): string {
  if (typeof value === 'boolean') return value ? words.yes : words.no
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= VALUE_CHARS ? text : `${text.slice(0, VALUE_CHARS)}…`
}
