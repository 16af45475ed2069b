import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.js'
import type { AudienceRevision, ChannelRef } from '../../http/snapshot.js'
import { type Clock, systemClock } from '../../lib/clock.js'
import { limit } from '../../lib/limits.js'
import type { Ready } from '../../lib/ready.js'
import {
  type AudiencePage,
  type AudienceQuery,
  CHANGES_APPLIED_MAX,
  ChannelAudience,
  LIST_LIMITS,
  ListTooLargeError,
} from './channel-audience.js'
import type { ListLimits } from './channel-lists.js'
import { ColdBuilds } from './cold-builds.js'
import type { Encoding } from './page-headers.js'

/** The VIP lists of all channels, read from memory as far as they fit. */
export interface AudienceCache {
  /** A page that includes every change up to the revision, and maybe later ones. Throws DatabaseUnavailableError, and lists_busy. */
  page(channel: ChannelRef, query: AudienceQuery, current: AudienceRevision, encoding: Encoding): Ready<AudiencePage>
  /** What is cached now. */
  memory(): { channels: number; bytes: number }
}

export interface AudienceCacheOptions {
  /**
   * All channels together take no more; the least recently used is evicted first. A list that would take more, with the others of
   * its channel, is not cached.
   */
  memoryBytesMax: number
  limits?: ListLimits
  clock?: Clock
}

interface Entry {
  audience: ChannelAudience
  /** Its size as the cache counts it. */
  bytes: number
  /** The refresh under way, shared by all requests that wait for one. */
  refreshing: Promise<void> | undefined
  /** By list, those that are not there yet and wait for their turn. */
  building: Map<string | undefined, Promise<void>>
  /** When the latest list was added, in milliseconds. */
  builtAt: number
}

const NOT_BUILT_AGAIN_MS = limit('listNotBuiltAgainMs')

/** Lists that are known to be too large. */
const TOO_LARGE_MAX = 10_000
const EVICTED_MAX = 10_000

