import { LRUCache } from 'lru-cache'
import type { Context } from '../../http/context.js'
import { Bucket, ratePerSecond } from '../../http/rate-limits.js'
import type { SourceType, ValueFrom } from '../../interface/intake.js'
import {
  findSourceById,
  findSourceByKeyHash,
  openSecrets,
  type SourceRow,
  verifyTokenContext,
} from '../sources/sources.store.js'

/** A source as its deliveries meet it. */
export interface KnownSource {
  organizationId: string
  sourceId: string
  type: SourceType
  valueFrom: ValueFrom
  /** The secrets with which a delivery may be signed. */
  secrets: readonly string[]
  verifyToken: string | undefined
  bucket: Bucket
}

/** So long a changed or deleted source is known as it was. */
const KNOWN_MS = 5_000
const KNOWN_MAX = 10_000

type Needs = Pick<Context, 'database' | 'clock' | 'sealer' | 'config'>

/** Finds sources by their address or key, and remembers them, also those that are not there, for a few seconds. */
export function createKnownSources({ database, clock, sealer, config }: Needs) {
  const known = new LRUCache<string, { source: KnownSource | undefined; until: number }>({ max: KNOWN_MAX })
  const buckets = new LRUCache<string, Bucket>({ max: KNOWN_MAX })

  function bucketOf({ source_id, deliveries_per_second }: SourceRow): Bucket {
    const rate = ratePerSecond(deliveries_per_second ?? config.intake.deliveriesPerSecond)
    const before = buckets.get(source_id)
    if (before?.rate.burst === rate.burst && before.rate.windowMs === rate.windowMs) return before
    const bucket = new Bucket(rate)
    buckets.set(source_id, bucket)
    return bucket
  }

  function toKnown(row: SourceRow, now: Date): KnownSource {
    const { verify_token_sealed: verify } = row
    return {
      organizationId: row.organization_id,
      sourceId: row.source_id,
      type: row.type,
      valueFrom: row.value_from,
      secrets: openSecrets(sealer, row, now),
      verifyToken:
        verify === null ? undefined : sealer.open(verify, verifyTokenContext(row.organization_id, row.source_id)),
      bucket: bucketOf(row),
    }
  }

  async function find(key: string, read: (now: Date) => Promise<SourceRow | undefined>) {
    const nowMs = clock.now()
    const before = known.get(key)
    if (before !== undefined && nowMs < before.until && before.until <= nowMs + KNOWN_MS) return before.source
    const now = new Date(nowMs)
    const row = await read(now)
    const source = row && toKnown(row, now)
    known.set(key, { source, until: nowMs + KNOWN_MS })
    return source
  }

  return {
    byId: (sourceId: string): Promise<KnownSource | undefined> =>
      find(`id ${sourceId}`, () => findSourceById(database, sourceId)),
    byKeyHash: (keyHash: string): Promise<KnownSource | undefined> =>
      find(`key ${keyHash}`, (now) => findSourceByKeyHash(database, keyHash, now)),
  }
}

export type KnownSources = ReturnType<typeof createKnownSources>
