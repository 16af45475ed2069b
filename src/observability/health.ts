import { type Database, DatabaseUnavailableError, type WriteRefusal } from '../database/database.js'
import { MigrationError, pendingMigrations } from '../database/migrate.js'
import { ApiError, DATABASE_RETRY_SECONDS, ERRORS } from '../errors.js'
import type {
  AutomationStatus,
  InboxStatus,
  LatePosts,
  MaximumAges,
  PublishDelays,
  PublisherStatus,
  ServerStatus,
} from '../interface/status.js'
import type { Clock } from '../lib/clock.js'
import { shared } from '../lib/shared.js'
import { type AbortableWait, answerWithin, waitUntilAborted } from './answer-within.js'

/** The state of the publisher, if it runs in this process. */
export interface PublisherView {
  /** When it last looked for due posts; undefined before the first time. */
  lastTickAt(): Date | undefined
  /** Returns the scheduled time of the post that has waited longest to be published; undefined if none is waiting. */
  oldestDueAt(): Promise<Date | undefined>
  /** Returns how many posts of all organizations have each status. */
  postsByStatus(): Promise<Record<string, number>>
}

const TICK_AGE_MAX_MS = 60_000
/** How long a probe waits for the database. */
const DATABASE_WAIT_MS = 1_000

/** The health of this process. */
export type Health = ReturnType<typeof createHealth>

/** Parts of the status that other rooms read; undefined if there is nothing to report. */
export interface StatusParts {
  latePosts?: () => Promise<LatePosts>
  maximumAges?: () => Promise<MaximumAges | undefined>
  inbox?: () => Promise<InboxStatus | undefined>
  automation?: () => Promise<AutomationStatus | undefined>
  /** Returns false while the disk of the embedded database has no space for changes. */
  hasRoom?: () => Promise<boolean>
  /** Waits for a database that does not answer. */
  wait?: AbortableWait | undefined
}

const REFUSALS: Record<WriteRefusal, string> = {
  full: 'The disk of the database is full: free some space on it.',
  quota: 'The embedded database has reached DATA_MAX_MB: delete data that you do not need, or raise the setting.',
  'read-only':
    'The database is read-only: it is a standby, it was moved, or its disk or role is read-only. Set DATABASE_URL to a writable database, or make this one writable.',
  failing: 'The database cannot write to its disk: check its log, and the owner of its directory.',
}

export function createHealth(
  { clock, database }: { clock: Clock; database: Database },
  publisher: PublisherView | undefined,
  publishDelays: () => Promise<PublishDelays>,
  isStopping: () => boolean,
  parts: StatusParts = {},
) {
  const { wait = waitUntilAborted } = parts
  const startedAt = clock.now()
  /** When the database was last found unavailable. */
  let awayAt = 0

  // One probe at a time, however many callers ask: unanswered probes would use up the connections.
  const probe = shared(
    async () => {
      await checkDatabase(database)
      return publisher === undefined ? {} : { publisher: await readTicks(publisher) }
    },
    clock.now.bind(clock),
    0,
  )

  function isStalled(): boolean {
    if (publisher === undefined) return false
    // While the database was unavailable there was nothing to look at.
    const lookedAt = Math.max(publisher.lastTickAt()?.getTime() ?? startedAt, awayAt)
    return clock.now() - lookedAt > TICK_AGE_MAX_MS
  }

  const readPublisher = async (view: PublisherView): Promise<PublisherStatus> => ({
    ...(await readTicks(view)),
    postsByStatus: await view.postsByStatus(),
    published: await publishDelays(),
  })
  /** Returns why changes are refused; undefined if nothing shows that they are. */
  const findRefusal = async () => messageOf(await probeRefusal(database, parts.hasRoom, wait))

  return {
    /**
     * Throws stopping, database_unavailable, writes_refused or publisher_stalled while this process cannot serve. An
     * unavailable PostgreSQL is not this process's fault, and is only named in the response, unless the caller needs the
     * database.
     */
    async readiness(needsDatabase: boolean): Promise<Record<string, unknown>> {
      if (isStopping()) throw new ApiError('stopping')
      let found: Record<string, unknown>
      try {
        found = await answerWithin(DATABASE_WAIT_MS, probe, wait)
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError)) throw error
        awayAt = clock.now()
        // The embedded database is part of this process.
        if (needsDatabase || database.engine === 'pglite') throw error
        return { status: 'database-away', database: database.engine }
      }
      const message = await findRefusal()
      if (message !== undefined) {
        throw new ApiError('writes_refused', { message, retryAfterSeconds: DATABASE_RETRY_SECONDS })
      }
      if (isStalled()) throw new ApiError('publisher_stalled')
      return { status: 'ready', database: database.engine, ...found }
    },
    /** The same with figures, for people. Throws database_unavailable. */
    async status(): Promise<ServerStatus> {
      await checkDatabase(database)
      const ofParts = await readParts(parts)
      const refusal = await findRefusal()
      const problem = isStopping()
        ? ERRORS.stopping[1]
        : (refusal ?? (isStalled() ? ERRORS.publisher_stalled[1] : undefined))
      return {
        ready: problem === undefined,
        ...(problem === undefined ? {} : { problem }),
        database: database.engine,
        ...(publisher && { publisher: await readPublisher(publisher) }),
        ...ofParts,
      }
    },
  }
}

const messageOf = (refusal: WriteRefusal | undefined): string | undefined =>
  refusal && `Changes are refused. ${REFUSALS[refusal]}`

/** Returns why changes are refused, after checking whether they still are. */
async function probeRefusal(
  { engine, writeWatch }: Database,
  hasRoom: StatusParts['hasRoom'],
  wait: AbortableWait,
): Promise<WriteRefusal | undefined> {
  // A write to a full disk may end the embedded engine, which then reopens for readers.
  if (engine === 'pglite' && hasRoom !== undefined && !(await hasRoom())) return 'full'
  if (writeWatch?.refusal() === undefined) return undefined
  // A slow probe shows nothing.
  await answerWithin(DATABASE_WAIT_MS, () => writeWatch.probe(), wait).catch(() => {})
  return writeWatch.refusal()
}

async function readParts(parts: StatusParts): Promise<Partial<ServerStatus>> {
  const latePosts = await parts.latePosts?.()
  const maximumAges = await parts.maximumAges?.()
  const inbox = await parts.inbox?.()
  const automation = await parts.automation?.()
  return {
    ...(latePosts && latePosts.count > 0 && { latePosts }),
    ...(maximumAges && { maximumAges }),
    ...(inbox && { inbox }),
    ...(automation && { automation }),
  }
}

async function checkDatabase(database: Database): Promise<void> {
  const pending = await pendingMigrations(database).catch((error) => {
    // Another version of the program changed the schema while this one was running.
    if (!(error instanceof MigrationError)) throw error
    throw new ApiError('database_unavailable', { message: error.message, cause: error })
  })
  if (pending.length === 0) return
  throw new ApiError('database_unavailable', {
    message: `The database lacks the migrations ${pending.join(', ')}: start the current version on it once.`,
  })
}

async function readTicks(publisher: PublisherView): Promise<Pick<PublisherStatus, 'lastTickAt' | 'oldestDueAt'>> {
  const oldestDueAt = await publisher.oldestDueAt()
  return { lastTickAt: publisher.lastTickAt()?.toISOString(), oldestDueAt: oldestDueAt?.toISOString() }
}
