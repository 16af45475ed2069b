import type { AuditEntry } from '../../interface/generated/types.ts'
import { toSearch, urlOf } from '../address.ts'
import { call } from '../api.ts'
import { addDays } from '../days.ts'
import { Choice } from '../fields.tsx'
import { Loaded, Pager, readPages } from '../list.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { useMembers } from '../people.ts'
import { useChannels } from '../posts/queries.ts'
import { Button, Empty } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { activity as words } from '../words.ts'
import { startOfDay } from '../zoned.ts'
import { Entry, idOf, type PostNames } from './entry.tsx'

const PAGE_ROWS = 50
/** Maximum pages to fetch for one page here, when the filter drops most entries. */
const GATHERED_MAX = 10

type What = keyof typeof words.whats
/** The publisher's steps, which are not operations. */
const STEPS = ['claimed', 'published', 'failed']
const DEEDS = Object.entries(words.deeds).filter(([operation]) => !STEPS.includes(operation))
const WHATS = Object.keys(words.whats) as What[]
/** Returns true for a day that exists, such as 2028-02-29. */
const isDay = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}
/** The format of instants that the service accepts. */
const toInstant = (instant: string): string => new Date(instant).toISOString()
const PROGRAMS = ['publisher', 'operator']

/** Reads the page of the change log that the address's filter and cursor select. */
function useTrail() {
  const { id: organizationId, timeZone } = useOrganization()
  const { query } = useUrlQuery()
  const targetType = WHATS.find((what) => what === query.what)
  const [from, to] = [query.from, query.to].map((day) => (day !== undefined && isDay(day) ? day : undefined))
  const filter = {
    ...(targetType && { targetType }),
    ...(query.who && { actor: query.who }),
    ...(query.did && { operation: query.did }),
    ...(query.post && { scheduledPostId: query.post }),
    ...(from && { from: toInstant(startOfDay(from, timeZone)) }),
    // `to` is inclusive.
    ...(to && { to: toInstant(startOfDay(addDays(to, 1), timeZone)) }),
  }
  const after = /^[\w-]{1,100}$/.test(query.after ?? '') ? query.after : undefined
  const trail = useRead({
    queryKey: ['audit', organizationId, filter, after],
    queryFn: ({ signal }) =>
      readPages<AuditEntry>(
        (cursor, options, found) => {
          const query = { ...filter, limit: PAGE_ROWS - found, ...cursor }
          return call('listAuditTrail', { organizationId, query }, options)
        },
        { after, rows: PAGE_ROWS, pages: GATHERED_MAX, signal },
      ),
    placeholderData: (before) => before,
  })
  return { trail, targetType, after, filter }
}

/** Reads the texts of all posts that the entries refer to, in one call. */
function usePostNames(entries: readonly AuditEntry[]): PostNames {
  const { id: organizationId } = useOrganization()
  const ids = [
    ...new Set(
      entries.flatMap(({ target: { type, id } }) => (type === 'scheduledPost' || type === 'discussion' ? [id] : [])),
    ),
  ]
  const read = useRead({
    queryKey: ['post-names', organizationId, ids],
    queryFn: ({ signal }) =>
      call('listScheduledPostNames', { organizationId, query: { ids: ids.join(',') } }, { signal }),
    enabled: ids.length > 0,
    placeholderData: (before) => before,
  })
  return read.data && new Map(read.data.map(({ id, text }) => [id, text]))
}

/** The change log, newest first. */
export function Trail() {
  const { id: organizationId } = useOrganization()
  const { query, setQuery } = useUrlQuery()
  const channels = useChannels().data ?? []
  const { trail, targetType, after, filter } = useTrail()
  const names = usePostNames(trail.data?.items ?? [])
  const next = trail.data?.nextCursor
  const choose = (changes: Record<string, string | undefined>): void => setQuery({ after: undefined, ...changes })
  const turn = (to: string | undefined): void => {
    setQuery({ after: to })
    document.getElementById('trail')?.focus()
  }
  return (
    <section class="trail" aria-labelledby="trail">
      <h2 id="trail" tabIndex={-1}>
        {words.trail}
      </h2>
      <div class="filters">
        <Choice
          label={words.what}
          value={targetType ?? ''}
          options={[['', words.everything], ...WHATS.map((what) => [what, words.whats[what]] as const)]}
          onChoose={(what) => choose({ what })}
        />
        <ActorChoice items={trail.data?.items} onChoose={(who) => choose({ who })} />
        <Choice
          label={words.operation}
          value={query.did ?? ''}
          options={[['', words.everything], ...DEEDS]}
          onChoose={(did) => choose({ did })}
        />
        <Day label={words.from} day={query.from} onChoose={(from) => choose({ from })} />
        <Day label={words.to} day={query.to} onChoose={(to) => choose({ to })} />
        <a
          class="button"
          href={urlOf(`/organizations/${encodeURIComponent(organizationId)}/audit/export${toSearch(filter)}`)}
          download="activity.csv"
        >
          {words.exportCsv}
        </a>
      </div>
      {query.post && (
        <p>
          {words.ofPost}{' '}
          <Button kind="small plain" onClick={() => choose({ post: undefined })}>
            {words.allPosts}
          </Button>
        </p>
      )}
      <Loaded read={trail} lines={8}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={words.emptyTitle}>{next === undefined ? words.empty : words.emptySoFar}</Empty>
          ) : (
            <ol class="card trail-list">
              {items.map((entry) => (
                <Entry
                  key={entry.id}
                  {...{ entry, channels, names }}
                  onChoose={(who) => choose({ who })}
                  onPost={(post) => choose({ post })}
                />
              ))}
            </ol>
          )
        }
      </Loaded>
      <Pager
        label={words.pages}
        before={{ text: words.newest, go: after === undefined ? undefined : () => turn(undefined) }}
        next={{ text: words.older, go: next === undefined ? undefined : () => turn(next) }}
      />
    </section>
  )
}

/** A date filter; clearing it removes the bound. */
function Day({ label, day = '', onChoose }: { label: string; day?: string; onChoose: (day: string) => void }) {
  return (
    <label>
      <span class="label">{label}</span>
      <input type="date" value={day} onChange={({ currentTarget }) => onChoose(currentTarget.value)} />
    </label>
  )
}

/** Offers members and programs, and any other actor that the address names, such as a key. */
function ActorChoice({ items = [], onChoose }: { items: AuditEntry[] | undefined; onChoose: (who: string) => void }) {
  const { query } = useUrlQuery()
  const members = (useMembers().data ?? []).map(({ id, name }) => [`user:${id}`, name] as const)
  const programs = PROGRAMS.map((type) => [type, words.actor({ type, id: undefined })] as const)
  const { who = '' } = query
  const known = [['', words.everyone] as const, ...members, ...programs]
  const named = items.find(({ actor }) => idOf(actor) === who)?.actor.name ?? who.slice(who.indexOf(':') + 1)
  const options = known.some(([id]) => id === who) ? known : [...known, [who, named] as const]
  return <Choice label={words.who} value={who} options={options} onChoose={onChoose} />
}
