import { useEffect, useRef, useState } from 'preact/hooks'
import type { VipUser } from '../../interface/audience.ts'
import type { Channel } from '../../interface/channels.ts'
import { now, POLL_MS } from '../clock.ts'
import { Icon } from '../icons.tsx'
import { Loaded, Pager } from '../list.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../session.tsx'
import { today } from '../times.ts'
import { announce, Button, Empty, Note, Problem } from '../ui.tsx'
import { type Act, useAct } from '../use-act.ts'
import { useRead } from '../use-read.ts'
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
  const people = useRead({
    ...(days === undefined
      ? pageQuery(organizationId, filter, offsetOf(query))
      : {
          queryKey: ['people', organizationId, filter, days] as readonly unknown[],
          queryFn: ({ signal }: { signal: AbortSignal }) => soon(signal),
        }),
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
    placeholderData: (before) => before,
  })
  const readEveryone = async (onRead: (rows: number) => void) =>
    days === undefined ? readAll(organizationId, filter, { onRead }) : (await soon()).items
  return { people, readEveryone }
}

export function People({ workspaceId, channel }: { workspaceId: string; channel: Channel }) {
  const { query, setQuery } = useUrlQuery()
  const { people, readEveryone } = usePeople(workspaceId, channel.id)
  const { error, act, forgetError } = useAct()
  const top = useRef<HTMLParagraphElement>(null)
  const isAll = query.scope === 'all'
  const isSoon = query.birthday === 'soon'
  const offset = offsetOf(query)
  useEffect(forgetError, [query.birthday, isAll, offset])
  const toTop = (): void => top.current?.focus({ preventScroll: true })
  const marks = useMarks({
    ...{ workspaceId, channelId: channel.id, isAll, act },
    // The row of a person who is no longer a VIP goes, and the focus with it.
    onMarked: () => !isAll && toTop(),
  })
  const turn = (to: number): void => {
    setQuery({ offset: to === 0 ? undefined : to })
    toTop()
    top.current?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <Loaded read={people} lines={12}>
      {({ items, total, returned, mayHaveMore, nextOffset, scanCapped }) => {
        // Counted from the rows that are shown: the page that is asked for may still be on its way.
        const first = nextOffset - returned + 1
        return (
          <>
            <Problem error={error} />
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
              <Export channel={channel} isEmpty={total === 0} read={readEveryone} act={act} />
            </div>
            {items.length > 0 ? (
              <PeopleTable items={items} channelName={channel.name} marks={marks} />
            ) : (
              <Empty title={words.emptyTitle}>
                {offset > 0 ? <Button onClick={() => turn(0)}>{words.firstPage}</Button> : words.empty(isAll)}
              </Empty>
            )}
            {!isSoon && (
              <Pager
                label={words.pages}
                before={{
                  text: words.before,
                  go: offset > 0 ? () => turn(Math.max(0, offset - PAGE_ROWS)) : undefined,
                }}
                next={{ text: words.next, go: mayHaveMore ? () => turn(nextOffset) : undefined }}
              />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

/** Exports every person of the filter. */
function Export({
  channel,
  isEmpty,
  read,
  act,
}: {
  channel: Channel
  isEmpty: boolean
  read: (onRead: (rows: number) => void) => Promise<VipUser[]>
  act: Act
}) {
  const { timeZone } = useOrganization()
  const { query } = useUrlQuery()
  const [progress, setProgress] = useState<number>()
  const download = async (): Promise<void> => {
    setProgress(0)
    await act(async () => {
      const rows = await read(setProgress)
      saveFile(words.fileName(channel.name, query.scope === 'all', today(now(), timeZone)), toCsv(rows))
      announce(words.saved(rows.length))
    })
    setProgress(undefined)
  }
  return (
    <Button kind="small" disabled={progress !== undefined || isEmpty} onClick={() => void download()}>
      <Icon name="download" />
      {progress === undefined ? words.csv : words.csvProgress(progress)}
    </Button>
  )
}
