import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.js'
import type { AudienceRevision, ChannelRef } from '../../http/snapshot.js'
import type { Ready } from '../../lib/ready.js'
import type { ListLimits } from './block-list.js'
import {
  type AudiencePage,
  type AudienceQuery,
  CHANGES_APPLIED_MAX,
  ChannelAudience,
  LIST_LIMITS,
  ListTooLargeError,
} from './channel-audience.js'
import type { Encoding } from './page-headers.js'

/** The VIP lists of all channels, read from memory as far as they fit. */
export interface AudienceCache {
  /** A page that includes every change up to the revision, and maybe later ones. Throws DatabaseUnavailableError. */
  page(channel: ChannelRef, query: AudienceQuery, current: AudienceRevision, encoding: Encoding): Ready<AudiencePage>
  /** What is cached now. */
  memory(): { channels: number; bytes: number }
}

export interface AudienceCacheOptions {
  /** For all channels together; the least recently used is evicted first. A list that takes more is not cached. */
  memoryBytesMax: number
  limits?: ListLimits
}

interface Entry {
  audience: ChannelAudience
  /** Its size as the cache counts it. */
  bytes: number
  /** The refresh under way, shared by all requests that wait for one. */
  refreshing: Promise<void> | undefined
}

/** Lists that are known to be too large. */
const TOO_LARGE_MAX = 10_000

export function createAudienceCache(database: Database, options: AudienceCacheOptions): AudienceCache {
  const { memoryBytesMax, limits = LIST_LIMITS } = options
  /** By the id of the channel. Requests that work with an evicted entry keep it until they are done. */
  const entries = new LRUCache<string, Entry>({ maxSize: memoryBytesMax })
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
    const entry: Entry = { audience, bytes: 1, refreshing: undefined }
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
      await entry.audience.refresh(database, vipsOf, revision)
    } finally {
      entry.refreshing = undefined
      recount(id, entry)
    }
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
    { id }: ChannelRef,
    entry: Entry,
    query: AudienceQuery,
    revision: number,
    encoding: Encoding,
  ): Promise<AudiencePage> {
    // A refresh that began earlier may end at an older revision, or without this list: then one more follows.
    while (!entry.audience.isCurrent(query.vipsOf, revision)) {
      entry.refreshing ??= refresh(id, entry, query.vipsOf, revision)
      try {
        await entry.refreshing
      } catch (error) {
        if (!(error instanceof ListTooLargeError)) throw error
        tooLarge.set(listId(id, error.vipsOf), revision)
        if (error.vipsOf === query.vipsOf) return await entry.audience.scan(database, query, revision, encoding)
      }
    }
    return await render(id, entry, query, encoding)
  }

  return {
    page(channel, query, current, encoding) {
      if (current.epoch !== epoch) {
        entries.clear()
        tooLarge.clear()
        epoch = current.epoch
      }
      const { revision } = current
      if (tooLarge.size > 0) {
        const at = tooLarge.get(listId(channel.id, query.vipsOf)) ?? Number.NEGATIVE_INFINITY
        if (revision - at <= CHANGES_APPLIED_MAX) {
          return newAudience(channel).scan(database, query, revision, encoding)
        }
      }
      const entry = entryOf(channel)
      return entry.audience.isCurrent(query.vipsOf, revision)
        ? render(channel.id, entry, query, encoding)
        : refreshAndRender(channel, entry, query, revision, encoding)
    },
    memory: () => ({ channels: entries.size, bytes: entries.calculatedSize }),
  }
}
