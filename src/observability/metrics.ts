import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type Database, DatabaseUnavailableError, type Log } from '../database/database.js'
import type { PublishDelays } from '../interface/status.js'
import type { Clock } from '../lib/clock.js'
import type { PublisherView } from './health.js'

/** Counters of this process since its start. The state of the publisher is read at each scrape. */
export interface Metrics {
  /** Process, requests and publications in the text format of Prometheus. */
  text(): Promise<string>
  contentType: string
  /** `status` is the one answered, or `aborted`. Both labels come from our own code, so that their number is bounded. */
  countRequest(operation: string, status: string, durationMs: number): void
  /** A post was published, so long after its scheduled time. */
  countPublished(delayMs: number): void
  publishDelays(): Promise<PublishDelays>
}

const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const DELAY_BUCKETS = [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400]

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'greenroom_request_duration_seconds',
    help: 'Requests by operation and status, and how long they took.',
    labelNames: ['operation', 'status'],
    buckets: REQUEST_BUCKETS,
    registers,
  })
  const delays = new Histogram({
    name: 'greenroom_publish_delay_seconds',
    help: 'From the time a post was due until it was published everywhere.',
    buckets: DELAY_BUCKETS,
    registers,
  })
  return {
    text: () => registry.metrics(),
    contentType: registry.contentType,
    countRequest: (operation, status, durationMs) => requests.observe({ operation, status }, durationMs / 1000),
    countPublished: (delayMs) => delays.observe(delayMs / 1000),
    async publishDelays() {
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

/** Size of the cached VIP lists. */
export interface AudienceMemory {
  channels: number
  bytes: number
}

/** What is read at each scrape. */
export interface Scraped {
  metrics: Metrics
  /** If it runs in this process. */
  publisher: PublisherView | undefined
  audienceMemory(): AudienceMemory
}

/** The text of a scrape. While the database is away, the metrics that need it are left out and the rest is served. */
export async function scrape(
  { clock, log, database }: { clock: Clock; log: Log; database: Pick<Database, 'diskBytes'> },
  { metrics, publisher, audienceMemory }: Scraped,
): Promise<string> {
  const ofPublisher = await publisherText(publisher, clock.now()).catch((error) => {
    if (!(error instanceof DatabaseUnavailableError)) log.warn({ err: error }, 'the publisher cannot be measured')
    return ''
  })
  return (
    (await metrics.text()) + (await audienceText(audienceMemory())) + (await diskText(database.diskBytes)) + ofPublisher
  )
}

/** With a registry of its own, as below. */
async function audienceText({ bytes, channels }: AudienceMemory): Promise<string> {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({
    name: 'greenroom_audience_memory_bytes',
    help: 'Memory that the VIP lists take, more or less; AUDIENCE_MEMORY_MB bounds it.',
    registers,
  }).set(bytes)
  new Gauge({
    name: 'greenroom_audience_channels',
    help: 'Channels whose VIP lists are in memory.',
    registers,
  }).set(channels)
  return `\n${await registry.metrics()}`
}

/** Of the embedded database alone. */
async function diskText(diskBytes: (() => number) | undefined): Promise<string> {
  if (diskBytes === undefined) return ''
  const registry = new Registry()
  new Gauge({
    name: 'greenroom_database_disk_bytes',
    help: 'What the directory of the embedded database takes; DATA_MAX_MB bounds it.',
    registers: [registry],
  }).set(diskBytes())
  return `\n${await registry.metrics()}`
}

/** With a registry of its own for each scrape, so that no stale value is left in it. */
async function publisherText(publisher: PublisherView | undefined, now: number): Promise<string> {
  if (publisher === undefined) return ''
  const registry = new Registry()
  const registers = [registry]
  const oldestDueAt = await publisher.oldestDueAt()
  const postsByStatus = await publisher.postsByStatus()
  const lastTickAt = publisher.lastTickAt()
  if (lastTickAt !== undefined) {
    new Gauge({
      name: 'greenroom_publisher_last_tick_timestamp_seconds',
      help: 'When the publisher last looked for posts that are due.',
      registers,
    }).set(lastTickAt.getTime() / 1000)
  }
  new Gauge({
    name: 'greenroom_publisher_oldest_due_age_seconds',
    help: 'How long the post that waits longest for its publication has been due; 0 when none is.',
    registers,
  }).set(oldestDueAt === undefined ? 0 : (now - oldestDueAt.getTime()) / 1000)
  const posts = new Gauge({
    name: 'greenroom_scheduled_posts',
    help: 'Scheduled posts by status.',
    labelNames: ['status'],
    registers,
  })
  for (const [status, number] of Object.entries(postsByStatus)) posts.set({ status }, number)
  return `\n${await registry.metrics()}`
}
