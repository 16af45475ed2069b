import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.js'
import type { AudienceRevision, ChannelRef } from '../../http/snapshot.js'
import { type Clock, systemClock } from '../../lib/clock.js'
import type { Ready } from '../../lib/ready.js'
import { createChangesReader, type ReadChanges } from './changes-reader.js'
import { type AudiencePage, type AudienceQuery, ChannelAudience, ListTooLargeError } from './channel-audience.js'
import type { ListLimits } from './channel-lists.js'
import { ColdBuilds } from './cold-builds.js'
import type { Encoding } from './page-headers.js'
import { UncachedLists } from './uncached-lists.js'

interface AudienceCacheOptions {
  /**
   * The memory limit for all channels together. The least recently used channel is evicted first. A list that would exceed
   * the limit together with its channel's other lists is not cached.
   */
  memoryBytesMax: number
  limits?: ListLimits
  clock?: Clock
}

interface Entry {
  audience: ChannelAudience
  /** Its size as the cache counts it. */
  bytes: number
  /** The running refresh, shared by all requests that wait for one. */
  refreshing: Promise<void> | undefined
  /** The builds of lists that are waiting for their turn or running, by `vipsOf`. */
  building: Map<string | undefined, Promise<void>>
  /** When the latest list was added, in milliseconds. */
  builtAt: number
}

/** The VIP lists of all channels, served from memory as far as they fit. */
export class AudienceCache {
  /** The epoch of all entries. */
  private epoch = ''
  /** Entries by channel id. Requests that use an evicted entry keep it until they are done. */
  private readonly entries: LRUCache<string, Entry>
  private readonly uncached: UncachedLists
  private readonly coldBuilds = new ColdBuilds()
  private readonly clock: Clock
  private readonly readChanges: ReadChanges

  constructor(
    private readonly database: Database,
    private readonly options: AudienceCacheOptions,
  ) {
    this.clock = options.clock ?? systemClock
    this.uncached = new UncachedLists(this.clock)
    this.readChanges = createChangesReader(database)
    this.entries = new LRUCache({
      maxSize: options.memoryBytesMax,
      dispose: ({ builtAt }, id, reason) => {
        if (reason === 'evict') this.uncached.noteEviction(id, builtAt)
      },
    })
  }

  /**
   * Returns a page that includes every change up to the revision, and maybe later ones. Throws DatabaseUnavailableError and
   * lists_busy.
   */
  page(channel: ChannelRef, query: AudienceQuery, current: AudienceRevision, encoding: Encoding): Ready<AudiencePage> {
    if (current.epoch !== this.epoch) {
      this.entries.clear()
      this.uncached.clear()
      this.epoch = current.epoch
    }
    const { revision } = current
    if (this.uncached.has(channel.id, query.vipsOf, revision)) return this.scan(channel, query, revision, encoding)
    const entry = this.entryOf(channel)
    return entry.audience.isCurrent(query.vipsOf, revision)
      ? this.render(channel.id, entry, query, encoding)
      : this.refreshAndRender(channel, entry, query, revision, encoding)
  }

  /** Bound to the cache, because a scrape calls it as a plain function. */
  readonly memory = () => ({ channels: this.entries.size, bytes: this.entries.calculatedSize })

  private newAudience({ organizationId, channelId }: ChannelRef): ChannelAudience {
    const { limits, memoryBytesMax } = this.options
    return new ChannelAudience({ organizationId, channelId }, this.epoch, limits, memoryBytesMax)
  }

  private entryOf(channel: ChannelRef): Entry {
    const known = this.entries.get(channel.id)
    if (known !== undefined) return known
    const entry: Entry = {
      audience: this.newAudience(channel),
      // A placeholder until the audience is read and counted: lru-cache does not accept 0.
      bytes: 1,
      refreshing: undefined,
      building: new Map(),
      builtAt: Number.NEGATIVE_INFINITY,
    }
    this.entries.set(channel.id, entry, { size: entry.bytes })
    return entry
  }

  /** Renders the page of a current entry, and counts its memory. */
  private render(id: string, entry: Entry, query: AudienceQuery, encoding: Encoding): Ready<AudiencePage> {
    const page = entry.audience.page(query, encoding)
    if (page instanceof Promise) return page.finally(() => this.recount(id, entry))
    this.recount(id, entry)
    return page
  }

  private recount(id: string, entry: Entry): void {
    const { bytes, isEmpty } = entry.audience
    if (bytes === entry.bytes || this.entries.peek(id) !== entry) return
    // Without the deletion, lru-cache would keep the old size.
    this.entries.delete(id)
    entry.bytes = bytes
    if (!isEmpty) this.entries.set(id, entry, { size: bytes })
  }

  /** Reads a page of an uncached list when its turn comes. */
  private scan(channel: ChannelRef, query: AudienceQuery, revision: number, encoding: Encoding): Promise<AudiencePage> {
    const audience = this.newAudience(channel)
    return this.coldBuilds.run(channel.organizationId, () => audience.scan(this.database, query, revision, encoding))
  }

  private async refreshAndRender(
    channel: ChannelRef,
    entry: Entry,
    query: AudienceQuery,
    revision: number,
    encoding: Encoding,
  ): Promise<AudiencePage> {
    const { id } = channel
    // A refresh that began earlier may end at an older revision or without this list, and then another one is needed.
    while (!entry.audience.isCurrent(query.vipsOf, revision)) {
      try {
        if (entry.audience.has(query.vipsOf)) await this.refreshOnce(id, entry, query.vipsOf, revision)
        else await this.build(channel, entry, query.vipsOf, revision)
      } catch (error) {
        if (!(error instanceof ListTooLargeError)) throw error
        this.uncached.noteTooLarge(id, error.vipsOf, revision)
        if (error.vipsOf === query.vipsOf) return await this.scan(channel, query, revision, encoding)
      }
    }
    return await this.render(id, entry, query, encoding)
  }

  /** Adds a list when its turn comes; existing lists are refreshed in the meantime. */
  private build(channel: ChannelRef, entry: Entry, vipsOf: string | undefined, revision: number): Promise<void> {
    const { building } = entry
    let build = building.get(vipsOf)
    if (build === undefined) {
      build = this.coldBuilds
        .run(channel.organizationId, () => this.refreshOnce(channel.id, entry, vipsOf, revision))
        .finally(() => building.delete(vipsOf))
      building.set(vipsOf, build)
    }
    return build
  }

  /** Returns the running refresh, or starts one. */
  private refreshOnce(id: string, entry: Entry, vipsOf: string | undefined, revision: number): Promise<void> {
    entry.refreshing ??= this.refresh(id, entry, vipsOf, revision)
    return entry.refreshing
  }

  private async refresh(id: string, entry: Entry, vipsOf: string | undefined, revision: number): Promise<void> {
    try {
      const isBuild = !entry.audience.has(vipsOf)
      await entry.audience.refresh(this.database, this.readChanges, vipsOf, revision)
      if (isBuild) entry.builtAt = this.clock.now()
    } finally {
      entry.refreshing = undefined
      this.recount(id, entry)
    }
  }
}
