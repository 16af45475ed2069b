import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.js'
import { pendingMigrations } from '../database/migrate.js'
import { ApiError } from '../errors.js'

/** `/healthz`: the process answers. `/readyz`: so does its database, with every migration applied. Both without a key. */
export function mountHealth(app: FastifyInstance, { database }: Pick<Context, 'database'>): void {
  app.get('/healthz', async () => ({ status: 'alive' }))
  app.get('/readyz', async () => {
    const pending = await pendingMigrations(database)
    if (pending.length > 0) {
      throw new ApiError('database_unavailable', {
        message: `The database lacks the migrations ${pending.join(', ')}: start the current program on it once.`,
      })
    }
    return { status: 'ready', database: database.engine }
  })
}
