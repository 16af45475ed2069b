import { createReadStream } from 'node:fs'
import { extname } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ImportReport } from '../client/index.js'
import { isBeforeHeader } from '../interface/csv-records.js'
import { type Line, TextLines } from '../interface/text-lines.js'
import { isPipe } from '../lib/is-pipe.js'
import { type Cli, CliError } from './io.js'
import { note, printLine, printObject, type Write, writeToStdout } from './output.js'
import { countWhile, toCount } from './progress.js'
import { sendFile } from './send-file.js'
import { group, row, type TableCall } from './table-command.js'
import { widthOf } from './terminal.js'
import { onOneLine, wrap } from './text.js'
import { writeWholeFile } from './whole-file.js'

const CONTENT_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const
type Format = keyof typeof CONTENT_TYPES
const FORMATS_BY_EXTENSION: Record<string, Format> = {
  ...{ '.ndjson': 'ndjson', '.jsonl': 'ndjson' },
  // Spreadsheets save tab-separated files as .txt.
  ...{ '.csv': 'csv', '.tsv': 'csv', '.txt': 'csv' },
}

interface ImportOptions {
  format?: Format
  map?: Record<string, string>
  rejects?: string
}

/** The maximum number of rows in a channel's list (docs/decisions/audience-list.md). */
const LIST_ROWS = 25_000
/** The maximum number of rejected lines in a response. */
const REJECTS_MAX = 10_000
/** The number of rejected lines to print. A file may have all of them. */
const REJECTS_SHOWN = 100

/** Adds `theirs=ours` to the map of column names. A column name of the file may contain `=` itself. */
function toColumnMap(given: string, map: Record<string, string> = {}): Record<string, string> {
  const at = given.lastIndexOf('=')
  if (at < 1)
    throw new InvalidArgumentError('It must be THEIRS=OURS, for example Customer=cuid, or THEIRS= to skip the column.')
  return { ...map, [given.slice(0, at)]: given.slice(at + 1) }
}

const addImportOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--format <format>', 'the format of the file; defaults to that of its extension').choices(
        Object.keys(CONTENT_TYPES),
      ),
    )
    .option(
      '--map <theirs=ours>',
      'rename a column of the file (or a name in NDJSON), or skip it with theirs=; may be repeated',
      toColumnMap,
    )
    .option('--rejects <file>', 'write the rejected lines to a file, with the reasons, to correct and import')

async function importConversations({ cli, client, ids, query, given, options }: TableCall): Promise<void> {
  const file = given.file!
  const { map, rejects, format = FORMATS_BY_EXTENSION[extname(file).toLowerCase()] } = options as ImportOptions
  if (format === undefined)
    throw new CliError(2, 'The format is unknown, because the name has no known extension: add --format ndjson or csv.')
  if (rejects !== undefined && (file === '-' || isPipe(file))) {
    throw new CliError(2, '--rejects reads the input twice: give a file instead of a pipe.')
  }
  const { dryRun } = query
  if (map !== undefined) query.columns = JSON.stringify(map)
  if (rejects !== undefined) query.rejects = REJECTS_MAX
  const send = (body: AsyncIterable<Uint8Array>): Promise<ImportReport> =>
    client.call('importConversations', { ...ids, query, body, contentType: CONTENT_TYPES[format] })
  const whenLost = 'The lines imported so far stay. It is safe to send the same file again.'
  const { result, isStopped } = await untilInterrupted(cli, (stop) => sendFile(cli, file, send, whenLost, stop))

  if (cli.format() === 'table') printResult(cli, result)
  else printObject(cli, result)
  if (rejects !== undefined) await writeRejects(cli, file, rejects, format, result)
  if (!dryRun && result.imported > LIST_ROWS) {
    note(
      cli,
      "All conversations are stored, but a channel's list shows only the 25,000 with the highest lifetime value. `greenroom conversations export` has all of them.",
    )
  }
  if (isStopped) {
    const landed = dryRun ? 'Nothing was changed.' : `${toCount(result.imported)} lines were imported.`
    throw new CliError(130, `Stopped. ${landed} It is safe to send the same file again.`)
  }
  if (result.rejectedCount > 0) {
    throw new CliError(
      1,
      result.rejectedCount === 1 ? '1 line was rejected.' : `${toCount(result.rejectedCount)} lines were rejected.`,
    )
  }
}

/**
 * On Ctrl-C, stops sending, so that the server reports how much it imported. A second Ctrl-C ends the program, as does the
 * first one if the server does not answer.
 */
