import { useEffect, useRef } from 'preact/hooks'
import type { VipUserList } from '../../interface/audience.ts'
import type { Channel } from '../../interface/channels.ts'
import { now } from '../clock.ts'
import { Icon } from '../icons.tsx'
import { Loaded, Pager } from '../list.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { useSteady } from '../steady.ts'
import { today } from '../times.ts'
import { announce, Button, Empty, Note } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { FALLBACK_MS, orSoonAfterError, useRead } from '../use-read.ts'
import { daysAhead } from './birthday.ts'
import { offsetOf, PAGE_ROWS, SOON_DAYS, toFilter } from './choice.ts'
import { toCsv } from './csv.ts'
import { PeopleTable } from './people-table.tsx'
import { pageQuery } from './queries.ts'
import { readAll, readSoon } from './read-people.ts'
import { saveFile } from './save-file.ts'
import { useMarks } from './use-marks.ts'
import { words } from './words.ts'

/** The people of the filter, a page at a time. Birthdays that come soon are one page, in the order of the days. */
function usePeople(workspaceId: string, channelId: string) {
  const { id: organizationId, timeZone } = useOrganization()
  const { query } = useUrlQuery()
  const filter = toFilter(workspaceId, channelId, query)
  const days = query.birthday === 'soon' ? daysAhead(today(now(), timeZone), SOON_DAYS) : undefined
  const soon = (signal?: AbortSignal) => readSoon(organizationId, filter, days!, signal)
  const asked =
    days === undefined
      ? pageQuery(organizationId, filter, offsetOf(query))
      : {
          queryKey: ['people', organizationId, filter, days] as readonly unknown[],
          queryFn: ({ signal }: { signal: AbortSignal }) => soon(signal),
        }
  const people = useRead({
    ...asked,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: orSoonAfterError(FALLBACK_MS),
    placeholderData: (before) => before,
  })
  /** The list that is shown: the one before, until the one that is asked for is here. */
  const list = useRef('')
  if (!people.isPlaceholderData) list.current = JSON.stringify(asked.queryKey)
  const readEveryone = () => (days === undefined ? readAll(organizationId, filter) : soon())
  return { people, list: list.current, readEveryone }
}

export function People({ workspaceId, channel }: { workspaceId: string; channel: Channel }) {
  const { people, list, readEveryone } = usePeople(workspaceId, channel.id)
  return (
    <Loaded read={people} lines={12}>
      {(page) => <PeoplePage {...{ page, list, workspaceId, channel, readEveryone }} />}
    </Loaded>
  )
}

interface PeoplePageProps {
  page: VipUserList
  /** Names the list that the page is of. */
  list: string
  workspaceId: string
  channel: Channel
  readEveryone: () => Promise<VipUserList>
}

/** A page of people, whose rows stay where they are while someone reads. */
function PeoplePage({ page, list, workspaceId, channel, readEveryone }: PeoplePageProps) {
  const { query, setQuery } = useUrlQuery()
  const { items, total, returned, mayHaveMore, nextOffset, scanCapped } = page
  const top = useRef<HTMLParagraphElement>(null)
  const isAll = query.scope === 'all'
  const isSoon = query.birthday === 'soon'
  const offset = offsetOf(query)
  const marks = useMarks({ workspaceId, channelId: channel.id, isAll })
  const { rows, changed, show } = useSteady(list, items, ({ conversationId }) => conversationId)
  useEffect(marks.forget, [list])
  const turn = (to: number): void => {
    setQuery({ offset: to === 0 ? undefined : to })
    top.current?.focus({ preventScroll: true })
    top.current?.scrollIntoView({ block: 'nearest' })
  }
  // Counted from the rows that are shown: the page that is asked for may still be on its way.
  const first = nextOffset - returned + 1
  return (
    <>
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
        {changed > 0 && (
          <Button
            kind="small"
            onClick={() => {
              marks.forget()
              show()
            }}
          >
            {words.changed(changed)}
          </Button>
        )}
        <Export channel={channel} isEmpty={total === 0} read={readEveryone} />
      </div>
      {rows.length > 0 ? (
        <PeopleTable items={rows} channelName={channel.name} marks={marks} />
      ) : (
        <Empty title={words.emptyTitle}>
          {offset > 0 ? <Button onClick={() => turn(0)}>{words.firstPage}</Button> : words.empty(isAll)}
        </Empty>
      )}
      {!isSoon && (
        <Pager
          label={words.pages}
          before={{ text: words.before, go: offset > 0 ? () => turn(Math.max(0, offset - PAGE_ROWS)) : undefined }}
          next={{ text: words.next, go: mayHaveMore ? () => turn(nextOffset) : undefined }}
        />
      )}
    </>
  )
}

/** Exports every person of the filter. */
function Export({ channel, isEmpty, read }: { channel: Channel; isEmpty: boolean; read: () => Promise<VipUserList> }) {
  const { busy, error, act } = useAct()
  const { timeZone } = useOrganization()
  const { query } = useUrlQuery()
  const download = (): Promise<boolean> =>
    act(async () => {
      const { items, scanCapped } = await read()
      saveFile(words.fileName(channel.name, query.scope === 'all', today(now(), timeZone)), toCsv(items))
      announce(words.saved(items.length, scanCapped))
    })
  return (
    <>
      <Button kind="small" disabled={busy || isEmpty} onClick={() => void download()}>
        <Icon name="download" />
        {busy ? words.csvProgress : words.csv}
      </Button>
      <Refusal error={error} />
    </>
  )
}
