import { useQueryClient } from '@tanstack/preact-query'
import { useRef, useState } from 'preact/hooks'
import type { ImportCells, ImportedLine, PostImport, ReportedLine } from '../../interface/generated/types.ts'
import { DATE_ORDERS, type DateOrder, IMPORT_COLUMNS, type ImportColumn } from '../../interface/post-import.ts'
import { readText } from '../../interface/text-lines.ts'
import { call } from '../api.ts'
import { saveFile } from '../audience/save-file.ts'
import { newKey } from '../clock.ts'
import { toCsvFile } from '../csv.ts'
import { CheckField, TextArea, TextField } from '../fields.tsx'
import { Rows } from '../list.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { formatInstant, zoneName } from '../times.ts'
import { Button, Empty, Field, Note, Page } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { useLeaveGuard } from '../use-leave-guard.ts'
import { common, posts as postWords, textOf, postImport as words } from '../words.ts'
import { refreshPosts } from './post-text.ts'
import { useChannels } from './queries.ts'

const FILE_BYTES_MAX = 900_000

const toLines = (lines: readonly ReportedLine[]): ImportedLine[] => lines.map(({ line, cells }) => ({ line, ...cells }))

/** The lines of the file as last checked by the service, and actions on them. */
function useImport() {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const { busy, error, act } = useAct({ onSettled: () => void refreshPosts(client) })
  const [lines, setLines] = useState<readonly ReportedLine[]>()
  const [dateOrder, setDateOrder] = useState<DateOrder>()
  const [readAs, setReadAs] = useState<string>()
  const [imported, setImported] = useState<number>()
  // Repeating an import creates no duplicates; importing other lines is a new import.
  const key = useRef({ of: '', key: '' })
  const send = (body: PostImport, headers: Record<string, string> = {}) =>
    call('importScheduledPosts', { organizationId, body }, { headers })
  const look = (body: Omit<PostImport, 'dryRun'>): Promise<boolean> =>
    act(async () => {
      const report = await send({ ...body, dryRun: true })
      if (report.note !== undefined) throw new Error(common.noLines)
      setLines(report.lines)
      setDateOrder(report.dateOrder)
    })
  const toBody = (lines: readonly ReportedLine[], order = dateOrder) => ({
    lines: toLines(lines),
    ...(order !== undefined && { dateOrder: order }),
  })
  return {
    ...{ busy, error, lines, readAs, imported },
    read: async (file: File): Promise<void> => {
      const read = file.size > FILE_BYTES_MAX ? undefined : readText(new Uint8Array(await file.arrayBuffer()))
      if (read === undefined) await act(() => Promise.reject(new Error(words.tooLarge)))
      else if ('reason' in read)
        await act(() => Promise.reject(new Error(`${words.line({ many: read.line })}: ${read.reason}`)))
      else {
        setReadAs(read.encoding === 'UTF-8' ? undefined : common.readAs({ text: file.name, as: read.encoding }))
        await look({ csv: read.text })
      }
    },
    replace: (next: readonly ReportedLine[], order?: DateOrder): void => {
      if (next.length === 0) setLines(undefined)
      else void look(toBody(next, order))
    },
    leaveOut: (line: number): void => {
      const next = lines?.filter((one) => one.line !== line) ?? []
      setLines(next.length === 0 ? undefined : next)
    },
    commit: (): Promise<boolean> =>
      act(async () => {
        const body = toBody(lines ?? [])
        const of = JSON.stringify(body)
        if (key.current.of !== of) key.current = { of, key: newKey() }
        const report = await send(body, { 'idempotency-key': key.current.key })
        if (report.created === 0) setLines(report.lines)
        else setImported(report.created)
      }),
    restart: (): void => {
      setLines(undefined)
      setImported(undefined)
    },
  }
}

