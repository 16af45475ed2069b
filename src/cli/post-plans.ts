import type { PostImportReport, PostSeries, ReportedLine } from '../client/index.js'
import { readText } from '../interface/text-lines.js'
import { readData } from './input.js'
import { type Cli, CliError } from './io.js'
import { type ListView, note, printList, printObject } from './output.js'
import { row, type TableCall } from './table-command.js'

async function importPosts({ cli, given, body, send }: TableCall): Promise<void> {
  const { file = '-' } = given
  const read = readText(await readData(cli, file === '-' ? file : `@${file}`))
  if ('reason' in read) throw new CliError(1, `Line ${read.line} cannot be read: ${read.reason}.`)
  body.csv = read.text
  const report: PostImportReport = await send()
  if (read.encoding !== 'UTF-8') note(cli, `The file was read as ${read.encoding}.`)
  printReport(cli, report, body.dryRun === true)
}

const LINES: ListView<ReportedLine> = {
  columns: ['line', 'scheduledFor', 'channelId', 'problem', 'scheduledPostId'],
  noun: 'lines',
  toRow: ({ problems, ...line }) => ({ ...line, problem: problems.map(({ message }) => message).join(' ') }),
}

function printReport(cli: Cli, { created, lines, note: why }: PostImportReport, dryRun: boolean): void {
  printList(cli, lines, LINES)
  if (why !== undefined) throw new CliError(1, why)
  for (const { line, timeReadAs } of lines) if (timeReadAs !== undefined) note(cli, `Line ${line}: ${timeReadAs}`)
  const wrong = lines.filter(({ problems }) => problems.length > 0).length
  if (wrong > 0)
    throw new CliError(1, `Nothing was imported: correct the lines with a problem (${wrong}), or remove them.`)
  note(cli, dryRun ? 'Every line can be imported: run the command without --dry-run.' : `Drafts created: ${created}.`)
}

/** Prints one post per line on a terminal. */
function printSeries(cli: Cli, series: PostSeries): void {
  const view = { columns: ['id', 'status', 'scheduledFor', 'isFirst'], noun: 'posts' }
  if (cli.format() === 'table') printList(cli, series.posts, view)
  else printObject(cli, series)
}

async function showSeries({ cli, given, send }: TableCall): Promise<void> {
  const { series } = await send()
  if (series === null) throw new CliError(1, `The post ${given.post} does not belong to a series.`)
  printSeries(cli, series)
}

/** The commands that create many drafts at once, from the lines of a file or from one repeating post. */
export const POST_PLANS = [
  row('import <file>', 'importScheduledPosts', {
    description: 'create drafts from a CSV file with the columns time, channel, text, media and notes',
    sample: 'plan.csv --dry-run',
    fields: 'dryRun dateOrder',
    run: importPosts,
  }),
  row('repeat', 'createPostSeries', {
    sample: '--frequency weekly --weekday 1 --time 17:00 --from 2026-12-07 --count 8',
    show: printSeries,
  }),
  row('series', 'getSeriesOfPost', { run: showSeries }),
  row('stop', 'stopPostSeries', { warning: 'This deletes the future posts of {series} that are not decided yet.' }),
]
