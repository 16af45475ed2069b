import type { Command } from 'commander'
import type { Answer } from '../client/answer.js'
import type { ServerStatus } from '../interface/status.js'
import { send } from './http.js'
import { type Cli, CliError, example } from './io.js'
import { printLine, printList, printObject, printTable } from './output.js'
import { toCount } from './progress.js'
import { notGreenroom, refused } from './refusal.js'
import { readTarget, type Target } from './settings.js'

/** Without its database a server says only that. */
type Status = ServerStatus | { ready: false; problem: string }

export function addStatus(program: Command, cli: Cli): void {
  program
    .command('status')
    .description('show whether the server is ready, its publisher, posts by status, and how late posts were published')
    .addHelpText('after', example('GREENROOM_URL=http://127.0.0.1:8080 greenroom status'))
    .option('--tables', 'show what each table takes, and what retention has removed')
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

/** Prints what each table takes: in bytes as CSV, in megabytes for a person. */
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
  const { database, publisher, latePosts, inbox, automation, greatestAges = {}, retention = {} } = status
  const ages = {
    ...toLateLine(latePosts),
    ...toInboxLine(inbox),
    ...toAutomationLine(automation),
    ...toAgeLines(greatestAges),
    ...toRetentionLines(retention),
  }
  if (publisher === undefined) return { ready, database, publisher: 'runs in another process', ...ages }
  const { lastTickAt, oldestDueAt, postsByStatus, published } = publisher
  const { count, p50Seconds, p95Seconds } = published
  const delays = `; half were late by ${toDelay(p50Seconds)}, 95 of 100 by ${toDelay(p95Seconds)}`
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

function toLateLine(late: ServerStatus['latePosts']): Record<string, string> {
  if (late === undefined) return {}
  const reasons = Object.entries(late.reasons).map(([reason, posts]) => `${reason} ${posts}`)
  return { 'late posts': [String(late.count), ...reasons].join(', ') }
}

const toInboxLine = (inbox: ServerStatus['inbox']): Record<string, string> =>
  inbox === undefined
    ? {}
    : {
        deliveries: `${inbox.waiting} waiting${inbox.oldestAt === undefined ? '' : ` since ${inbox.oldestAt}`}, ${inbox.problems} problems`,
        ...(inbox.unknownKeys && {
          'unknown write keys': `${inbox.unknownKeys.refused} refused since the start, the last at ${inbox.unknownKeys.lastAt}`,
        }),
      }

const toAutomationLine = (automation: ServerStatus['automation']): Record<string, string> =>
  automation === undefined
    ? {}
    : {
        superpowers: [
          `on ${automation.channels} channels${automation.stopped > 0 ? `, ${automation.stopped} stopped by the platform` : ''}`,
          `${automation.posts} posts are read`,
          `${automation.waiting} comments waiting${automation.oldestAt === undefined ? '' : ` since ${automation.oldestAt}`}`,
          `${automation.unknown} answers lost in the last day`,
          `newest comment ${automation.newestCommentAt ?? 'none yet'}`,
        ].join('; '),
      }

/** Keys and tokens that end by KEY_MAX_AGE_DAYS and OPERATOR_TOKEN_MAX_AGE_DAYS. */
function toAgeLines({ keys, operatorTokens }: NonNullable<ServerStatus['greatestAges']>): Record<string, string> {
  const toLine = ({ ending, ended }: { ending: number; ended: number }): string =>
    `${ending} end within 14 days, ${ended} have ended`
  return {
    ...(keys === undefined ? {} : { 'keys by age': toLine(keys) }),
    ...(operatorTokens === undefined ? {} : { 'operator tokens by age': toLine(operatorTokens) }),
  }
}

const KEPT = { audit: 'audit trail', posts: 'post content', keys: 'revoked keys', media: 'unused media' } as const

function toRetentionLines(retention: NonNullable<ServerStatus['retention']>): Record<string, string> {
  const lines = Object.entries(retention).map(([name, { keepDays, lastDoneAt, removed, exportedBefore }]) => {
    const parts = [
      `kept for ${keepDays} days`,
      `${toCount(removed)} removed`,
      lastDoneAt === undefined ? 'not done yet' : `last done ${lastDoneAt}`,
      ...(exportedBefore === undefined ? [] : [`exported up to ${exportedBefore}`]),
    ]
    return [KEPT[name as keyof typeof KEPT], parts.join('; ')]
  })
  return Object.fromEntries(lines)
}

const toDelay = (seconds: number | undefined): string =>
  seconds === undefined ? 'more than a day' : `at most ${seconds} s`