/** Turns a file into drafts, after checking and correcting it line by line. */
export default function ImportPosts() {
  const { id: organizationId, mayAnywhere, timeZone } = useOrganization()
  const posts = useImport()
  const { lines, imported } = posts
  useLeaveGuard(lines !== undefined && imported === undefined)
  if (!mayAnywhere('posts:write')) {
    return (
      <Page title={words.title}>
        <Empty title={words.permissionMissing} />
      </Page>
    )
  }
  return (
    <Page title={words.title}>
      {imported !== undefined ? (
        <Note kind="good" role="status">
          <p>{words.imported({ many: imported })}</p>
          <div class="actions">
            <a class="button" href={hrefOf(organizationId, 'calendar')}>
              {words.toCalendar}
            </a>
            <Button onClick={posts.restart}>{words.another}</Button>
          </div>
        </Note>
      ) : (
        <>
          <p>{words.lead({ zone: zoneName(timeZone) })}</p>
          {lines === undefined ? <FileChoice posts={posts} /> : <Lines posts={posts} lines={lines} />}
        </>
      )}
    </Page>
  )
}

type Import = ReturnType<typeof useImport>

function FileChoice({ posts }: { posts: Import }) {
  const picker = useRef<HTMLInputElement>(null)
  const channels = useChannels()
  const saveTemplate = (): void => {
    const { channel, text } = words.example
    const row = [
      '2030-12-24 18:00',
      channels.data?.[0]?.name ?? channel,
      text,
      'https://example.com/picture.jpg',
      postWords.editor.notesHint,
    ]
    saveFile(words.templateName, toCsvFile([IMPORT_COLUMNS, row]))
  }
  return (
    <section class="card form">
      <p>{words.columns}</p>
      <input
        ref={picker}
        type="file"
        hidden
        accept=".csv,.tsv,text/csv"
        aria-label={words.choose}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file !== undefined) void posts.read(file)
          // Lets the person choose the same file again.
          currentTarget.value = ''
        }}
      />
      <div class="actions">
        <Button kind="primary" disabled={posts.busy} onClick={() => picker.current?.click()}>
          {words.choose}
        </Button>
        <Button onClick={saveTemplate}>{words.template}</Button>
      </div>
      <Refusal error={posts.error} />
    </section>
  )
}

function Lines({ posts, lines }: { posts: Import; lines: readonly ReportedLine[] }) {
  const { timeZone } = useOrganization()
  const { query, setQuery } = useUrlQuery()
  const [open, setOpen] = useState<number>()
  const wrong = lines.filter(({ problems }) => problems.length > 0)
  const isFiltered = query.only === 'wrong' && wrong.length > 0
  const asked = lines.flatMap(({ cells, problems }) =>
    problems.flatMap(({ choices }) => (choices === undefined ? [] : [{ cell: cells.time, choices }])),
  )[0]
  const shown = isFiltered ? lines.filter(({ problems, line }) => problems.length > 0 || line === open) : lines
  return (
    <>
      <p role="status">
        <strong>{words.summary({ lines: lines.length, wrong: wrong.length })}</strong> {posts.readAs}
      </p>
      {asked && (
        <div class="actions">
          <bdi>{words.whichDate({ text: asked.cell })}</bdi>
          {DATE_ORDERS.map((order) => (
            <Button key={order} kind="small" disabled={posts.busy} onClick={() => posts.replace(lines, order)}>
              {formatInstant(asked.choices[order], timeZone)}
            </Button>
          ))}
        </div>
      )}
      {wrong.length > 0 && (
        <CheckField
          checked={isFiltered}
          onCheck={(only) => setQuery({ only: only ? 'wrong' : undefined }, { replace: true })}
        >
          {words.onlyWrong}
        </CheckField>
      )}
      <Rows label={words.lines} items={shown} keyOf={({ line }) => String(line)}>
        {(line) =>
          line.line === open ? (
            <LineForm
              line={line}
              busy={posts.busy}
              onDone={(cells) => {
                posts.replace(lines.map((one) => (one === line ? { ...one, cells } : one)))
                setOpen(undefined)
              }}
            />
          ) : (
            <Line line={line} onCorrect={() => setOpen(line.line)} onLeaveOut={() => posts.leaveOut(line.line)} />
          )
        }
      </Rows>
      <div class="actions">
        <Button
          kind="primary"
          disabled={posts.busy || wrong.length > 0 || open !== undefined}
          onClick={() => void posts.commit()}
        >
          {words.import({ many: lines.length })}
        </Button>
        <Button onClick={posts.restart}>{words.another}</Button>
      </div>
      <Refusal error={posts.error} />
    </>
  )
}

