import type { AuditEntry } from '../../interface/access.ts'
import { call } from '../api.ts'
import { Choice } from '../fields.tsx'
import { Loaded, Pager, readPages } from '../list.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { useMembers } from '../people.ts'
import { useChannels } from '../posts/queries.ts'
import { Empty } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { Entry, idOf, type PostNames } from './entry.tsx'
import { words } from './words.ts'

const PAGE_ROWS = 50
/** Pages of the service that one page here is gathered from, where the filter leaves little of each. */
const GATHERED_MAX = 10

type What = keyof typeof words.whats
const WHATS = Object.keys(words.whats) as What[]
const PROGRAMS = ['publisher', 'operator']

/** Reads a page of the change log, by the filter and the cursor of the address. */
function useTrail() {
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  const targetType = WHATS.find((what) => what === query.what)
  const filter = { ...(targetType && { targetType }), ...(query.who && { actor: query.who }) }
  const after = /^[\w-]{1,100}$/.test(query.after ?? '') ? query.after : undefined
  const trail = useRead({
    queryKey: ['audit', organizationId, filter, after],
    queryFn: ({ signal }) =>
      readPages<AuditEntry>(
        (cursor, options, found) => {
          const query = { ...filter, limit: PAGE_ROWS - found, ...cursor }
          return call('listOwnAuditTrail', { organizationId, query }, options)
        },
        { after, rows: PAGE_ROWS, pages: GATHERED_MAX, signal },
      ),
    placeholderData: (before) => before,
  })
  return { trail, targetType, after }
}

/** Reads the texts of the posts that the entries name, in one call. */
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
  const { setQuery } = useUrlQuery()
  const channels = useChannels().data ?? []
  const { trail, targetType, after } = useTrail()
  const names = usePostNames(trail.data?.items ?? [])
  const next = trail.data?.nextCursor
  const choose = (changes: Record<string, string>): void => setQuery({ after: undefined, ...changes })
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
      </div>
      <Loaded read={trail} lines={8}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={words.emptyTitle}>{next === undefined ? words.empty : words.emptySoFar}</Empty>
          ) : (
            <ol class="card trail-list">
              {items.map((entry) => (
                <Entry key={entry.id} {...{ entry, channels, names }} onChoose={(who) => choose({ who })} />
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

/** The members and the programs; an actor of the address that is neither, such as a key, is one more. */
function ActorChoice({ items = [], onChoose }: { items: AuditEntry[] | undefined; onChoose: (who: string) => void }) {
  const { query } = useUrlQuery()
  const members = (useMembers().data ?? []).map(({ id, name }) => [`user:${id}`, name] as const)
  const programs = PROGRAMS.map((type) => [type, words.actor(type, undefined)] as const)
  const { who = '' } = query
  const known = [['', words.everyone] as const, ...members, ...programs]
  const named = items.find(({ actor }) => idOf(actor) === who)?.actor.name ?? who.slice(who.indexOf(':') + 1)
  const options = known.some(([id]) => id === who) ? known : [...known, [who, named] as const]
  return <Choice label={words.who} value={who} options={options} onChoose={onChoose} />
}