async function untilInterrupted<Result>(
  cli: Cli,
  work: (stop: AbortSignal) => Promise<Result>,
): Promise<{ result: Result; isStopped: boolean }> {
  const stop = new AbortController()
  const onInterrupt = (): void => {
    stop.abort()
    note(
      cli,
      'Stopping: waiting for the server to report how many lines were imported. Press Ctrl-C again to stop now.',
    )
  }
  process.once('SIGINT', onInterrupt)
  try {
    const result = await work(stop.signal)
    return { result, isStopped: stop.signal.aborted }
  } catch (error) {
    if (!stop.signal.aborted) throw error
    throw new CliError(
      130,
      'Stopped before the server reported how many lines were imported. Imported lines stay. It is safe to send the same file again.',
    )
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}

function printResult(cli: Cli, report: ImportReport): void {
  const { received, imported, erased, rejected, rejectedCount, dryRun, encoding, note: why } = report
  if (dryRun) printLine(cli, 'dry run   nothing was changed')
  if (encoding !== undefined) printLine(cli, `read as   ${encoding}`)
  printLine(cli, `received  ${toCount(received)}`)
  printLine(cli, `imported  ${toCount(imported)}`)
  if (erased > 0) printLine(cli, `erased    ${toCount(erased)} (lines of erased people are skipped)`)
  printLine(cli, `rejected  ${toCount(rejectedCount)}`)
  if (why !== undefined) printLine(cli, why)
  const shown = rejected.slice(0, REJECTS_SHOWN)
  for (const { line, reason } of shown) {
    for (const text of wrap(`line ${line}: ${onOneLine(reason)}`, widthOf(cli, 'stdout'))) printLine(cli, text)
  }
  if (rejectedCount > shown.length) printLine(cli, `and ${toCount(rejectedCount - shown.length)} more`)
}

/**
 * Writes the header and the rejected lines of the file. A line above each has the reason; imports skip it. The output is
 * UTF-8 regardless of the input's encoding. A line that could not be read is replaced by its reason.
 */
async function writeRejects(
  cli: Cli,
  file: string,
  rejects: string,
  format: Format,
  { rejected, rejectedCount }: ImportReport,
): Promise<void> {
  await writeWholeFile(rejects, async (write) => {
    let next = 0
    let hasHeader = format === 'ndjson'
    for await (const read of linesOf(file, format)) {
      const { line } = read
      const text = 'value' in read ? read.value + (read.end || '\n') : ''
      if (!hasHeader) {
        await write(text)
        hasHeader = 'reason' in read || !isBeforeHeader(read.value)
        continue
      }
      const reject = rejected[next]
      if (reject === undefined) break
      if (line < reject.line) continue
      if (line === reject.line) await write(`# line ${line}: ${onOneLine(reject.reason)}\n`)
      await write(text)
      if (line >= (reject.lastLine ?? reject.line)) next += 1
    }
  })
  const left = rejectedCount - rejected.length
  if (rejectedCount > 0) {
    const more = left > 0 ? ` It does not have ${toCount(left)} more: correct these first.` : ''
    note(cli, `${rejects} has the rejected lines with their reasons: correct and import it.${more}`)
  }
}

/** Yields the lines as the server reads and counts them. */
async function* linesOf(file: string, format: Format): AsyncGenerator<Line> {
  const lines = new TextLines({ mayBeWindows1252: format === 'csv' })
  for await (const chunk of createReadStream(file)) yield* lines.push(chunk)
  yield* lines.end()
}

async function exportConversations({ cli, given, send }: TableCall): Promise<void> {
  const file = given.file!
  const lines: AsyncIterable<Uint8Array> = await send()
  let count = 0
  await countWhile(cli, 'conversations', file === '-', (show) => {
    const copy = async (write: Write): Promise<void> => {
      const decoder = new TextDecoder()
      for await (const bytes of lines) {
        const text = decoder.decode(bytes, { stream: true })
        count += text.split('\n').length - 1
        show(count)
        await write(text)
      }
    }
    return file === '-' ? copy(writeToStdout(cli)) : writeWholeFile(file, copy)
  })
  if (file !== '-') printObject(cli, { file, conversations: count })
}

export const CONVERSATIONS = group('conversations', "a channel's conversations", [
  row('export <file>', 'exportConversations', {
    description: 'export every conversation of a channel to an NDJSON file (- for stdout), which can be imported again',
    sample: 'fans.ndjson',
    named: true,
    run: exportConversations,
  }),
  row('import <file>', 'importConversations', {
    description: 'import conversations from an NDJSON or CSV file (- for stdin); it is safe to repeat',
    sample: 'fans.csv',
    named: true,
    fields: 'workspaceId dryRun',
    extend: addImportOptions,
    run: importConversations,
  }),
  row('delete', 'deleteConversation', {
    warning: 'This deletes the conversation {conversation} of {channel} and its VIP marks.',
  }),
])
