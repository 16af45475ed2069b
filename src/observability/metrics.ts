import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { endsOf, judgeGraphVersion } from '../config/graph-versions.js'
import type { Config } from '../config/index.js'
import { type Database, DatabaseUnavailableError, type Log } from '../database/database.js'
import { COMMENT_REASONS, EFFECTS } from '../interface/automation.js'
import { WAIT_REASONS } from '../interface/post-waits.js'
import type { LatePosts, PublishDelays } from '../interface/status.js'
import type { Clock } from '../lib/clock.js'
import { shared } from '../lib/shared.js'
import { programVersion } from '../lib/version.js'
import { type AbortableWait, answerWithin, waitUntilAborted } from './answer-within.js'
import type { Disk } from './disks.js'
import type { PublisherView } from './health.js'

/** Counters of this process since its start. The publisher's state is read at each scrape. */
export type Metrics = ReturnType<typeof createMetrics>

const ENDED_STATES = ['done', 'refused', 'unknown', 'skipped']
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const DELAY_BUCKETS = [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400]

export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  // These gauges end in `_total`, which Prometheus reserves for counters. nodejs_active_resources counts the same.
  for (const misnamed of ['resources', 'handles', 'requests']) {
    registry.removeSingleMetric(`nodejs_active_${misnamed}_total`)
  }
  const requests = new Histogram({
    name: 'greenroom_request_duration_seconds',
    help: 'Requests by operation and status, and how long they took.',
    labelNames: ['operation', 'status'],
    buckets: REQUEST_BUCKETS,
    registers,
  })
  const delays = new Histogram({
    name: 'greenroom_publish_delay_seconds',
    help: 'Seconds from when a post was due until it was published everywhere.',
    buckets: DELAY_BUCKETS,
    registers,
  })
  /**
   * Creates a counter with labels. Known labels start at 0, because the first increase of a missing series is not visible.
   */
  const counterOf = (name: string, help: string, known: readonly Record<string, string>[]): Counter => {
    const counter = new Counter({ name, help, labelNames: Object.keys(known[0]!), registers })
    for (const labels of known) counter.inc(labels, 0)
    return counter
  }
  const countOutcomes = <Outcome extends string>(name: string, help: string, known: Outcome[]) => {
    const counter = counterOf(
      name,
      help,
      known.map((outcome) => ({ outcome })),
    )
    return (outcome: Outcome, count?: number): void => counter.inc({ outcome }, count)
  }
  const comments = counterOf(
    'greenroom_automation_comments_total',
    'Comments on posts with a superpower, by the reason for the decision.',
    COMMENT_REASONS.map((reason) => ({ reason })),
  )
  const effects = counterOf(
    'greenroom_automation_effects_total',
    'Effects of superpowers, by outcome.',
    EFFECTS.flatMap((effect) => ENDED_STATES.map((state) => ({ effect, state }))),
  )
  const calls = 'Calls to the ad platform: ok, aborted, or the reason for the failure.'
  const deliveries = 'Deliveries of sources by result; problems are counted per item.'
  const lines = 'Lines of imports by result.'
  const backups = 'Backups by result.'
  return {
    /** Returns process, request and publication metrics in the text format of Prometheus. */
    text: (): Promise<string> => registry.metrics(),
    contentType: registry.contentType as string,
    /** `status` is the HTTP status, or `aborted`. Both labels come from our own code, so their number is bounded. */
    countRequest: (operation: string, status: string, durationMs: number): void =>
      requests.observe({ operation, status }, durationMs / 1000),
    /** Records that a post was published, and how long after its scheduled time. */
    countPublished: (delayMs: number): void => delays.observe(delayMs / 1000),
    /** Counts a finished call to the ad platform. */
    countPlatformCall: countOutcomes<string>('greenroom_platform_calls_total', calls, ['ok', 'credentials']),
    countImportRows: countOutcomes('greenroom_import_rows_total', lines, ['imported', 'erased', 'rejected']),
    /** Counts deliveries of sources: applied ones, refused ones with the reason, and items that became problems. */
    countDeliveries: countOutcomes<string>('greenroom_deliveries_total', deliveries, [
      ...['applied', 'problem', 'refused_key', 'refused_signature'],
    ]),
    countComment: (reason: string): void => comments.inc({ reason }),
    /** Counts finished effects of superpowers; one by default. */
    countEffect: (effect: string, state: string, count?: number): void => effects.inc({ effect, state }, count),
    countBackup: countOutcomes('greenroom_backups_total', backups, ['made', 'failed']),
    /** The machine's clock was set, or the machine slept. */
    countClockJump: countOutcomes('greenroom_clock_jumps_total', 'Jumps of the clock.', ['forward', 'back']),
    async publishDelays(): Promise<PublishDelays> {
      const { values } = await delays.get()
      const count = values.find(({ metricName }) => metricName?.endsWith('_count'))?.value ?? 0
      // The last bucket has no upper bound.
      const within = (share: number): number | undefined =>
        DELAY_BUCKETS.find((bucket) =>
          values.some(({ labels, value }) => labels.le === bucket && value >= count * share),
        )
      return count === 0 ? { count } : { count, p50Seconds: within(0.5), p95Seconds: within(0.95) }
    },
  }
}

