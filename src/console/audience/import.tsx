import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Channel, ImportConversationsQuery, ImportReport } from '../../interface/generated/types.ts'
import { importCsv } from '../api.ts'
import { toCsvFile } from '../csv.ts'
import { Choice } from '../fields.tsx'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { announce, Button, Field, Note, TableFrame } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { useLeaveGuard } from '../use-leave-guard.ts'
import { list } from '../wording.ts'
import { common, peopleImport as words } from '../words.ts'
import { FIELD_NAMES, type FieldName, guessFields, LEFT_OUT, REQUIRED, toColumnMap } from './import-fields.ts'
import { type CsvHead, readCsvHead } from './read-csv.ts'
import { saveFile } from './save-file.ts'

const SHOWN_ROWS = 5
const HEAD_BYTES = 64 * 1024
/** The service lists at most this many. */
const REJECTS_MAX = 10_000
const REJECTS_SHOWN = 10

interface Chosen {
  file: File
  head: CsvHead
}

/** Imports people from a CSV file in three steps: assign the columns, check, import. */
export default function Import({ workspaceId, channel }: { workspaceId: string; channel: Channel }) {
  const [chosen, setChosen] = useState<Chosen>()
  const { error, act } = useAct()
  const choose = (file: File | undefined): void => {
    setChosen(undefined)
    if (file === undefined) return
    void act(async () => {
      const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
      const head = readCsvHead(bytes, SHOWN_ROWS, file.size <= HEAD_BYTES)
      if (head.columns.length === 0) throw new Error(words.empty)
      setChosen({ file, head })
    })
  }
  return (
    <section class="card form" aria-label={words.title}>
      <h2>{words.title}</h2>
      <Field label={words.file} hint={words.hint({ channel: channel.name })}>
        {(attributes) => (
          <input
            {...attributes}
            type="file"
            accept=".csv,text/csv"
            onChange={({ currentTarget }) => choose(currentTarget.files?.[0])}
          />
        )}
      </Field>
      <Refusal error={error} />
      {chosen && <Mapping key={chosen.file.name} chosen={chosen} workspaceId={workspaceId} channelId={channel.id} />}
    </section>
  )
}

interface MappingProps {
  chosen: Chosen
  workspaceId: string
  channelId: string
}

function Mapping({ chosen: { file, head }, workspaceId, channelId }: MappingProps) {
  const [fields, setFields] = useState(() => guessFields(head.columns))
  const { busy, error, part, report, send, stop, forget } = useImport({ file, workspaceId, channelId })
  const lacking = REQUIRED.filter((field) => !fields.includes(field))
  const twice = FIELD_NAMES.filter((field) => fields.filter((one) => one === field).length > 1)
  const isWrong = lacking.length + twice.length > 0
  const columns = toColumnMap(head.columns, fields)
  // Only the service has read past the beginning of the file.
  const encoding = report?.encoding ?? head.encoding
  const set = (place: number, field: FieldName | typeof LEFT_OUT): void => {
    forget()
    setFields((before) => before.map((one, index) => (index === place ? field : one)))
  }
  return (
    <>
      {encoding !== 'UTF-8' && <p>{common.readAs({ text: file.name, as: encoding })}</p>}
      <Preview head={head} fields={fields} onSet={set} />
      {lacking.length > 0 && <p>{words.lacking({ fields: list(lacking.map((field) => words.fields[field])) })}</p>}
      {twice.length > 0 && <p>{words.twice({ fields: list(twice.map((field) => words.fields[field])) })}</p>}
      <div class="actions">
        <Button kind="primary" disabled={busy || isWrong} onClick={() => void send({ columns, isDry: true })}>
          {words.check}
        </Button>
        {report?.dryRun && report.imported > 0 && (
          <Button disabled={busy || isWrong} onClick={() => void send({ columns, isDry: false })}>
            {words.import({ many: report.imported })}
          </Button>
        )}
        {busy && <Button onClick={stop}>{words.stop}</Button>}
      </div>
      {busy && (
        <label>
          {part < 1 ? words.sending : words.finishing} <progress value={part} max={1} />
        </label>
      )}
      <Refusal error={error} />
      {report && <Report report={report} name={file.name} />}
    </>
  )
}

