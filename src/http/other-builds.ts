import { createHash } from 'node:crypto'
import type { Database } from '../database/database.js'
import type { Clock } from '../lib/clock.js'
import { findConsoleAsset, listConsoleAssetNames, storeConsoleAssets } from './console-assets.store.js'
import { assetHeaders, type Send, sender } from './static-files.js'

/** Names that are not known are asked for again after this time: any caller can name files that do not exist. */
const LOOK_MS = 10_000

type Needs = { database: Database; clock: Clock; log: { warn: (object: object, message: string) => void } }

/** Finds the files of the console that other builds have: the release before, and one that another node runs already. */
export interface OtherBuilds {
  /** Keeps the files of this build for the pages that are open while the service is upgraded. */
  keep(own: ReadonlyMap<string, Buffer>): Promise<void>
  find(name: string): Promise<Send | undefined>
}

export function createOtherBuilds({ database, clock, log }: Needs): OtherBuilds {
  let names: ReadonlySet<string> = new Set()
  let lookedAt = Number.NEGATIVE_INFINITY
  const found = new Map<string, Send>()
  return {
    async keep(own) {
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
    },
    async find(name) {
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
      return found.get(name)
    },
  }
}
