import type { Database } from '../database/database.js'
import { Audience, type AudiencePage, type AudienceQuery, type Encoding, LIST_LIMITS } from './audience.js'
import type { ListLimits } from './audience-list.js'
import { type AudienceKey, createRevisionReader } from './audience-revisions.store.js'

/** The audiences of all channels, read from memory as far as they find room there. */
export interface Audiences {
  /** The revision of the channel's audience, not older than the call. */
  revision(channel: AudienceKey): Promise<number>
  /** A page that shows every change up to the revision, and maybe later ones. Throws DatabaseUnavailableError. */
  page(channel: AudienceKey, query: AudienceQuery, revision: number, encoding: Encoding): Promise<AudiencePage>
  /** What is held in memory now. */
  memory(): { channels: number; bytes: number }
}

export interface AudiencesOptions {
  /** The memory for all of them together; what was not asked for longest goes first. */
  memoryBytesMax: number
  limits?: ListLimits
}

interface Held {
  audience: Audience
  /** As counted last. */
  bytes: number
  /** The refresh under way, shared by all who wait for one. */
  refreshing: Promise<void> | undefined
}

export function createAudiences(database: Database, options: AudiencesOptions): Audiences {
  const { memoryBytesMax, limits = LIST_LIMITS } = options
  const revision = createRevisionReader(database)
  /** By channel, the one asked for last at the end. */
  const held = new Map<string, Held>()
  let bytes = 0

  function take({ organizationId, channelId }: AudienceKey): { id: string; entry: Held } {
    // No id has a U+0000 in it.
    const id = `${organizationId}\0${channelId}`
    const entry = held.get(id) ?? {
      audience: new Audience({ organizationId, channelId }, limits),
      bytes: 0,
      refreshing: undefined,
    }
    held.delete(id)
    held.set(id, entry)
    return { id, entry }
  }

  function letGo(id: string, entry: Held): void {
    if (held.get(id) !== entry) return
    held.delete(id)
    bytes -= entry.bytes
  }

  /** Whoever still works with what is let go keeps it until done. */
  function recount(id: string, entry: Held): void {
    if (held.get(id) !== entry) return
    bytes -= entry.bytes
    entry.bytes = entry.audience.bytes
    bytes += entry.bytes
    for (const [oldest, candidate] of held) {
      if (bytes <= memoryBytesMax) return
      if (candidate.refreshing === undefined) letGo(oldest, candidate)
    }
  }

  async function refresh(id: string, entry: Held, vipsOf: string | undefined, wanted: number): Promise<void> {
    try {
      await entry.audience.refresh(database, vipsOf, wanted)
    } finally {
      entry.refreshing = undefined
      if (entry.audience.isEmpty) letGo(id, entry)
      else recount(id, entry)
    }
  }

  return {
    revision,
    async page(channel, query, wanted, encoding) {
      const { id, entry } = take(channel)
      const { audience } = entry
      if (audience.isAhead(wanted)) {
        entry.refreshing ??= refresh(id, entry, query.vipsOf, wanted)
        await entry.refreshing
      }
      // A refresh that began earlier may bring less than what is wanted here: then one more follows.
      while (!audience.isCurrent(query.vipsOf, wanted)) {
        entry.refreshing ??= refresh(id, entry, query.vipsOf, wanted)
        await entry.refreshing
      }
      const page = await audience.page(query, encoding)
      if (entry.bytes !== audience.bytes) recount(id, entry)
      return page
    },
    memory: () => ({ channels: held.size, bytes }),
  }
}
