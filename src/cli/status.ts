import type { Command } from 'commander'
import { send } from './http.js'
import { type Cli, CliError, example } from './io.js'
import { printObject } from './output.js'
import { readTarget } from './settings.js'

/** How a server is: `greenroom status --json`. */
interface Status {
  ready: boolean
  database?: string
  /** Absent where the publisher runs in another process. */
  publisher?: {
    lastTickAt?: string
    /** The time of the post that waits longest for its publication. */
    oldestDueAt?: string
    postsByStatus: Record<string, number>
    /** Since that process started, and how long after their time: half of them, 95 of 100, within so many seconds. */
    published: { count: number; p50Seconds?: number; mostWithinSeconds?: number }
  }
}

interface Readiness {
  message?: string
  database?: string
  publisher?: { lastTickAt?: string; oldestDueAt?: string }
}

export function addStatus(program: Command, cli: Cli): void {
  program
    .command('status')
    .description(
      'show how the server is: its publisher, posts by status, how long after their time they were published',
    )
    .addHelpText('after', example('GREENROOM_URL=http://127.0.0.1:8080 greenroom status'))
    .action(async () => {
      const target = readTarget(cli)
      const readiness = await send(target, '/readyz')
      const { message, database, publisher } = parseReadiness(readiness.text)
      const ready = readiness.status === 200
      const metrics = parseMetrics((await send(target, '/metrics')).text)
      // A server that is not ready says no more than why.
      const runsHere = publisher !== undefined || metrics.has('greenroom_publisher_oldest_due_age_seconds')
      const status: Status = {
        ready,
        database,
        ...(runsHere
          ? { publisher: { ...publisher, postsByStatus: postsByStatus(metrics), published: published(metrics) } }
          : {}),
      }
      printObject(cli, cli.format() === 'table' ? toLines(status) : status)
      if (!ready) throw new CliError(1, message ?? 'The server is not ready.')
    })
}

function parseReadiness(text: string): Readiness {
  try {
    return JSON.parse(text)
  } catch {
    throw new CliError(3, '/readyz answers no JSON: does GREENROOM_URL lead to a Greenroom server?')
  }
}

/** Each sample by its name and labels as they stand there. */
function parseMetrics(text: string): Map<string, number> {
  const samples = text.matchAll(/^([a-z_]+(?:\{.*\})?) (\S+)$/gm)
  return new Map([...samples].map(([, name, value]) => [name!, Number(value)]))
}

function postsByStatus(metrics: Map<string, number>): Record<string, number> {
  return Object.fromEntries(
    [...metrics].flatMap(([name, value]) => {
      const status = /^greenroom_scheduled_posts\{status="(.*)"\}$/.exec(name)?.[1]
      return status === undefined ? [] : [[status, value]]
    }),
  )
}

function published(metrics: Map<string, number>): NonNullable<Status['publisher']>['published'] {
  const count = metrics.get('greenroom_publish_delay_seconds_count') ?? 0
  const buckets = [...metrics].flatMap(([name, value]) => {
    const bound = /^greenroom_publish_delay_seconds_bucket\{le="([\d.]+)"\}$/.exec(name)?.[1]
    return bound === undefined ? [] : [{ seconds: Number(bound), count: value }]
  })
  // Past the last bucket, a day, there is no number to give.
  const within = (share: number): number | undefined =>
    count === 0 ? undefined : buckets.find((bucket) => bucket.count >= count * share)?.seconds
  return { count, p50Seconds: within(0.5), mostWithinSeconds: within(0.95) }
}

function toLines({ ready, database, publisher }: Status): Record<string, unknown> {
  if (publisher === undefined) return { ready, database, publisher: 'runs in another process' }
  const { lastTickAt, oldestDueAt, postsByStatus, published } = publisher
  const { count, p50Seconds, mostWithinSeconds } = published
  const delays = `; half were late by ${toDelay(p50Seconds)}, 95 of 100 by ${toDelay(mostWithinSeconds)}`
  return {
    ready,
    database,
    'last tick': lastTickAt,
    'oldest due': oldestDueAt ?? 'none',
    ...postsByStatus,
    published: `${count} since the start${count === 0 ? '' : delays}`,
  }
}

const toDelay = (seconds: number | undefined): string =>
  seconds === undefined ? 'more than a day' : `at most ${seconds} s`
