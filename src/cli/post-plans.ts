import { Option } from 'commander'
import type { PostImportReport, PostSeries, RecurrenceRule, ReportedLine, ScheduledPost } from '../client/index.js'
import { DATE_ORDERS, type DateOrder } from '../interface/post-import.js'
import { readText } from '../interface/text-lines.js'
import { operator } from './client.js'
import type { groupOf } from './command-group.js'
import { definedOnly, readData, toWholeNumber } from './input.js'
import { type Cli, CliError } from './io.js'
import { type ListView, note, printList, printObject } from './output.js'

const OPERATOR_POST = 'org_5V3kPq post_9Xw2Kd'

/** The commands that make many drafts at once: of the lines of a file, or of one post that repeats. */
export function addPostPlans(cli: Cli, { add, remove }: ReturnType<typeof groupOf<ScheduledPost>>): void {
  add(
    'import <organization> <file>',
    'as the operator: make drafts of the lines of a CSV with the columns time, channel, text, media and notes',
    'org_5V3kPq plan.csv --dry-run',
    async (organization: string, file: string, { dryRun = false, dateOrder }: ImportOptions) => {
      const read = readText(await readData(cli, file === '-' ? file : `@${file}`))
      if ('reason' in read) throw new CliError(1, `Line ${read.line} cannot be read: ${read.reason}.`)
      const body = { csv: read.text, dryRun, ...definedOnly({ dateOrder }) }
      const report = await operator(cli).scheduledPosts.import(organization, body)
      if (read.encoding !== 'UTF-8') note(cli, `The file was read as ${read.encoding}.`)
      printReport(cli, report, dryRun)
    },
  )
    .option('--dry-run', 'say what is wrong with the lines, and make nothing')
    .addOption(
      new Option('--date-order <order>', 'the order of dates such as 05/01/2027: day or month first').choices(
        DATE_ORDERS,
      ),
    )

  add(
    'repeat <organization> <post>',
    'as the operator: let a post repeat, as drafts of their own',
    `${OPERATOR_POST} --every week --weekday 1 --time 17:00 --from 2026-12-07 --count 8`,
    async (organization: string, post: string, options: RepeatOptions) =>
      printSeries(cli, await operator(cli).scheduledPosts.repeat(organization, post, toRule(options))),
  )
    .addOption(new Option('--every <period>', 'how often').choices(['day', 'week', 'month']).makeOptionMandatory())
    .option('--weekday <numbers>', 'every week on these days: 1 for Monday to 7 for Sunday, with commas between them')
    .option('--day <number>', 'every month on this day; a shorter month has its last day instead', toWholeNumber)
    .requiredOption('--time <time>', 'HH:MM on the wall clock of the organization')
    .requiredOption('--from <date>', 'the first day that counts')
    .option('--until <date>', 'the last day that counts')
    .option('--count <number>', 'so many posts, 100 at most', toWholeNumber)

  add(
    'series <organization> <post>',
    'as the operator: show the series of a post',
    OPERATOR_POST,
    async (organization: string, post: string) => {
      const { series } = await operator(cli).scheduledPosts.series(organization, post)
      if (series === null) throw new CliError(1, `The post ${post} belongs to no series.`)
      printSeries(cli, series)
    },
  )

  remove(
    'stop <organization> <series>',
    'as the operator: stop a series, and delete its posts that lie ahead and are not decided yet',
    'org_5V3kPq series_7Hq2Lm --yes',
    (_: string, series: string) => [`The posts of ${series} that lie ahead and are not decided yet go.`],
    (organization, series) => operator(cli).scheduledPosts.stopSeries(organization, series),
  )
}

interface ImportOptions {
  dryRun?: boolean
  dateOrder?: DateOrder
}

interface RepeatOptions {
  every: 'day' | 'week' | 'month'
  weekday?: string
  day?: number
  time: string
  from: string
  until?: string
  count?: number
}

const FREQUENCIES = { day: 'DAILY', week: 'WEEKLY', month: 'MONTHLY' } as const

function toRule({ every, weekday, day, time, from, until, count }: RepeatOptions): RecurrenceRule {
  const weekdays = weekday?.split(',').map(Number)
  const optional = definedOnly({ weekdays, dayOfMonth: day, until, count })
  return { frequency: FREQUENCIES[every], time, from, ...optional } as RecurrenceRule
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
    throw new CliError(1, `Nothing was imported: correct the lines with a problem (${wrong}), or leave them out.`)
  note(cli, dryRun ? 'Every line can be imported: say it without --dry-run.' : `Drafts that were made: ${created}.`)
}

/** On a terminal each post is a line. */
function printSeries(cli: Cli, series: PostSeries): void {
  if (cli.format() === 'table') printList(cli, series.posts, POSTS)
  else printObject(cli, series)
}

const POSTS: ListView<PostSeries['posts'][number]> = {
  columns: ['id', 'status', 'scheduledFor', 'isFirst'],
  noun: 'posts',
}
