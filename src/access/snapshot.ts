import type { Database } from '../database/database.js'
import type { AudienceRevision, ChannelRef, Snapshot } from '../http/snapshot.js'
import type { Ready } from '../lib/ready.js'
import { newAccessCache } from './access-cache.js'
import { readRevisions } from './snapshot.store.js'

/** No id has a U+0000 in it. */
export const toChannelRef = (organizationId: string, channelId: string): ChannelRef => ({
  organizationId,
  channelId,
  id: `${organizationId}\0${channelId}`,
})

/** Throws DatabaseUnavailableError. */
export type ReadSnapshot = () => Ready<Snapshot>

/** Two, so that a connection that hangs does not block every request. */
const IN_FLIGHT_MAX = 2

/**
 * Reads the current revisions for many requests with one select, and keeps the cache while epoch and access revision stay
 * the same. A request that comes after a select was sent waits for the next one: the one under way may not see a change that
 * the caller already knows of. On the embedded engine, whose only writer is this process, nothing is read until the next
 * write.
 */
export function createSnapshotReader(database: Database): ReadSnapshot {
  let kept = { epoch: '', revision: -1, cache: newAccessCache() }
  /** Channels requested since the last select, and since the one before: the next select reads their revisions too. */
  let [recent, previous] = [new Map<string, ChannelRef>(), new Map<string, ChannelRef>()]
  let waiting: Waiting | undefined
  let inFlight = 0
  let sendsSoon = false

  function join(): Promise<Snapshot> {
    waiting ??= newWaiting()
    sendSoon()
    return waiting.snapshot
  }

  /** After the requests that arrived together are read, so that they share one select. */
  function sendSoon(): void {
    if (sendsSoon || inFlight === IN_FLIGHT_MAX || waiting === undefined) return
    sendsSoon = true
    setImmediate(() => {
      sendsSoon = false
      void send()
    })
  }

  async function send(): Promise<void> {
    const { resolve, reject } = waiting!
    const channels = [...new Map([...previous, ...recent]).values()]
    waiting = undefined
    previous = recent
    recent = new Map()
    inFlight += 1
    try {
      const { epoch, access, audiences } = await readRevisions(database, channels)
      const known = channels.map(({ id }, index): [string, AudienceRevision] => [
        id,
        { epoch, revision: audiences[index]! },
      ])
      resolve(newSnapshot({ epoch, revision: access }, new Map(known)))
    } catch (error) {
      reject(error)
    } finally {
      inFlight -= 1
      sendSoon()
    }
  }

  function newSnapshot(
    { epoch, revision }: Pick<typeof kept, 'epoch' | 'revision'>,
    audiences: Map<string, Ready<AudienceRevision>>,
  ): Snapshot {
    if (epoch !== kept.epoch || revision > kept.revision) kept = { epoch, revision, cache: newAccessCache() }
    return {
      // A smaller revision is an answer that was overtaken: it must not use newer entries.
      cache: revision === kept.revision ? kept.cache : newAccessCache(),
      audienceRevision(channel) {
        recent.set(channel.id, channel)
        const known = audiences.get(channel.id)
        if (known !== undefined) return known
        const reading = readMissing(channel)
        audiences.set(channel.id, reading)
        reading.then(
          (revision) => audiences.set(channel.id, revision),
          // Not cached, so that the next request tries again.
          () => audiences.delete(channel.id),
        )
        return reading
      },
    }
  }

  const readMissing =
    database.writes === undefined
      ? async (channel: ChannelRef) => await (await join()).audienceRevision(channel)
      : async (channel: ChannelRef) => {
          const { epoch, audiences } = await readRevisions(database, [channel])
          return { epoch, revision: audiences[0]! }
        }

  const { writes } = database
  if (writes === undefined) return join
  let last: { at: number; snapshot: Ready<Snapshot> } | undefined
  return () => {
    const at = writes()
    if (last?.at === at) return last.snapshot
    const joined = join()
    const reading: typeof last = { at, snapshot: joined }
    last = reading
    joined.then(
      (snapshot) => {
        reading.snapshot = snapshot
      },
      () => {
        if (last === reading) last = undefined
      },
    )
    return reading.snapshot
  }
}

interface Waiting {
  snapshot: Promise<Snapshot>
  resolve(snapshot: Snapshot): void
  reject(error: unknown): void
}

function newWaiting(): Waiting {
  const parts: Partial<Waiting> = {}
  const snapshot = new Promise<Snapshot>((resolve, reject) => Object.assign(parts, { resolve, reject }))
  return Object.assign(parts as Waiting, { snapshot })
}
