import type { Context } from '../../http/context.js'
import { Bucket, rateInBursts, ratePerSecond } from '../../http/rate-limits.js'
import type { SourceType, ValueFrom } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { createLru } from '../../lib/lru.js'
import { createWaitingBytes, type WaitingBytes } from '../inbox/waiting-bytes.js'
import {
  findSourceById,
  findSourceByKeyHash,
  isKeyOf,
  openSecrets,
  type SourceRow,
  verifyTokenContext,
} from '../sources/sources.store.js'

/** A source as its deliveries see it. */
export interface KnownSource {
  organizationId: string
  sourceId: string
  type: SourceType
  valueFrom: ValueFrom
  /** The secrets with which a delivery may be signed. */
  secrets: readonly string[]
  verifyToken: string | undefined
  budget: Budget
}

/** The remaining allowance of a source. */
export interface Budget {
  deliveriesPerSecond: number
  deliveries: Bucket
  /** Decompressed. */
  bytes: Bucket
  events: Bucket
  /** The number of its deliveries being decompressed. */
  unpacking: number
  /** The approximate bytes waiting in its inbox. */
  waiting: WaitingBytes
}

/** Each delivery per second that a source may send stands for this many bytes and events, well above what senders use. */
const BYTES_PER_DELIVERY = limit('sourceBytesPerDelivery')
const EVENTS_PER_DELIVERY = limit('sourceEventsPerDelivery')
/** The largest delivery must fit into a full bucket. */
const BYTES_BURST = limit('deliveryInflatedBytes')
const EVENTS_BURST = limit('eventsOfDelivery')

/** How long a changed or deleted source is remembered as it was. */
const KNOWN_MS = 5_000
/** The same if a signature is invalid. */
const AFRESH_MS = 250
const KNOWN_MAX = 10_000

interface Known {
  readAt: number
  /** When the first of its secrets expires. */
  until: number
  row: SourceRow | undefined
  source: KnownSource | undefined
}

type Needs = Pick<Context, 'database' | 'clock' | 'sealer' | 'config'>

/** Finds sources by address or key, and remembers them, including missing ones, for a few seconds. */
export function createKnownSources({ database, clock, sealer, config }: Needs) {
  const known = createLru<string, Known>(KNOWN_MAX)
  const budgets = createLru<string, Budget>(KNOWN_MAX)

  function budgetOf(row: SourceRow): Budget {
    const { source_id, deliveries_per_second } = row
    const perSecond = deliveries_per_second ?? config.intake.deliveriesPerSecond
    const before = budgets.get(source_id)
    if (before?.deliveriesPerSecond === perSecond) return before
    const budget: Budget = {
      deliveriesPerSecond: perSecond,
      deliveries: new Bucket(ratePerSecond(perSecond)),
      bytes: new Bucket(rateInBursts(perSecond * BYTES_PER_DELIVERY, BYTES_BURST)),
      events: new Bucket(rateInBursts(perSecond * EVENTS_PER_DELIVERY, EVENTS_BURST)),
      unpacking: 0,
      waiting: before?.waiting ?? createWaitingBytes(database, clock, row),
    }
    budgets.set(source_id, budget)
    return budget
  }

  async function find(
    key: string,
    read: () => Promise<SourceRow | undefined>,
    knownMs = KNOWN_MS,
  ): Promise<Known | undefined> {
    const nowMs = clock.now()
    const before = known.get(key)
    const isFresh = before !== undefined && before.readAt <= nowMs && nowMs < before.readAt + knownMs
    if (isFresh && nowMs < before.until) return before
    const row = await read()
    const endsAt = row?.previous_until?.getTime() ?? 0
    const found: Known = {
      readAt: nowMs,
      // A replaced secret expires at exactly this moment.
      until: endsAt > nowMs ? endsAt : Number.POSITIVE_INFINITY,
      row,
      source: row && { ...openSource(sealer, row, new Date(nowMs)), budget: budgetOf(row) },
    }
    known.set(key, found)
    return found
  }

  const byId = async (sourceId: string, knownMs?: number): Promise<KnownSource | undefined> =>
    (await find(`id ${sourceId}`, () => findSourceById(database, sourceId), knownMs))?.source

  return {
    byId: (sourceId: string) => byId(sourceId),
    /**
     * Returns the current state. It is looked up at most a few times per second, so that senders without a signature cost no
     * more.
     */
    byIdAfresh: (sourceId: string) => byId(sourceId, AFRESH_MS),
    /** Returns the source of a write key, even of a replaced one that is no longer accepted. */
    async byKeyHash(keyHash: string): Promise<{ source: KnownSource; isReplaced: boolean } | undefined> {
      const found = await find(`key ${keyHash}`, () => findSourceByKeyHash(database, keyHash))
      if (found?.row === undefined || found.source === undefined) return undefined
      return { source: found.source, isReplaced: !isKeyOf(found.row, keyHash, new Date(clock.now())) }
    },
  }
}

function openSource(sealer: Needs['sealer'], row: SourceRow, now: Date): Omit<KnownSource, 'budget'> {
  const { organization_id: organizationId, source_id: sourceId, verify_token_sealed: verify } = row
  return {
    ...{ organizationId, sourceId },
    type: row.type,
    valueFrom: row.value_from,
    secrets: openSecrets(sealer, row, now),
    verifyToken: verify === null ? undefined : sealer.open(verify, verifyTokenContext(organizationId, sourceId)),
  }
}

export type KnownSources = ReturnType<typeof createKnownSources>
