import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Database } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { Clock } from '../lib/clock.js'
import { findConsoleAsset, listConsoleAssetNames, storeConsoleAssets } from './console-assets.store.js'
import { assetHeaders, sender } from './static-files.js'

/** Names that are not known are asked for again after this time: any caller can name files that do not exist. */
const LOOK_MS = 10_000

type Needs = { database: Database; clock: Clock; log: { warn: (object: object, message: string) => void } }

/**
 * Serves the files of the console that other builds have: of the release before, and of one that another node runs already.
 * A page that is open while the service is upgraded asks for them.
 */
export async function serveOtherBuilds(
  app: FastifyInstance,
  { database, clock, log }: Needs,
  own: ReadonlyMap<string, Buffer>,
): Promise<void> {
  const buildId = createHash('sha256')
    .update([...own.keys()].sort().join('\n'))
    .digest('base64url')
    .slice(0, 16)
  try {
    await database.transaction((tx) => storeConsoleAssets(tx, buildId, own, new Date(clock.now())))
  } catch (error) {
    // The console works without: only a page that is open over the next upgrade has to be reloaded.
    log.warn({ err: error }, 'the files of the console could not be kept for the next release')
  }
  let names: ReadonlySet<string> = new Set()
  let lookedAt = Number.NEGATIVE_INFINITY
  const found = new Map<string, ReturnType<typeof sender>>()
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const { name } = request.params
    if (!names.has(name) && Math.abs(clock.now() - lookedAt) >= LOOK_MS) {
      lookedAt = clock.now()
      names = new Set(await listConsoleAssetNames(database))
    }
    if (names.has(name) && !found.has(name)) {
      const content = await findConsoleAsset(database, name)
      if (content !== undefined)
        found.set(
          name,
          sender(() => Buffer.from(content), assetHeaders(name)),
        )
    }
    const send = found.get(name)
    if (send === undefined) throw new ApiError('route_not_found')
    return send(request, reply)
  })
}
