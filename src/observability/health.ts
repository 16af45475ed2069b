import type { FastifyInstance } from 'fastify'
import { pendingMigrations } from '../database/migrate.js'
import { ApiError, ERRORS } from '../errors.js'
import type { Context } from '../http/context.js'
import type { PublishDelays, PublisherStatus, ServerStatus } from '../interface/status.js'

/** How the publisher stands, where it runs in this process. */
export interface PublisherView {
  /** When it last looked for posts that are due; undefined before the first time. */
  lastTickAt(): Date | undefined
  /** The time of the post that waits longest for its publication; undefined when none does. */
  oldestDueAt(): Promise<Date | undefined>
  /** How many posts of all organizations are in each status. */
  postsByStatus(): Promise<Record<string, number>>
}

const TICK_AGE_MAX_MS = 60_000

/**
 * Without a key: `/healthz`: the process answers. `/readyz`: so does its database, with every migration applied, and the
 * publisher, where it runs here, has looked for due posts in the last minute; cheap, for probes. `/status`: the same with
 * figures, for people; it tells how busy the service is, and so it is not for the internet.
 */
export function mountHealth(
  app: FastifyInstance,
  { clock, database }: Pick<Context, 'clock' | 'database'>,
  publisher: PublisherView | undefined,
  publishDelays: () => Promise<PublishDelays>,
): void {
  const startedAt = new Date(clock.now())
  app.get('/healthz', async () => ({ status: 'alive' }))
  app.get('/readyz', async () => {
    await checkDatabase()
    if (isStalled()) throw new ApiError('publisher_stalled')
    return {
      status: 'ready',
      database: database.engine,
      ...(publisher === undefined ? {} : { publisher: await readTicks(publisher) }),
    }
  })
  app.get('/status', async (): Promise<ServerStatus> => {
    await checkDatabase()
    return {
      ready: !isStalled(),
      ...(isStalled() ? { problem: ERRORS.publisher_stalled[1] } : {}),
      database: database.engine,
      ...(publisher === undefined ? {} : { publisher: await readPublisher(publisher) }),
    }
  })

  async function checkDatabase(): Promise<void> {
    const pending = await pendingMigrations(database)
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
