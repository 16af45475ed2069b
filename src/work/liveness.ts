import type { Database } from '../database/database.js'
import type { Clock } from '../lib/clock.js'
import { newId } from '../lib/ids.js'
import {
  beatHolder,
  type EndLeases,
  endAllHolders,
  endHolder,
  endSilentHolder,
  insertHolder,
  listHolders,
  type Work,
} from './holders.store.js'

/** The time between two looks at the other holders. */
export const LOOK_MS = 1_000
const BEAT_MS = 3_000
/** After this long without a heartbeat, a holder makes no call that must not be repeated. */
const LIVE_MS = 7_000
/**
 * After this long without a heartbeat, a holder counts as dead. It exceeds LIVE_MS, so that the holder has stopped calling
 * before that.
 */
const DEAD_MS = 9_000
/** A holder whose heartbeats have not grown for this long may be dead. */
const DOUBT_MS = 5_000
/** A longer pause between two looks means that this process was suspended, or that the database was unavailable. */
const LOOK_PAUSE_MS_MAX = 2_000

/**
 * The heartbeat of this process as a holder of leases. It ends the leases of processes without one. No clocks are compared:
 * each process measures by its own clock how long another's heartbeats stay the same.
 */
export interface Liveness {
  /** Returns the id to claim with; a new one if this process was found dead. Throws if the database cannot be asked. */
  requireId(): Promise<string>
  /** Returns whether it is certain that no other process has ended this id yet. */
  isLive(holder: string): boolean
  /** Sends a heartbeat when it is due, and checks the others. Returns the ids of those it ended. */
  keepAlive(): Promise<string[]>
  /** Returns the others whose heartbeats grew recently. */
  living(): string[]
  /** Ends its own id. */
  end(): Promise<void>
}

export function createLiveness(
  { database, clock }: { database: Database; clock: Clock },
  endLeases: EndLeases,
  work: Work = 'publishing',
): Liveness {
  let id: string | undefined
  let beatAt = 0
  let beating: Promise<void> | undefined
  let seen = new Map<string, { beats: number; silentMs: number; hasBeaten: boolean }>()
  let lookedAt = 0

  const sinceBeat = (): number => clock.now() - beatAt
  // After the clock was set back, the time since the last heartbeat is unknown.
  const isLiveNow = (): boolean => id !== undefined && sinceBeat() >= 0 && sinceBeat() < LIVE_MS

  async function sendBeat(): Promise<void> {
    const sentAt = clock.now()
    if (id === undefined || !(await beatHolder(database, id))) {
      id = undefined
      const next = newId('holder')
      await insertHolder(database, work, next)
      id = next
    }
    beatAt = sentAt
  }

  const beat = (): Promise<void> => {
    beating ??= sendBeat().finally(() => {
      beating = undefined
    })
    return beating
  }

  async function look(): Promise<string[]> {
    const pauseMs = Math.min(Math.max(0, clock.now() - lookedAt), LOOK_PAUSE_MS_MAX)
    const others = (await listHolders(database, work)).filter((row) => row.publisher_id !== id)
    lookedAt = clock.now()
    const ended: string[] = []
    const before = seen
    seen = new Map()
    for (const other of others) {
      const known = before.get(other.publisher_id)
      const silentMs = known?.beats === other.beats ? known.silentMs + pauseMs : 0
      const hasBeaten = known !== undefined && (known.hasBeaten || known.beats !== other.beats)
      if (silentMs < DEAD_MS) seen.set(other.publisher_id, { beats: other.beats, silentMs, hasBeaten })
      else if (await endSilentHolder(database, other, endLeases)) ended.push(other.publisher_id)
    }
    return ended
  }

  return {
    async requireId() {
      if (!isLiveNow()) await beat()
      return id!
    },
    isLive: (holder) => holder === id && isLiveNow(),
    async keepAlive() {
      if (id === undefined || sinceBeat() < 0 || sinceBeat() >= BEAT_MS) await beat()
      return await look()
    },
    living: () =>
      [...seen].flatMap(([holder, { hasBeaten, silentMs }]) => (hasBeaten && silentMs < DOUBT_MS ? [holder] : [])),
    async end() {
      if (id !== undefined) await endHolder(database, id, endLeases)
      id = undefined
    },
  }
}

/**
 * For the only holder of a database that no other process can open: every earlier holder is dead, and no other can appear.
 */
export function createLoneLiveness(
  { database }: { database: Database },
  endLeases: EndLeases,
  work: Work = 'publishing',
): Liveness {
  const id = newId('holder')
  let beginning: Promise<void> | undefined
  const replaceAll = async (): Promise<void> => {
    await endAllHolders(database, work, endLeases)
    await insertHolder(database, work, id)
  }
  const begin = async (): Promise<void> => {
    beginning ??= replaceAll()
    await beginning.catch((error) => {
      beginning = undefined
      throw error
    })
  }
  return {
    async requireId() {
      await begin()
      return id
    },
    isLive: () => true,
    async keepAlive() {
      await begin()
      return []
    },
    living: () => [],
    end: () => endHolder(database, id, endLeases),
  }
}
