import type { Database } from '../database/database.js'
import type { AccessCache, AudienceRevision, ChannelRef, Snapshot } from '../http/snapshot.js'
import type { Ready } from '../lib/ready.js'
import { AccessValues } from './access-cache.js'
import { readRevisions } from './snapshot.store.js'

/** Ids cannot contain U+0000. */
export const toChannelRef = (organizationId: string, channelId: string): ChannelRef => ({
  organizationId,
  channelId,
  id: `${organizationId}\0${channelId}`,
})

/** Reads a snapshot. `scope` is the caller's organization or person, if known. Throws DatabaseUnavailableError. */
export type ReadSnapshot = (scope?: string) => Ready<Snapshot>

/** Two, so that a hanging connection does not block every request. */
const IN_FLIGHT_MAX = 2
/**
 * The second select is sent when the first has taken this long. Sent at once, each would serve fewer requests: a
 * PATCH beside 31 others costs the process a fifth more (bench/README.md).
 */
const SLOW_MS = 20

/**
 * Reads the current revisions for many requests with one select. Cached data of a scope stays valid while epoch and
 * revisions stay the same. A request that arrives after a select was sent waits for the next one, because the running
 * select may not see a change that the caller already knows about. A select reads only the revisions that are
 * currently in demand, however many organizations there are. On the embedded engine, whose only writer is this
 * process, nothing is read until the next write.
 */
export function createSnapshotReader(database: Database): ReadSnapshot {
  const values = new AccessValues()
  const [scopes, channels] = [new Recent<string>(), new Recent<ChannelRef>()]
  const { writes } = database
  const join = shareSelects(() => read(scopes.take(), channels.take()))
  // Callers that join get them too, because the next select reads what was asked for.
  const readMissing = writes === undefined ? () => join() : read

  async function read(scopesAsked: string[], channelsAsked: ChannelRef[]): Promise<Snapshot> {
    const revisions = await readRevisions(database, scopesAsked, channelsAsked)
    const { epoch, common } = revisions
    const cacheAt = (scope: string, revision: number): AccessCache =>
      values.at({ scope, epoch, revisions: [revision, common] })
    const caches = new Map<string, Ready<AccessCache>>([[COMMON, cacheAt(COMMON, common)]])
    for (const [index, scope] of scopesAsked.entries()) caches.set(scope, cacheAt(scope, revisions.scopes[index]!))
    const audiences = new Map<string, Ready<AudienceRevision>>()
    for (const [index, { id }] of channelsAsked.entries()) {
      audiences.set(id, { epoch, revision: revisions.audiences[index]! })
    }
    return {
      cacheOf(scope) {
        if (scope !== COMMON) scopes.add(scope, scope)
        return known(caches, scope, async () => await (await readMissing([scope], [])).cacheOf(scope))
      },
      audienceRevision(channel) {
        channels.add(channel.id, channel)
        return known(audiences, channel.id, async () => (await readMissing([], [channel])).audienceRevision(channel))
      },
    }
  }

  function joinFor(scope: string | undefined): Promise<Snapshot> {
    if (scope !== undefined) scopes.add(scope, scope)
    return join()
  }
  return writes === undefined ? joinFor : keepUntilWrite(writes, joinFor)
}

/**
 * Single-flight: callers that arrive while a read is running share the next one. A second read is sent in parallel if
 * the first has taken SLOW_MS.
 */
function shareSelects(read: () => Promise<Snapshot>): () => Promise<Snapshot> {
  let waiting: Waiting | undefined
  let inFlight = 0
  /** The selects in flight that have taken SLOW_MS. */
  let slow = 0
  let sendsSoon = false

  return () => {
    waiting ??= newWaiting()
    sendSoon()
    return waiting.snapshot
  }

  /** Waits until the requests that arrived together have been parsed, so that they share one select. */
  function sendSoon(): void {
    if (sendsSoon || inFlight > slow || inFlight === IN_FLIGHT_MAX || waiting === undefined) return
    sendsSoon = true
    setImmediate(() => {
      sendsSoon = false
      void send()
    })
  }

  async function send(): Promise<void> {
    const { resolve, reject } = waiting!
    waiting = undefined
    inFlight += 1
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      slow += 1
      sendSoon()
    }, SLOW_MS)
    try {
      resolve(await read())
    } catch (error) {
      reject(error)
    } finally {
      clearTimeout(timer)
      inFlight -= 1
      if (isSlow) slow -= 1
      sendSoon()
    }
  }
}

/** Returns the same snapshot until the next write, for a database whose only writer is this process. */
function keepUntilWrite(writes: () => number, read: (scope: string | undefined) => Promise<Snapshot>): ReadSnapshot {
  let last: { at: number; snapshot: Ready<Snapshot> } | undefined
  return (scope) => {
    const at = writes()
    if (last?.at === at) return last.snapshot
    const joined = read(scope)
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

/** The scope of data that belongs to no organization or person. */
const COMMON = ''

/** Values that were requested since the last select or the one before; the next select reads their revisions too. */
class Recent<T> {
  readonly #entries = new Map<string, { value: T; turn: number }>()
  #turn = 0
  #isAsked = false

  add(id: string, value: T): void {
    this.#isAsked = true
    const entry = this.#entries.get(id)
    if (entry === undefined) this.#entries.set(id, { value, turn: this.#turn })
    else entry.turn = this.#turn
  }

  take(): T[] {
    const taken: T[] = []
    for (const [id, { value, turn }] of this.#entries) {
      if (turn < this.#turn - 1) this.#entries.delete(id)
      else taken.push(value)
    }
    // Otherwise the second of two consecutive selects would forget everything, and its requests would wait for a
    // third.
    if (this.#isAsked) this.#turn += 1
    this.#isAsked = false
    return taken
  }
}

/** Returns the entry with this id; reads and stores it if missing. */
function known<T>(all: Map<string, Ready<T>>, id: string, read: () => Promise<T>): Ready<T> {
  const found = all.get(id)
  if (found !== undefined) return found
  const reading = read()
  all.set(id, reading)
  reading.then(
    (value) => all.set(id, value),
    // Lets the next request try again.
    () => all.delete(id),
  )
  return reading
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
