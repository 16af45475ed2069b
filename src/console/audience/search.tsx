import { call } from '../api.ts'
import { TextField } from '../fields.tsx'
import { Loaded, Rows } from '../list.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { useChannelFacts } from '../posts/queries.ts'
import { Button } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { person as words } from '../words.ts'
import { nameOr } from './person.tsx'

/** Finds people by the beginning of a name, or by id. */
export function Search() {
  const { query, setQuery } = useUrlQuery()
  const search = query.search ?? ''
  return (
    <>
      <TextField
        label={words.search}
        hint={words.searchHint}
        type="search"
        maxLength={200}
        value={search}
        onInput={({ currentTarget }) => setQuery({ search: currentTarget.value || undefined }, { replace: true })}
      />
      {search.trim() !== '' && <Found search={search.trim()} />}
    </>
  )
}

const SHOWN = 20

function Found({ search }: { search: string }) {
  const { id: organizationId } = useOrganization()
  const { setQuery } = useUrlQuery()
  const channels = useChannelFacts()
  const people = usePolled(['people-found', organizationId, search], (options) =>
    call('searchPeople', { organizationId, query: { search, limit: SHOWN } }, options),
  )
  return (
    <Loaded read={people} lines={2}>
      {({ items, nextCursor }) => (
        <>
          {items.length === 0 && <p class="quiet">{words.none}</p>}
          {items.length > 0 && (
            <Rows
              label={words.found}
              items={items}
              keyOf={({ channelId, conversationId }) => `${channelId} ${conversationId}`}
            >
              {(one) => (
                <div class="row-text">
                  <Button kind="plain" onClick={() => setQuery({ person: one.cuid, search: undefined })}>
                    <bdi>{nameOr(one.conversationId, one)}</bdi>
                  </Button>
                  <span class="quiet small-text">
                    {one.cuid} · <bdi>{channels.nameOf(one.channelId)}</bdi>
                  </span>
                </div>
              )}
            </Rows>
          )}
          {nextCursor !== null && <p class="quiet small-text">{words.more}</p>}
        </>
      )}
    </Loaded>
  )
}