/** The first rows, with a choice of field above each column. */
function Preview({
  head: { columns, rows },
  fields,
  onSet,
}: {
  head: CsvHead
  fields: readonly string[]
  onSet: (place: number, field: FieldName | typeof LEFT_OUT) => void
}) {
  const options = [
    [LEFT_OUT, words.leftOut] as const,
    ...FIELD_NAMES.map((field) => [field, words.fields[field]] as const),
  ]
  return (
    <TableFrame label={words.preview}>
      <thead>
        <tr>
          {columns.map((column, place) => (
            <th key={place} scope="col">
              <bdi>{column}</bdi>
              <Choice
                label={words.fieldOf({ column })}
                isBare
                value={fields[place] as FieldName | typeof LEFT_OUT}
                options={options}
                onChoose={(field) => onSet(place, field)}
              />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, index) => (
          <tr key={index}>
            {columns.map((_, place) => (
              <td key={place}>
                <bdi>{cells[place]}</bdi>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}

/** Uploads the file, first for a check and then for the import, and keeps the reports. */
function useImport({ file, workspaceId, channelId }: { file: File; workspaceId: string; channelId: string }) {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const { busy, error, act, forgetError } = useAct()
  const [part, setPart] = useState(0)
  const [report, setReport] = useState<ImportReport>()
  const sending = useRef<AbortController>()
  useLeaveGuard(busy)
  useEffect(() => () => sending.current?.abort(), [])
  const send = ({ columns, isDry }: { columns: string | undefined; isDry: boolean }): Promise<boolean> => {
    sending.current = new AbortController()
    setPart(0)
    const query: ImportConversationsQuery = {
      workspaceId,
      rejects: REJECTS_MAX,
      ...(columns === undefined ? {} : { columns }),
      ...(isDry ? { dryRun: 'true' } : {}),
    }
    return act(async () => {
      const options = { onProgress: setPart, signal: sending.current!.signal }
      const result = await importCsv({ organizationId, channelId, query }, file, options)
      setReport(result)
      announce(isDry ? words.checked : words.imported({ many: result.imported }))
      if (!isDry) await client.invalidateQueries({ queryKey: ['people', organizationId] })
    })
  }
  const forget = (): void => {
    setReport(undefined)
    forgetError()
  }
  return { busy, error, part, report, send, forget, stop: () => sending.current?.abort() }
}

/** Reports how many lines were or would be imported, and why others are rejected. */
function Report({ report, name }: { report: ImportReport; name: string }) {
  const { dryRun, imported, erased, created = 0, rejected, rejectedCount, note } = report
  if (note !== undefined)
    return (
      <Note kind="warn" role="status">
        {common.noLines}
      </Note>
    )
  return (
    <Note kind={rejectedCount > 0 ? 'warn' : 'good'} role="status">
      <p>{dryRun ? words.would({ created, changed: imported - created }) : words.imported({ many: imported })}</p>
      {erased > 0 && <p>{words.erased({ many: erased })}</p>}
      {rejectedCount > 0 && (
        <>
          <p>{words.refused({ many: rejectedCount })}</p>
          <ul class="bullets">
            {rejected.slice(0, REJECTS_SHOWN).map(({ line, reason }) => (
              <li key={line}>
                <bdi>{words.refusedLine({ line, reason })}</bdi>
              </li>
            ))}
          </ul>
          <Button
            kind="small"
            onClick={() =>
              saveFile(
                words.refusedFile({ name: name.replace(/\.csv$/i, '') }),
                toCsvFile([['line', 'reason'], ...toRecords(report)]),
              )
            }
          >
            {words.saveRefused({ many: rejected.length })}
          </Button>
        </>
      )}
    </Note>
  )
}

const toRecords = ({ rejected }: ImportReport): (string | number)[][] =>
  rejected.map(({ line, reason }) => [line, reason])
