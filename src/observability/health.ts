import type { Database } from '../database/database.js'
import { MigrationError, pendingMigrations } from '../database/migrate.js'
import { ApiError, ERRORS } from '../errors.js'
import type { PublishDelays, PublisherStatus, ServerStatus } from '../interface/status.js'
import type { Clock } from '../lib/clock.js'

/** The state of the publisher, if it runs in this process. */
export interface PublisherView {
  /** When it last looked for posts that are due; undefined before the first time. */
  lastTickAt(): Date | undefined
  /** The time of the post that waits longest for its publication; undefined when none does. */
  oldestDueAt(): Promise<Date | undefined>
  /** How many posts of all organizations are in each status. */
  postsByStatus(): Promise<Record<string, number>>
}

const TICK_AGE_MAX_MS = 60_000

/** Health of this process. */
export interface Health {
  /** Throws stopping, database_unavailable or publisher_stalled while it is not ready. */
  readiness(): Promise<Record<string, unknown>>
  /** The same with figures, for people. Throws database_unavailable. */
  status(): Promise<ServerStatus>
}

export function createHealth(
  { clock, database }: { clock: Clock; database: Database },
  publisher: PublisherView | undefined,
  publishDelays: () => Promise<PublishDelays>,
  isStopping: () => boolean,
): Health {
  const startedAt = new Date(clock.now())
  return {
    async readiness() {
      if (isStopping()) throw new ApiError('stopping')
      await checkDatabase()
      if (isStalled()) throw new ApiError('publisher_stalled')
      return {
        status: 'ready',
        database: database.engine,
        ...(publisher === undefined ? {} : { publisher: await readTicks(publisher) }),
      }
    },
    async status() {
      await checkDatabase()
      const problem = isStopping() ? 'stopping' : isStalled() ? 'publisher_stalled' : undefined
      return {
        ready: problem === undefined,
        ...(problem === undefined ? {} : { problem: ERRORS[problem][1] }),
        database: database.engine,
        ...(publisher === undefined ? {} : { publisher: await readPublisher(publisher) }),
      }
    },
  }

  async function checkDatabase(): Promise<void> {
    const pending = await pendingMigrations(database).catch((error) => {
      // Another version of the program has changed the schema under this one.
      if (!(error instanceof MigrationError)) throw error
      throw new ApiError('database_unavailable', { message: error.message, cause: error })
    })
    if (pending.length === 0) return
    throw new ApiError('database_unavailable', {
      message: `The database lacks the migrations ${pending.join(', ')}: start the current program on it once.`,
    })
  }

  function isStalled(): boolean {
    if (publisher === undefined) return false
    return clock.now() - (publisher.lastTickAt() ?? startedAt).getTime() > TICK_AGE_MAX_MS
  }

  async function readPublisher(publisher: PublisherView): Promise<PublisherStatus> {
    return {
      ...(await readTicks(publisher)),
      postsByStatus: await publisher.postsByStatus(),
      published: await publishDelays(),
    }
  }
}

async function readTicks(publisher: PublisherView): Promise<Pick<PublisherStatus, 'lastTickAt' | 'oldestDueAt'>> {
  const oldestDueAt = await publisher.oldestDueAt()
  return { lastTickAt: publisher.lastTickAt()?.toISOString(), oldestDueAt: oldestDueAt?.toISOString() }
}