/** Figures of the database, which all processes share. */
export interface Stored {
  liveSessions: number
  /** Since the database was created. */
  auditEntries: number
  /** When the service last made an automatic backup; 0 if it should have and has not, undefined if it need not. */
  lastBackupAtMs: number | undefined
  /** The number of media files that this backup lacks; 0 if there is no backup yet, undefined if the service makes none. */
  lastBackupMissingMedia: number | undefined
  inbox: {
    waiting: number
    /** The sources with the most waiting deliveries; the rest of `waiting` belongs to others. */
    waitingOf: readonly { source: string; waiting: number }[]
    oldestAt: Date | undefined
    problems: number
  }
  latePosts: LatePosts
  /** The work of superpowers, and its obstacles. */
  automation: {
    stopped: number
    waiting: number
    oldest_at: Date | null
    unknown: number
    newest_comment_at: Date | null
  }
}

/** The sources read at each scrape. */
export interface Scraped {
  /** If it runs in this process. */
  publisher: PublisherView | undefined
  /** The size of the cached VIP lists. */
  audienceMemory(): { channels: number; bytes: number }
  readStored(): Promise<Stored>
  readDisks?(): Promise<Disk[]>
  /** Waits for a database that does not answer. */
  wait?: AbortableWait | undefined
}

interface ScrapeContext {
  clock: Clock
  log: Log
  config: Pick<Config, 'database' | 'graph'>
  backups: { isPlaceUsable?: boolean }
  database: Pick<Database, 'engine' | 'pools' | 'diskBytes'>
  metrics: Metrics
}

/** Less than Prometheus waits for a scrape. */
const DATABASE_WAIT_MS = 2_000

/** Makes the text of a scrape. Metrics that need the database are omitted while it is unavailable or does not answer. */
export function createScrape(
  context: ScrapeContext,
  { publisher, audienceMemory, readStored, readDisks = async () => [], wait = waitUntilAborted }: Scraped,
): () => Promise<string> {
  const { clock, log, metrics } = context
  // One reading at a time, so that unanswered ones do not use up the connections.
  const read = shared(
    async () => (await publisherText(publisher, clock.now())) + (await storedText(await readStored(), clock.now())),
    () => clock.now(),
    0,
  )

  return async () => {
    const ofDatabase = await answerWithin(DATABASE_WAIT_MS, read, wait).catch((error) => {
      if (!(error instanceof DatabaseUnavailableError))
        log.warn({ err: error }, 'reading metrics from the database failed')
      return ''
    })
    const ofProcess = await processText(context, audienceMemory(), publisher?.lastTickAt())
    return (await metrics.text()) + ofProcess + (await disksText(await readDisks())) + ofDatabase
  }
}

