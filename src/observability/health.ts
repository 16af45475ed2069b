import type { FastifyInstance } from 'fastify'
import { pendingMigrations } from '../database/migrate.js'
import { ApiError } from '../errors.js'
import type { Context } from '../http/context.js'

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
 * `/healthz`: the process answers. `/readyz`: so does its database, with every migration applied, and the publisher, where
 * it runs here, has looked for due posts in the last minute. Both without a key.
 */
export function mountHealth(
  app: FastifyInstance,
  { clock, database }: Pick<Context, 'clock' | 'database'>,
  publisher: PublisherView | undefined,
): void {
  const startedAt = new Date(clock.now())
  app.get('/healthz', async () => ({ status: 'alive' }))
  app.get('/readyz', async () => {
    const pending = await pendingMigrations(database)
    if (pending.length > 0) {
      throw new ApiError('database_unavailable', {
        message: `The database lacks the migrations ${pending.join(', ')}: start the current program on it once.`,
      })
    }
    return {
      status: 'ready',
      database: database.engine,
      ...(publisher === undefined ? {} : { publisher: await checkPublisher(publisher) }),
    }
  })

  async function checkPublisher(publisher: PublisherView): Promise<{ lastTickAt?: string; oldestDueAt?: string }> {
    const lastTickAt = publisher.lastTickAt()
    if (clock.now() - (lastTickAt ?? startedAt).getTime() > TICK_AGE_MAX_MS) throw new ApiError('publisher_stalled')
    const oldestDueAt = await publisher.oldestDueAt()
    return { lastTickAt: lastTickAt?.toISOString(), oldestDueAt: oldestDueAt?.toISOString() }
  }
}