interface LineProps {
  line: ReportedLine
  onCorrect: () => void
  onLeaveOut: () => void
}

function Line({ line: { line, cells, scheduledFor, timeReadAs, problems }, onCorrect, onLeaveOut }: LineProps) {
  const { timeZone } = useOrganization()
  const name = words.line({ many: line })
  const time = scheduledFor === undefined ? cells.time || postWords.noTime : formatInstant(scheduledFor, timeZone)
  return (
    <div class="saved-text">
      <div>
        <p class="quiet small-text">
          {name} · {time} · <bdi>{cells.channel}</bdi>
        </p>
        {timeReadAs !== undefined && (
          <p class="small-text">{common.readAs({ text: cells.time, as: `${time} (${timeZone})` })}</p>
        )}
        <p class="saved-text-begin" dir="auto">
          {cells.text}
        </p>
        {problems.map(({ column, code, message, excess }) => (
          <p key={`${column} ${code} ${excess?.what}`} class="problem">
            {describeProblem({ code, message, excess })}
          </p>
        ))}
      </div>
      <div class="actions">
        <Button kind="small" of={name} onClick={onCorrect}>
          {words.correct}
        </Button>
        <Button kind="small" of={name} onClick={onLeaveOut}>
          {words.leaveOut}
        </Button>
      </div>
    </div>
  )
}

interface LineFormProps {
  line: ReportedLine
  busy: boolean
  onDone: (cells: ImportCells) => void
}

/** A form for one line's fields, each with its problem. */
function LineForm({ line, busy, onDone }: LineFormProps) {
  const channels = useChannels()
  const [cells, setCells] = useState(line.cells)
  const set = (column: ImportColumn, value: string): void => setCells((before) => ({ ...before, [column]: value }))
  const problemOf = (column: ImportColumn): string | undefined => {
    const found = line.problems.filter((problem) => problem.column === column)
    if (found.length === 0 || cells[column] !== line.cells[column]) return undefined
    return found.map(({ code, message, excess }) => describeProblem({ code, message, excess })).join(' ')
  }
  const fieldOf = (column: ImportColumn) => ({
    label: words.column[column],
    problem: problemOf(column),
    value: cells[column],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      set(column, currentTarget.value),
  })
  return (
    <form
      class="form"
      aria-label={words.line({ many: line.line })}
      onSubmit={(event) => {
        event.preventDefault()
        onDone(cells)
      }}
    >
      <h2>{words.line({ many: line.line })}</h2>
      <TextField {...fieldOf('time')} placeholder="2026-12-24 18:00" />
      <Field label={words.column.channel} problem={problemOf('channel')}>
        {(attributes) => (
          <select
            {...attributes}
            value={
              line.channelId !== undefined && cells.channel === line.cells.channel ? line.channelId : cells.channel
            }
            onChange={(event) => set('channel', event.currentTarget.value)}
          >
            <option value={line.channelId === undefined ? line.cells.channel : ''} disabled>
              {words.chooseChannel}
            </option>
            {channels.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TextArea {...fieldOf('text')} dir="auto" />
      <TextField {...fieldOf('media')} inputMode="url" />
      <TextField {...fieldOf('notes')} dir="auto" />
      <div class="actions">
        <Button type="submit" kind="primary" disabled={busy}>
          {words.done}
        </Button>
      </div>
    </form>
  )
}

const describeProblem = ({ code, message, excess }: Omit<ReportedLine['problems'][number], 'column'>): string =>
  excess === undefined
    ? textOf(words.problems, code, message)
    : words.excess({ max: excess.max, what: postWords.editor.units[excess.what], count: excess.count })
