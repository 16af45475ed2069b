import type { Database } from '../database/database.js'
import type { Clock } from '../lib/clock.js'
import { newId } from '../lib/ids.js'
import {
  beatPublisher,
  endAllPublishers,
  endPublisher,
  endSilentPublisher,
  insertPublisher,
  listPublishers,
} from './publishers.store.js'

/** Between two looks at the other publishers. */
export const LOOK_MS = 1_000
const BEAT_MS = 3_000
/** So long after its last beat a publisher makes no call that publishes. */
const LIVE_MS = 7_000
/** So long without a beat a publisher is dead. More than LIVE_MS, so that it has stopped publishing by itself before. */
const DEAD_MS = 9_000
/** A longer pause between two looks tells of this process, which was stopped, or of the database, which was away. */
const LOOK_PAUSE_MS_MAX = 2_000

/**
 * Tells the other publishers that this one lives, and ends those that do not. No clocks are compared: each measures by its own
 * clock how long another's beats stay the same.
 */
export interface Liveness {
  /** Under which it claims; another one when this publisher was found dead. Throws when the database does not know it. */
  requireId(): Promise<string>
  /** Whether no other publisher can have ended this id yet. */
  isLive(publisherId: string): boolean
  /** Beats when it is time, and looks at the others. Gives the ids of those that it has ended. */
  keepAlive(): Promise<string[]>
  /** Ends its own id. */
  end(): Promise<void>
}

export function createLiveness({ database, clock }: { database: Database; clock: Clock }): Liveness {
  let id: string | undefined
  let beatAt = 0
  let beating: Promise<void> | undefined
  let seen = new Map<string, { beats: number; silentMs: number }>()
  let lookedAt = 0

  const sinceBeat = (): number => clock.now() - beatAt
  // A clock that was set back tells nothing.
  const isLiveNow = (): boolean => id !== undefined && sinceBeat() >= 0 && sinceBeat() < LIVE_MS

  async function sendBeat(): Promise<void> {
    const sentAt = clock.now()
    if (id === undefined || !(await beatPublisher(database, id))) {
      id = undefined
      const next = newId('publisher')
      await insertPublisher(database, next)
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
    const others = (await listPublishers(database)).filter((row) => row.publisher_id !== id)
    lookedAt = clock.now()
    const ended: string[] = []
    const before = seen
    seen = new Map()
    for (const other of others) {
      const known = before.get(other.publisher_id)
      const silentMs = known?.beats === other.beats ? known.silentMs + pauseMs : 0
      if (silentMs < DEAD_MS) seen.set(other.publisher_id, { beats: other.beats, silentMs })
      else if (await endSilentPublisher(database, other)) ended.push(other.publisher_id)
    }
    return ended
  }

  return {
    async requireId() {
      if (!isLiveNow()) await beat()
      return id!
    },
    isLive: (publisherId) => publisherId === id && isLiveNow(),
    async keepAlive() {
      if (id === undefined || sinceBeat() < 0 || sinceBeat() >= BEAT_MS) await beat()
      return await look()
    },
    async end() {
      if (id !== undefined) await endPublisher(database, id)
      id = undefined
    },
  }
}

/** Of the one publisher of a database that no other process can open: those before it are dead, and no other comes beside it. */
export function createLoneLiveness({ database }: { database: Database }): Liveness {
  const id = newId('publisher')
  let beginning: Promise<void> | undefined
  const begin = async (): Promise<void> => {
    beginning ??= endAllPublishers(database)
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
    keepAlive: async () => [],
    end: () => endPublisher(database, id),
  }
}
