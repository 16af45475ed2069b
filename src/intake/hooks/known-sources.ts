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

/** A source as its deliveries meet it. */
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
  /** Unpacked. */
  bytes: Bucket
  events: Bucket
  /** Its deliveries that are being unpacked. */
  unpacking: number
  /** About the bytes that wait in its inbox. */
  waiting: WaitingBytes
}

/** Each delivery that a source may send a second stands for as many bytes and events, well above what senders have. */
const BYTES_PER_DELIVERY = limit('sourceBytesPerDelivery')
const EVENTS_PER_DELIVERY = limit('sourceEventsPerDelivery')
/** The largest delivery must fit into a full bucket. */
const BYTES_BURST = limit('deliveryInflatedBytes')
const EVENTS_BURST = limit('eventsOfDelivery')

/** So long a changed or deleted source is known as it was. */
const KNOWN_MS = 5_000
/** So long where a signature does not hold. */
const AFRESH_MS = 250
const KNOWN_MAX = 10_000

interface Known {
  readAt: number
  /** A secret ends then. */
  until: number
  row: SourceRow | undefined
  source: KnownSource | undefined
}

type Needs = Pick<Context, 'database' | 'clock' | 'sealer' | 'config'>

/** Finds sources by their address or key, and remembers them, also those that are not there, for a few seconds. */
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
      // A secret that was replaced ends to the moment.
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
    /** As it is now. Looked up a few times a second at most: who sends without a signature costs no more. */
    byIdAfresh: (sourceId: string) => byId(sourceId, AFRESH_MS),
    /** The source of a write key, also of one that was replaced and is accepted no longer. */
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
