import type { Database } from '../../database/database.js'
import type { ChannelRef } from '../../http/snapshot.js'
import type { Ready } from '../../lib/ready.js'
import type { ListLimits } from './block-list.js'
import { type AudiencePage, type AudienceQuery, ChannelAudience, LIST_LIMITS } from './channel-audience.js'
import type { Encoding } from './page-headers.js'

/** The audiences of all channels, read from memory as far as they find room there. */
export interface AudienceCache {
  /** A page that shows every change up to the revision, and maybe later ones. Throws DatabaseUnavailableError. */
  page(channel: ChannelRef, query: AudienceQuery, revision: number, encoding: Encoding): Ready<AudiencePage>
  /** What is held in memory now. */
  memory(): { channels: number; bytes: number }
}

export interface AudienceCacheOptions {
  /** The memory for all of them together; what was not asked for longest goes first. */
  memoryBytesMax: number
  limits?: ListLimits
}

interface Held {
  audience: ChannelAudience
  /** As counted last. */
  bytes: number
  /** The refresh under way, shared by all who wait for one. */
  refreshing: Promise<void> | undefined
}

export function createAudienceCache(database: Database, options: AudienceCacheOptions): AudienceCache {
  const { memoryBytesMax, limits = LIST_LIMITS } = options
  /** By channel, the one asked for last at the end. */
  const held = new Map<string, Held>()
  let bytes = 0

  /** The entry asked for last: it is at the end already. */
  let newest: Held | undefined

  function take({ id, organizationId, channelId }: ChannelRef): Held {
    const known = held.get(id)
    if (known !== undefined && known === newest) return known
    const entry = known ?? {
      audience: new ChannelAudience({ organizationId, channelId }, limits),
      bytes: 0,
      refreshing: undefined,
    }
    held.delete(id)
    held.set(id, entry)
    newest = entry
    return entry
  }

  function evict(id: string, entry: Held): void {
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
      if (candidate.refreshing === undefined) evict(oldest, candidate)
    }
  }

  function recountIfChanged(id: string, entry: Held): void {
    if (entry.bytes !== entry.audience.bytes) recount(id, entry)
  }

  async function refresh(id: string, entry: Held, vipsOf: string | undefined, wanted: number): Promise<void> {
    try {
      await entry.audience.refresh(database, vipsOf, wanted)
    } finally {
      entry.refreshing = undefined
      if (entry.audience.isEmpty) evict(id, entry)
      else recount(id, entry)
    }
  }

  /** The page, and the memory that it took. */
  function give(id: string, entry: Held, query: AudienceQuery, encoding: Encoding): Ready<AudiencePage> {
    const page = entry.audience.page(query, encoding)
    if (page instanceof Promise) return page.finally(() => recountIfChanged(id, entry))
    recountIfChanged(id, entry)
    return page
  }

  async function giveRefreshed(
    { id }: ChannelRef,
    entry: Held,
    query: AudienceQuery,
    wanted: number,
    encoding: Encoding,
  ): Promise<AudiencePage> {
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
    return await give(id, entry, query, encoding)
  }

  return {
    page(channel, query, wanted, encoding) {
      const entry = take(channel)
      const { audience } = entry
      return audience.isCurrent(query.vipsOf, wanted) && !audience.isAhead(wanted)
        ? give(channel.id, entry, query, encoding)
        : giveRefreshed(channel, entry, query, wanted, encoding)
    },
    memory: () => ({ channels: held.size, bytes }),
  }
}