/** The help text of each metric. */
const HELP = {
  greenroom_build_info: 'The running version; always 1.',
  greenroom_platform_version_info: "The version of Meta's API in use, and whether its end is known; always 1.",
  greenroom_platform_version_end_timestamp_seconds: 'When Meta ends that version of each API, if an end was announced.',
  greenroom_audience_memory_bytes: 'Approximate memory of the VIP lists, limited by AUDIENCE_MEMORY_MB.',
  greenroom_audience_channels: 'Channels whose VIP lists are in memory.',
  greenroom_database_connections_max: 'Maximum number of connections to the database.',
  greenroom_database_connections_used: 'Connections to the database in use.',
  greenroom_database_connection_waiters: 'Tasks that wait for a connection to the database.',
  greenroom_database_disk_bytes: 'Size of the directory of the embedded database, limited by DATA_MAX_MB.',
  greenroom_publisher_last_tick_timestamp_seconds: 'When the publisher last looked for due posts.',
  greenroom_database_disk_max_bytes: 'DATA_MAX_MB, in bytes.',
  greenroom_backup_place_usable: 'Whether the last attempt to write to BACKUP_DIR succeeded: 1 or 0.',
  greenroom_disk_free_bytes: 'Free space on the disk of a directory.',
  greenroom_disk_size_bytes: 'Size of the disk of a directory.',
  greenroom_sessions: 'Current sessions of people.',
  greenroom_last_backup_timestamp_seconds:
    'When the last scheduled backup was made; 0 if one is scheduled and none was made.',
  greenroom_last_backup_missing_media: 'Uploaded files that are missing in the last scheduled backup.',
  greenroom_inbox_deliveries_waiting:
    'Deliveries that are stored but not applied yet, by the sources with the most, and all others as one.',
  greenroom_inbox_oldest_age_seconds: 'Age of the oldest waiting delivery; 0 if none is waiting.',
  greenroom_source_problems: 'Problems of sources that were not retried or dismissed.',
  greenroom_automation_comments_waiting: 'Comments on posts that are not decided yet.',
  greenroom_automation_oldest_age_seconds: 'Age of the oldest waiting comment; 0 if none is waiting.',
  greenroom_automation_channels_stopped: 'Channels on which the platform stopped superpowers.',
  greenroom_automation_effects_unknown: 'Effects within the last day for which the response was lost.',
  greenroom_automation_newest_comment_timestamp_seconds: 'When the newest known comment was written.',
  greenroom_publisher_oldest_due_age_seconds: 'How long the oldest unpublished post has been due; 0 if none is due.',
  greenroom_scheduled_posts: 'Scheduled posts by status.',
  greenroom_posts_late: 'Posts that are more than two minutes late, by the reason.',
}

// Each text has its own registry, so that no stale value remains.

async function processText(
  { clock, config, database: { engine, pools, diskBytes }, backups: { isPlaceUsable } }: ScrapeContext,
  { bytes, channels }: ReturnType<Scraped['audienceMemory']>,
  lastTickAt: Date | undefined,
): Promise<string> {
  const gauges = new Gauges()
  gauges.set('greenroom_build_info', 1, { version: programVersion(), node: process.versions.node, engine })
  const { version, found } = judgeGraphVersion(config.graph.version, clock.now())
  gauges.set('greenroom_platform_version_info', 1, { version, found })
  for (const { api, endsOn } of endsOf(version)) {
    gauges.set('greenroom_platform_version_end_timestamp_seconds', Date.parse(endsOn) / 1000, { api })
  }
  gauges.set('greenroom_audience_memory_bytes', bytes)
  gauges.set('greenroom_audience_channels', channels)
  for (const { pool, max, used, waiting } of pools?.() ?? []) {
    gauges.set('greenroom_database_connections_max', max, { pool })
    gauges.set('greenroom_database_connections_used', used, { pool })
    gauges.set('greenroom_database_connection_waiters', waiting, { pool })
  }
  gauges.set('greenroom_database_disk_bytes', diskBytes?.())
  gauges.set('greenroom_publisher_last_tick_timestamp_seconds', lastTickAt && lastTickAt.getTime() / 1000)
  gauges.set('greenroom_database_disk_max_bytes', config.database.dataMaxBytes)
  gauges.set('greenroom_backup_place_usable', isPlaceUsable === undefined ? undefined : Number(isPlaceUsable))
  return gauges.text()
}

