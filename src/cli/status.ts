import type { Command } from 'commander'
import type { Answer } from '../client/answer.js'
import type { ServerStatus } from '../interface/status.js'
import { send } from './http.js'
import { definedOnly } from './input.js'
import { type Cli, CliError, example } from './io.js'
import { printLine, printList, printObject, printTable } from './output.js'
import { toCount } from './progress.js'
import { notGreenroom, refused } from './refusal.js'
import { readTarget, type Target } from './settings.js'

/** A server without its database reports nothing else. */
type Status = ServerStatus | { ready: false; problem: string }

export function addStatus(program: Command, cli: Cli): void {
  program
    .command('status')
    .description('show if the server is ready, its publisher, posts by status, and how late posts were published')
    .addHelpText('after', example('GREENROOM_URL=http://127.0.0.1:8080 greenroom status'))
    .option('--tables', 'show the size of each table, and what retention has removed')
    .action(async ({ tables = false }: { tables?: boolean }) => {
      const target = readTarget(cli)
      const { metricsToken } = target
      const init = metricsToken === undefined ? {} : { headers: { authorization: `Bearer ${metricsToken}` } }
      const status = parseStatus(target, await send(target, `/status${tables ? '?tables=true' : ''}`, init))
      if (tables && cli.format() === 'csv') printStorage(cli, status)
      else printObject(cli, cli.format() === 'table' ? toLines(status) : status)
      if (tables && cli.format() === 'table') printStorage(cli, status)
      if (!status.ready) throw new CliError(1, status.problem ?? 'The server is not ready.')
    })
}

function parseStatus(target: Target, { status, headers, text }: Answer): Status {
  let body: ServerStatus & { message: string }
  try {
    body = JSON.parse(text)
  } catch {
    throw notGreenroom(target, status)
  }
  if (status === 200) return body
  if (status === 503) return { ready: false, problem: body.message }
  throw refused({ status, code: headers.get('x-error-code') ?? undefined, messages: [body.message] })
}

/** Prints the size of each table: in bytes in CSV, in megabytes for people. */
function printStorage(cli: Cli, status: Status): void {
  const { tables = [] } = 'database' in status ? status : {}
  if (cli.format() === 'csv') {
    printList(cli, tables, { columns: ['name', 'rows', 'isEstimate', 'bytes'], noun: 'tables' })
    return
  }
  printLine(cli, '')
  const rows = tables.map(({ name, rows, isEstimate, bytes }) => ({
    table: name,
    rows: isEstimate ? `about ${toCount(rows)}` : toCount(rows),
    MB: (bytes / 1_000_000).toFixed(1),
  }))
  printTable(cli, ['table', 'rows', 'MB'], rows, { right: ['rows', 'MB'] })
}

function toLines(status: Status): Record<string, unknown> {
  const { ready } = status
  if (!('database' in status)) return { ready }
  const { database, publisher, latePosts, inbox, automation, maximumAges, retention = {} } = status
  const ages = definedOnly({
    'late posts': latePosts && [latePosts.count, ...Object.entries(latePosts.reasons).map(toWords)].join(', '),
    deliveries: inbox && `${inbox.waiting} waiting${toSince(inbox.oldestAt)}, ${inbox.problems} problems`,
    'unknown write keys':
      inbox?.unknownKeys && `${inbox.unknownKeys.refused} refused since the start, last at ${inbox.unknownKeys.lastAt}`,
    superpowers: automation && toSuperpowersText(automation),
    'keys by age': maximumAges?.keys && toAgeText(maximumAges.keys),
    'operator tokens by age': maximumAges?.operatorTokens && toAgeText(maximumAges.operatorTokens),
    ...Object.fromEntries(Object.entries(retention).map(([name, kept]) => [KEPT[name as Kept], toRetentionText(kept)])),
  })
  if (publisher === undefined) return { ready, database, publisher: 'in another process', ...ages }
  const { lastTickAt, oldestDueAt, postsByStatus, published } = publisher
  const { count, p50Seconds, p95Seconds } = published
  const delays = `; half were late by ${toDelay(p50Seconds)}, 95 % by ${toDelay(p95Seconds)}`
  return {
    ready,
    database,
    'last tick': lastTickAt,
    'oldest due': oldestDueAt ?? 'none',
    ...postsByStatus,
    published: `${count} since the start${count === 0 ? '' : delays}`,
    ...ages,
  }
}

const toWords = ([reason, posts]: [string, number]): string => `${reason} ${posts}`
const toSince = (at: string | undefined): string => (at === undefined ? '' : ` since ${at}`)

const toSuperpowersText = (automation: NonNullable<ServerStatus['automation']>): string =>
  [
    `on ${automation.channels} channels${automation.stopped > 0 ? `, ${automation.stopped} stopped by the platform` : ''}`,
    `${automation.posts} posts watched`,
    `${automation.waiting} comments waiting${toSince(automation.oldestAt)}`,
    `${automation.unknown} answers lost in the last day`,
    `newest comment ${automation.newestCommentAt ?? 'none yet'}`,
  ].join('; ')

/** Counts keys and tokens that expire because of KEY_MAX_AGE_DAYS and OPERATOR_TOKEN_MAX_AGE_DAYS. */
const toAgeText = ({ ending, ended }: { ending: number; ended: number }): string =>
  `${ending} expire within 14 days, ${ended} have expired`

type Retention = NonNullable<ServerStatus['retention']>
type Kept = keyof Retention
const KEPT = {
  ...{ audit: 'audit trail', posts: 'post content', keys: 'revoked keys', media: 'unused media' },
} as const satisfies Record<Kept, string>

function toRetentionText({ keepDays, lastDoneAt, removed, exportedBefore }: NonNullable<Retention[Kept]>): string {
  const done = lastDoneAt === undefined ? 'not done yet' : `last done ${lastDoneAt}`
  const exported = exportedBefore === undefined ? [] : [`exported up to ${exportedBefore}`]
  return [`kept for ${keepDays} days`, `${toCount(removed)} removed`, done, ...exported].join('; ')
}

const toDelay = (seconds: number | undefined): string =>
  seconds === undefined ? 'more than a day' : `at most ${seconds} s`
