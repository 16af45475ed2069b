import type { Database } from '../database/database.js'
import type { Ready } from '../lib/ready.js'
import { type Directory, newDirectory } from './directory.js'
import { type ChannelKey, readRevisions } from './standing.store.js'

/** How things stand for a request: every change that was committed before the request came is in it. */
export interface Standing {
  directory: Directory
  /** The revision of the channel's audience; 0 for one that never changed. */
  audienceRevision(channel: NamedChannel): Ready<number>
}

/** A channel with a name of its own among those of all organizations. */
export interface NamedChannel extends ChannelKey {
  id: string
}

/** No id has a U+0000 in it. */
export const nameChannel = (organizationId: string, channelId: string): NamedChannel => ({
  organizationId,
  channelId,
  id: `${organizationId}\0${channelId}`,
})

/** Throws DatabaseUnavailableError. */
export type ReadStanding = () => Ready<Standing>

/** So that a connection that hangs does not hold up every request. */
const IN_FLIGHT_MAX = 2

/**
 * Reads how things stand for many requests at once: for each as if it had asked alone, at the price of a shared select. A
 * request that comes after a select was sent waits for the next one, because the one on its way may not see what the caller
 * has been told of. On the embedded engine, whose only writer is this process, nothing is asked while nothing is written.
 */
export function createStandings(database: Database): ReadStanding {
  let kept = { revision: -1, directory: newDirectory() }
  /** Channels asked for since the last select, and since the one before it: the next one asks for them along. */
  let [lately, before] = [new Map<string, NamedChannel>(), new Map<string, NamedChannel>()]
  let waiting: Waiting | undefined
  let inFlight = 0
  let sendsSoon = false

  function join(): Promise<Standing> {
    waiting ??= newWaiting()
    sendSoon()
    return waiting.standing
  }

  /** Once what the sockets have brought is read: the requests that came together then go together. */
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
    const channels = [...new Map([...before, ...lately]).values()]
    waiting = undefined
    before = lately
    lately = new Map()
    inFlight += 1
    try {
      const { directory, audiences } = await readRevisions(database, channels)
      resolve(newStanding(directory, new Map(channels.map(({ id }, index) => [id, audiences[index]!]))))
    } catch (error) {
      reject(error)
    } finally {
      inFlight -= 1
      sendSoon()
    }
  }

  function newStanding(directoryRevision: number, audiences: Map<string, Ready<number>>): Standing {
    if (directoryRevision > kept.revision) kept = { revision: directoryRevision, directory: newDirectory() }
    return {
      // Smaller: an answer that was overtaken, or a database that was set back. Neither may use what was read after it.
      directory: directoryRevision === kept.revision ? kept.directory : newDirectory(),
      audienceRevision(channel) {
        lately.set(channel.id, channel)
        const known = audiences.get(channel.id)
        if (known !== undefined) return known
        const reading = readMissing(channel)
        audiences.set(channel.id, reading)
        reading.then(
          (revision) => audiences.set(channel.id, revision),
          // A failure is not worth remembering.
          () => audiences.delete(channel.id),
        )
        return reading
      },
    }
  }

  const readMissing =
    database.writes === undefined
      ? async (channel: NamedChannel) => await (await join()).audienceRevision(channel)
      : async (channel: NamedChannel) => (await readRevisions(database, [channel])).audiences[0]!

  const { writes } = database
  if (writes === undefined) return join
  let last: { at: number; standing: Ready<Standing> } | undefined
  return () => {
    const at = writes()
    if (last?.at === at) return last.standing
    const joined = join()
    const reading: typeof last = { at, standing: joined }
    last = reading
    joined.then(
      (standing) => {
        reading.standing = standing
      },
      () => {
        if (last === reading) last = undefined
      },
    )
    return reading.standing
  }
}

interface Waiting {
  standing: Promise<Standing>
  resolve(standing: Standing): void
  reject(error: unknown): void
}

function newWaiting(): Waiting {
  const parts: Partial<Waiting> = {}
  const standing = new Promise<Standing>((resolve, reject) => Object.assign(parts, { resolve, reject }))
  return Object.assign(parts as Waiting, { standing })
}