async function disksText(disks: readonly Disk[]): Promise<string> {
  const gauges = new Gauges()
  for (const { directory, freeBytes, sizeBytes } of disks) {
    gauges.set('greenroom_disk_free_bytes', freeBytes, { directory })
    gauges.set('greenroom_disk_size_bytes', sizeBytes, { directory })
  }
  return gauges.text()
}

async function storedText(stored: Stored, now: number): Promise<string> {
  const { liveSessions, auditEntries, lastBackupAtMs, lastBackupMissingMedia } = stored
  const gauges = new Gauges()
  gauges.set('greenroom_sessions', liveSessions)
  gauges.count(
    'greenroom_audit_entries_total',
    'Entries of the audit trail since the database was created.',
    auditEntries,
  )
  gauges.set('greenroom_last_backup_timestamp_seconds', lastBackupAtMs && lastBackupAtMs / 1000)
  gauges.set('greenroom_last_backup_missing_media', lastBackupMissingMedia)
  const { inbox } = stored
  let ofOthers = inbox.waiting
  for (const { source, waiting } of inbox.waitingOf) {
    gauges.set('greenroom_inbox_deliveries_waiting', waiting, { source })
    ofOthers -= waiting
  }
  // Always present, so that the sum is 0 rather than missing while nothing waits.
  gauges.set('greenroom_inbox_deliveries_waiting', ofOthers, { source: 'others' })
  gauges.set(
    'greenroom_inbox_oldest_age_seconds',
    inbox.oldestAt === undefined ? 0 : (now - inbox.oldestAt.getTime()) / 1000,
  )
  gauges.set('greenroom_source_problems', inbox.problems)
  for (const reason of WAIT_REASONS) {
    gauges.set('greenroom_posts_late', stored.latePosts.reasons[reason] ?? 0, { reason })
  }
  const { oldest_at: oldestAt, newest_comment_at: newestAt, ...automation } = stored.automation
  gauges.set('greenroom_automation_comments_waiting', automation.waiting)
  gauges.set('greenroom_automation_oldest_age_seconds', oldestAt === null ? 0 : (now - oldestAt.getTime()) / 1000)
  gauges.set('greenroom_automation_channels_stopped', automation.stopped)
  gauges.set('greenroom_automation_effects_unknown', automation.unknown)
  gauges.set('greenroom_automation_newest_comment_timestamp_seconds', (newestAt?.getTime() ?? 0) / 1000)
  return gauges.text()
}

async function publisherText(publisher: PublisherView | undefined, now: number): Promise<string> {
  if (publisher === undefined) return ''
  const gauges = new Gauges()
  const oldestDueAt = await publisher.oldestDueAt()
  const postsByStatus = await publisher.postsByStatus()
  const oldestDueAgeMs = oldestDueAt === undefined ? 0 : now - oldestDueAt.getTime()
  gauges.set('greenroom_publisher_oldest_due_age_seconds', oldestDueAgeMs / 1000)
  for (const [status, number] of Object.entries(postsByStatus)) {
    gauges.set('greenroom_scheduled_posts', number, { status })
  }
  return gauges.text()
}

/** The values of one moment. */
class Gauges {
  readonly #registry = new Registry()
  readonly #gauges = new Map<string, Gauge>()

  /** Omits an undefined value. */
  set(name: keyof typeof HELP, value: number | undefined, labels: Record<string, string> = {}): void {
    if (value === undefined) return
    let gauge = this.#gauges.get(name)
    if (gauge === undefined) {
      gauge = new Gauge({ name, help: HELP[name], labelNames: Object.keys(labels), registers: [this.#registry] })
      this.#gauges.set(name, gauge)
    }
    gauge.set(labels, value)
  }

  count(name: string, help: string, value: number): void {
    new Counter({ name, help, registers: [this.#registry] }).inc(value)
  }

  async text(): Promise<string> {
    return `\n${await this.#registry.metrics()}`
  }
}
