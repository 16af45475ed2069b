import { createHash } from 'node:crypto'
import type { Database } from '../database/database.js'
import type { Clock } from '../lib/clock.js'
import { findConsoleAsset, listConsoleAssetNames, storeConsoleAssets } from './console-assets.store.js'
import { assetHeaders, type Send, sender } from './static-files.js'

/** Unknown names are looked up again after this time: any caller can ask for files that do not exist. */
const LOOK_MS = 10_000

type Needs = { database: Database; clock: Clock; log: { warn: (object: object, message: string) => void } }

/** Finds console files of other builds: the previous release, and one that another node is already running. */
export interface OtherBuilds {
  /** Stores the files of this build for pages that stay open while the service is upgraded. */
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
        // The console works without them: only a page that stays open over the next upgrade must be reloaded.
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
