import { useEffect, useRef, useState } from 'preact/hooks'
import type { AudienceExport, AudienceList, Channel } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { now } from '../clock.ts'
import { fileNameOf } from '../csv.ts'
import { Icon } from '../icons.tsx'
import { Loaded, Pager } from '../list.tsx'
import { type Query, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { useSteady } from '../steady.ts'
import { today } from '../times.ts'
import { announce, Button, Empty, Note } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { FALLBACK_MS, orSoonAfterError, useRead } from '../use-read.ts'
import { common, audience as words } from '../words.ts'
import { type AudienceQuery, isByCursor, offsetBefore, sortOf, toFilter, toPageQuery } from './choice.ts'
import { toCsv } from './csv.ts'
import { PeopleTable } from './people-table.tsx'
import { pageQuery } from './queries.ts'
import { saveFile } from './save-file.ts'
import { describeMarks, type Marks, useMarks } from './use-marks.ts'

/** Reads the filtered people page by page. */
function usePeople(workspaceId: string, channelId: string) {
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  const asked = pageQuery(organizationId, toPageQuery(workspaceId, channelId, query))
  const people = useRead({
    ...asked,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: orSoonAfterError(FALLBACK_MS),
    placeholderData: (before) => before,
  })
  /** The key of the list on screen: the previous one until the new one has loaded. */
  const list = useRef('')
  if (!people.isPlaceholderData) list.current = JSON.stringify(asked.queryKey)
  const readEveryone = () => call('exportAudience', { organizationId, query: toFilter(workspaceId, channelId, query) })
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
  page: AudienceList
  /** The key of the list that the page belongs to. */
  list: string
  workspaceId: string
  channel: Channel
  readEveryone: () => Promise<AudienceExport>
}

/** Maps each page's cursor to the previous page's, which it does not contain. The first page has none. */
const cursorsBefore = new Map<string, string | undefined>()

/** Goes to the next page and remembers the way back. */
function turnOn({ after }: AudienceQuery, { nextCursor }: AudienceList, turn: () => void): void {
  if (nextCursor !== null && nextCursor !== after) cursorsBefore.set(nextCursor, after)
  turn()
}

/** Returns the queries of the previous and the next page; undefined if there is none. */
function turns(query: AudienceQuery, { items, skipped, mayHaveMore, nextCursor }: AudienceList) {
  if (!isByCursor(query)) {
    const before = offsetBefore(query)
    return {
      before: before === undefined ? undefined : { offset: before || undefined },
      next: mayHaveMore ? { offset: skipped + items.length } : undefined,
    }
  }
  return {
    // If the previous page is unknown, go to the first.
    before: query.after === undefined ? undefined : { after: cursorsBefore.get(query.after) },
    next: nextCursor === null ? undefined : { after: nextCursor },
  }
}

const NO_ONE: ReadonlySet<string> = new Set()

/** The selected people of a page. Another list or page starts with none. */
function useChoice(list: string) {
  const [choice, setChoice] = useState<{ list: string; ids: ReadonlySet<string> }>({ list, ids: NO_ONE })
  const chosen = choice.list === list ? choice.ids : NO_ONE
  return {
    chosen,
    choose: (ids: readonly string[], isChosen: boolean): void =>
      setChoice({
        list,
        ids: new Set(isChosen ? [...chosen, ...ids] : [...chosen].filter((id) => !ids.includes(id))),
      }),
    chooseNone: () => setChoice({ list, ids: NO_ONE }),
  }
}

/** A page of people. Its rows do not move while someone reads. */
function PeoplePage({ page, list, workspaceId, channel, readEveryone }: PeoplePageProps) {
  const { query, setQuery } = useUrlQuery()
  const { items, total, skipped, scanCapped, currency } = page
  const top = useRef<HTMLParagraphElement>(null)
  const isAll = query.scope === 'all'
  const marks = useMarks({ workspaceId, channelId: channel.id, isAll })
  const { rows, changed, show } = useSteady(list, items, ({ conversationId }) => conversationId)
  const { chosen, choose, chooseNone } = useChoice(list)
  useEffect(marks.forget, [list])
  const turn = (to: Query): void => {
    setQuery(to)
    top.current?.focus({ preventScroll: true })
    top.current?.scrollIntoView({ block: 'nearest' })
  }
  const { before, next } = turns(query, page)
  return (
    <>
      {scanCapped && !isByCursor(query) && (
        <Note kind="warn">
          <p>{words.capped}</p>
        </Note>
      )}
      <div class="audience-bar">
        <p ref={top} tabIndex={-1} role="status">
          {items.length === 0
            ? words.nobody
            : words.shown({ first: skipped + 1, last: skipped + items.length, total, isCapped: scanCapped })}{' '}
          <span class="quiet">{items.length > 0 && words.sorted[sortOf(query)]}</span>
        </p>
        {changed > 0 && (
          <Button
            kind="small"
            onClick={() => {
              marks.forget()
              show()
            }}
          >
            {words.changed({ many: changed })}
          </Button>
        )}
        <Export channel={channel} isEmpty={items.length === 0} read={readEveryone} />
      </div>
      <Chosen chosen={chosen} marks={marks} onDone={chooseNone} />
      {rows.length > 0 ? (
        <PeopleTable
          items={rows}
          currency={currency}
          channelId={channel.id}
          channelName={channel.name}
          marks={marks}
          chosen={chosen}
          onChoose={choose}
        />
      ) : (
        <Empty title={words.emptyTitle}>
          {before === undefined && (next === undefined ? words.empty({ isAll }) : words.noneHere)}
          {before && <Button onClick={() => turn({ offset: undefined, after: undefined })}>{words.firstPage}</Button>}
        </Empty>
      )}
      <Pager
        label={words.pages}
        before={{ text: words.before, go: before && (() => turn(before)) }}
        next={{ text: words.next, go: next && (() => turnOn(query, page, () => turn(next))) }}
      />
    </>
  )
}

/** Marks the selected people together; the last change can be undone. */
function Chosen({ chosen, marks, onDone }: { chosen: ReadonlySet<string>; marks: Marks; onDone: () => void }) {
  const { busy, error, last, change, undo } = marks.together
  const ids = [...chosen]
  const run = (body: { mark?: string[]; unmark?: string[] }): void => void change(body).then((done) => done && onDone())
  return (
    <>
      {ids.length > 0 && (
        <div class="actions" role="group" aria-label={words.chosen({ many: ids.length })}>
          <span>{words.chosen({ many: ids.length })}</span>
          <Button kind="small" disabled={busy} onClick={() => run({ mark: ids })}>
            {words.markChosen}
          </Button>
          <Button kind="small" disabled={busy} onClick={() => run({ unmark: ids })}>
            {words.unmarkChosen}
          </Button>
          <Button kind="small plain" onClick={onDone}>
            {words.chooseNone}
          </Button>
        </div>
      )}
      {last !== undefined && (
        <Note kind="good">
          <p>{describeMarks(last)}</p>
          <Button kind="small" disabled={busy} onClick={() => void undo()}>
            {common.undo}
          </Button>
        </Note>
      )}
      <Refusal error={error} />
    </>
  )
}

/** Exports everyone who matches the filter. */
function Export({
  channel,
  isEmpty,
  read,
}: {
  channel: Channel
  isEmpty: boolean
  read: () => Promise<AudienceExport>
}) {
  const { busy, error, act } = useAct()
  const { timeZone } = useOrganization()
  const { query } = useUrlQuery()
  const download = (): Promise<boolean> =>
    act(async () => {
      const found = await read()
      saveFile(
        `${query.scope === 'all' ? words.fileOfAll : words.fileOfVips}-${fileNameOf(channel.name)}-${today(now(), timeZone)}.csv`,
        toCsv(found),
      )
      announce(words.saved({ rows: found.items.length, isCapped: found.scanCapped }))
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