export function createAudienceCache(database: Database, options: AudienceCacheOptions): AudienceCache {
  const { memoryBytesMax, limits = LIST_LIMITS, clock = systemClock } = options
  /** By the id of the channel. Requests that work with an evicted entry keep it until they are done. */
  const entries = new LRUCache<string, Entry>({
    maxSize: memoryBytesMax,
    dispose(entry, id, reason) {
      if (reason === 'evict' && clock.now() - entry.builtAt < NOT_BUILT_AGAIN_MS) evictedEarly.set(id, clock.now())
    },
  })
  /** By channel: when its lists made room for others at once. Until memory is less in demand they are read page by page. */
  const evictedEarly = new LRUCache<string, number>({ max: EVICTED_MAX })
  const coldBuilds = new ColdBuilds()
  /** By channel and workspace: the revision at which a list was too large. It is tried again when much has changed. */
  const tooLarge = new LRUCache<string, number>({ max: TOO_LARGE_MAX })
  /** Of all entries. */
  let epoch = ''

  const newAudience = ({ organizationId, channelId }: ChannelRef): ChannelAudience =>
    new ChannelAudience({ organizationId, channelId }, epoch, limits, memoryBytesMax)

  function entryOf(channel: ChannelRef): Entry {
    const { id } = channel
    const known = entries.get(id)
    if (known !== undefined) return known
    const audience = newAudience(channel)
    // Until it is read and counted; lru-cache takes no 0.
    const entry: Entry = {
      audience,
      bytes: 1,
      refreshing: undefined,
      building: new Map(),
      builtAt: Number.NEGATIVE_INFINITY,
    }
    entries.set(id, entry, { size: entry.bytes })
    return entry
  }

  function recount(id: string, entry: Entry): void {
    const { bytes, isEmpty } = entry.audience
    if (bytes === entry.bytes || entries.peek(id) !== entry) return
    // Without the deletion lru-cache would keep the old size.
    entries.delete(id)
    entry.bytes = bytes
    if (!isEmpty) entries.set(id, entry, { size: bytes })
  }

  async function refresh(id: string, entry: Entry, vipsOf: string | undefined, revision: number): Promise<void> {
    try {
      const isBuild = !entry.audience.has(vipsOf)
      await entry.audience.refresh(database, vipsOf, revision)
      if (isBuild) entry.builtAt = clock.now()
    } finally {
      entry.refreshing = undefined
      recount(id, entry)
    }
  }

  /** The refresh under way, or a new one. */
  function refreshOnce(id: string, entry: Entry, vipsOf: string | undefined, revision: number): Promise<void> {
    entry.refreshing ??= refresh(id, entry, vipsOf, revision)
    return entry.refreshing
  }

  /** Adds a list, in its turn: the lists that are there are refreshed meanwhile. */
  function build(channel: ChannelRef, entry: Entry, vipsOf: string | undefined, revision: number): Promise<void> {
    const { building } = entry
    let build = building.get(vipsOf)
    if (build === undefined) {
      build = coldBuilds
        .run(channel.organizationId, () => refreshOnce(channel.id, entry, vipsOf, revision))
        .finally(() => building.delete(vipsOf))
      building.set(vipsOf, build)
    }
    return build
  }

  /** A page of a list that is not cached, in its turn. */
  function scan(
    channel: ChannelRef,
    query: AudienceQuery,
    revision: number,
    encoding: Encoding,
  ): Promise<AudiencePage> {
    const audience = newAudience(channel)
    return coldBuilds.run(channel.organizationId, () => audience.scan(database, query, revision, encoding))
  }

  function isEvictedEarly(id: string): boolean {
    const at = evictedEarly.get(id)
    if (at === undefined) return false
    if (clock.now() - at < NOT_BUILT_AGAIN_MS) return true
    evictedEarly.delete(id)
    return false
  }

  const listId = (id: string, vipsOf: string | undefined): string => JSON.stringify([id, vipsOf])

  /** The page of a current entry, whose memory is counted. */
  function render(id: string, entry: Entry, query: AudienceQuery, encoding: Encoding): Ready<AudiencePage> {
    const page = entry.audience.page(query, encoding)
    if (page instanceof Promise) return page.finally(() => recount(id, entry))
    recount(id, entry)
    return page
  }

  async function refreshAndRender(
    channel: ChannelRef,
    entry: Entry,
    query: AudienceQuery,
    revision: number,
    encoding: Encoding,
  ): Promise<AudiencePage> {
    const { id } = channel
    // A refresh that began earlier may end at an older revision, or without this list: then one more follows.
    while (!entry.audience.isCurrent(query.vipsOf, revision)) {
      try {
        if (entry.audience.has(query.vipsOf)) await refreshOnce(id, entry, query.vipsOf, revision)
        else await build(channel, entry, query.vipsOf, revision)
      } catch (error) {
        if (!(error instanceof ListTooLargeError)) throw error
        tooLarge.set(listId(id, error.vipsOf), revision)
        if (error.vipsOf === query.vipsOf) return await scan(channel, query, revision, encoding)
      }
    }
    return await render(id, entry, query, encoding)
  }

  return {
    page(channel, query, current, encoding) {
      if (current.epoch !== epoch) {
        entries.clear()
        tooLarge.clear()
        evictedEarly.clear()
        epoch = current.epoch
      }
      const { revision } = current
      if (tooLarge.size > 0) {
        const at = tooLarge.get(listId(channel.id, query.vipsOf)) ?? Number.NEGATIVE_INFINITY
        if (revision - at <= CHANGES_APPLIED_MAX) return scan(channel, query, revision, encoding)
      }
      if (evictedEarly.size > 0 && isEvictedEarly(channel.id)) return scan(channel, query, revision, encoding)
      const entry = entryOf(channel)
      return entry.audience.isCurrent(query.vipsOf, revision)
        ? render(channel.id, entry, query, encoding)
        : refreshAndRender(channel, entry, query, revision, encoding)
    },
    memory: () => ({ channels: entries.size, bytes: entries.calculatedSize }),
  }
}
