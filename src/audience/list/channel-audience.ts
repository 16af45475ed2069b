import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { type Database, DatabaseUnavailableError, type Queryable } from '../../database/database.js'
import type { AudienceRevision, ChannelKey } from '../../http/snapshot.js'
import type { VipUserList } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import type { Ready } from '../../lib/ready.js'
import { packConversation } from '../fields.js'
import type { ListName } from './blocks.js'
import { type ChangedConversation, readAudienceChanges, readAudienceRevision } from './change-log.store.js'
import type { ReadChanges } from './changes-reader.js'
import { ChannelLists, type ListChange, type ListLimits, type ListQuery, type ListStep } from './channel-lists.js'
import { type EntryKey, type ListEntry, toEntry } from './list-entry.js'
import { countConversations, readListPage, readListRows } from './list-rows.store.js'
import { type Encoding, pageHeaders, toPageEtag } from './page-headers.js'

/** interface 8: the scan guardrail. */
const SCAN_ROWS_MAX = limit('scanRows')
const LIST_LIMITS: ListLimits = { scan: SCAN_ROWS_MAX, slack: 1_000, block: 64 }

/** Applying more changes than this takes as long as reading the list again. */
export const CHANGES_APPLIED_MAX = 5_000
/** Rows read by one statement; after the first, enough to make PIECE_CHARS. */
const PIECE_ROWS = { first: 500, min: 50, max: 5_000 }
/** The embedded engine reads this much in 40 ms, and serves nothing else during that time. */
const PIECE_CHARS = 1024 * 1024
/** The memory for the rendered pages of one channel. */
const CACHED_BYTES_MAX = 2 * 1024 * 1024
/** The memory of a cached page besides its body. */
const PAGE_OVERHEAD_BYTES = 200
/** A smaller page fits into one or two packets. */
const COMPRESSED_BYTES_MIN = 2_048

export interface AudienceQuery extends ListQuery {
  /** Unique among the pages of a list; part of the ETag. */
  name: string
  /** Unique among the pages of all lists of a channel. */
  id: string
}

export function toAudienceQuery(query: ListQuery): AudienceQuery {
  const { vipsOf, filter, compact, limit, offset } = query
  const name = `${vipsOf === undefined ? 'all' : 'vip'}-${filter}-${compact ? 'compact' : 'full'}-${limit}-${offset}`
  return { ...query, name, id: `${name}/${vipsOf ?? ''}` }
}

/** The envelope of interface 2.2, ready to send. */
export interface AudiencePage {
  body: Buffer
  headers: Readonly<Record<string, string>>
  returned: number
}

/** Thrown if a list takes more memory than there is for all. */
export class ListTooLargeError extends Error {
  constructor(readonly vipsOf: string | undefined) {
    super('the list is too large to cache')
  }
}

/** The lists of one channel at one revision of one epoch, and their rendered pages. */
export class ChannelAudience {
  revision = -1
  /** The requested lists. */
  private lists: ChannelLists
  /** The number of conversations in the channel, as far as known. */
  private size: Range = UNKNOWN
  private pages = new PageCache()

  constructor(
    private readonly key: ChannelKey,
    readonly epoch: string,
    private readonly limits: ListLimits = LIST_LIMITS,
    /** Bytes of memory for all lists together. */
    private readonly bytesMax = Number.POSITIVE_INFINITY,
  ) {
    this.lists = new ChannelLists(limits)
  }

  /** Returns whether the list is cached at this revision or a later one. */
  isCurrent(vipsOf: string | undefined, revision: number): boolean {
    return this.revision >= revision && this.lists.hasList(vipsOf)
  }

  /** Returns whether the list is cached at any revision. */
  has(vipsOf: string | undefined): boolean {
    return this.lists.hasList(vipsOf)
  }

  get isEmpty(): boolean {
    return this.lists.names.length === 0
  }

  /** The approximate memory. */
  get bytes(): number {
    return 1_000 + this.pages.bytes + this.lists.bytes
  }

  /**
   * Updates the lists from the database, and adds a workspace's. Everything is read before anything is changed, so that a
   * failed read changes nothing. `revision` is one that the database has reached. Throws DatabaseUnavailableError, also if
   * another database has replaced it.
   */
  async refresh(
    database: Database,
    readChanges: ReadChanges,
    vipsOf: string | undefined,
    revision: number,
  ): Promise<void> {
    const count = revision - this.revision
    if (this.revision >= 0 && count <= CHANGES_APPLIED_MAX && this.has(vipsOf)) {
      const { reached, changed } = await readChanges(this.key, this.revision, count)
      this.checkReached(reached, revision)
      if (reached.revision === this.revision) return
      if (changed !== 'all') {
        const changes = toChanges(changed)
        const size = this.sizeAfter(changes)
        const steps = this.lists.names.map((of): ListStep => ({ of, changes: changesOf(of, changes) }))
        const isEnough = steps.every(({ of, changes }) => this.lists.rowsMissing(of, changes) === 0)
        if (isEnough && (this.has(undefined) || this.isDecided(size))) {
          this.applySteps(steps)
          this.advance({ revision: reached.revision, lists: this.lists, size })
          return
        }
      }
    }
    try {
      this.advance(await database.readInSnapshot((tx) => this.readStep(tx, vipsOf, revision)))
    } catch (error) {
      if (!(error instanceof ListTooLargeError) || error.vipsOf === vipsOf) throw error
      // A list other than the requested one was too large: continue without it.
      this.lists.drop(error.vipsOf)
    }
  }

  /** Reads a page directly from the database, for a list that is not cached: only the rows of the page are read whole. */
  async scan(database: Database, query: AudienceQuery, atLeast: number, encoding: Encoding): Promise<AudiencePage> {
    const { offset, compact, name } = query
    const { reached, found } = await database.readInSnapshot(async (tx) => ({
      reached: await readAudienceRevision(tx, this.key),
      found: await readListPage(tx, this.key, query, this.limits.scan),
    }))
    this.checkReached(reached, atLeast)
    const { rows, total, scanCapped } = found
    const items = rows.map((row) => toEntry(packConversation(row))[compact ? 'compact' : 'full']).join(',')
    const end = endOf({ returned: rows.length, total, nextOffset: offset + rows.length, scanCapped })
    const plain = Buffer.concat([HEAD, Buffer.from(items), end])
    const used = plain.length < COMPRESSED_BYTES_MIN ? 'identity' : encoding
    const headers = pageHeaders(toPageEtag(reached, name, used), used)
    return { body: used === 'identity' ? plain : await compressors[used](plain), headers, returned: rows.length }
  }

  /** Throws unless the data belong to the same history, at least as far as it is known to have advanced. */
  private checkReached(reached: AudienceRevision, revision: number): void {
    if (reached.epoch === this.epoch && reached.revision >= revision) return
    throw new DatabaseUnavailableError(new Error('the database was replaced while an audience was being read'))
  }

  /** Returns a page of a cached list. All its rows are from one revision. */
  page(query: AudienceQuery, encoding: Encoding): Ready<AudiencePage> {
    const { pages } = this
    const plain = pages.find(query.id) ?? pages.add(query.id, this.render(query))
    if (encoding === 'identity' || plain.body.length < COMPRESSED_BYTES_MIN) return plain
    const tag = toPageEtag(this, query.name, encoding)
    return pages.compress(`${encoding}/${query.id}`, plain, encoding, pageHeaders(tag, encoding))
  }

  /** Reads the lists at one later revision. */
  private async readStep(tx: Queryable, vipsOf: ListName, atLeast: number): Promise<Step> {
    const { scan, slack } = this.limits
    const reached = await readAudienceRevision(tx, this.key)
    this.checkReached(reached, atLeast)
    const { revision } = reached
    const isNear = !this.isEmpty && revision - this.revision <= CHANGES_APPLIED_MAX
    const asked = [{ channel: this.key, since: this.revision }]
    const changed = isNear ? (await readAudienceChanges(tx, asked))[0]!.changed : 'all'
    const { lists, size } =
      changed === 'all'
        ? { lists: new ChannelLists(this.limits), size: UNKNOWN }
        : await this.readChanges(tx, toChanges(changed))
    if (!lists.hasList(vipsOf)) await this.readList(tx, lists, vipsOf)
    if (lists.hasList(undefined) || this.isDecided(size)) return { revision, lists, size }
    const count = await countConversations(tx, this.key, scan + slack)
    return { revision, lists, size: { min: count, max: count < scan + slack ? count : Number.POSITIVE_INFINITY } }
  }

  /** Returns a copy of the lists with the changes, and with the rows that move up because of them. */
  private async readChanges(tx: Queryable, all: ConversationChange[]): Promise<Pick<Step, 'lists' | 'size'>> {
    const size = this.sizeAfter(all)
    const lists = this.lists.fork()
    const steps: ListStep[] = []
    const readAgain: ListName[] = []
    for (const of of lists.names) {
      const changes = changesOf(of, all)
      const missing = lists.rowsMissing(of, changes)
      if (missing > PIECE_ROWS.max) {
        readAgain.push(of)
        continue
      }
      const rows = missing === 0 ? [] : await readListRows(tx, this.key, of, missing, lists.endOf(of))
      steps.push({ of, changes, following: rows.map(toEntry), complete: lists.isComplete(of) || rows.length < missing })
    }
    for (const of of readAgain) lists.drop(of)
    lists.apply(steps)
    for (const of of readAgain) await this.readList(tx, lists, of)
    return { lists, size }
  }

  /** Adds a list, read from its start in pieces, of which only the packed rows stay. Throws ListTooLargeError. */
  private async readList(tx: Queryable, lists: ChannelLists, of: ListName): Promise<void> {
    const wanted = this.limits.scan + this.limits.slack
    let length = 0
    for (let rows = PIECE_ROWS.first, after: EntryKey | undefined; ; ) {
      const asked = Math.min(rows, wanted - length)
      const entries = (await readListRows(tx, this.key, of, asked, after)).map(toEntry)
      const isLast = entries.length < asked
      lists.apply([{ of, changes: [], following: entries, complete: isLast }])
      length += entries.length
      if (lists.bytes > this.bytesMax) throw new ListTooLargeError(of)
      if (isLast || length >= wanted) return
      after = entries.at(-1)
      const chars = entries.reduce((sum, { full, compact }) => sum + full.length + compact.length, 0)
      rows = Math.max(PIECE_ROWS.min, Math.min(PIECE_ROWS.max, Math.floor((PIECE_CHARS * entries.length) / chars)))
    }
  }

  /** Changes the lists in place, synchronously, so that no request sees a partial change. */
  private applySteps(steps: readonly ListStep[]): void {
    try {
      this.lists.apply(steps)
    } catch (error) {
      // This is a bug: partially changed lists must not be served.
      this.lists = new ChannelLists(this.limits)
      this.revision = -1
      throw error
    }
  }

  private advance({ revision, lists, size }: Step): void {
    this.lists = lists
    this.size = lists.hasList(undefined) ? sizeOf(lists) : size
    this.revision = revision
    this.pages = new PageCache()
  }

  private sizeAfter(changes: readonly ConversationChange[]): Range {
    let { min, max } = this.size
    for (const { id, entry } of changes) {
      if (entry === undefined) min -= 1
      else if (!this.lists.has(id)) max += 1
    }
    return { min, max }
  }

  /** Returns whether the size shows that the channel exceeds the scan, or that it does not. */
  private isDecided({ min, max }: Range): boolean {
    return min > this.limits.scan || max <= this.limits.scan
  }

  private render(query: AudienceQuery): AudiencePage {
    const scanCapped = this.has(undefined) ? this.lists.exceedsScan(undefined) : this.size.min > this.limits.scan
    const { slices, bytes, returned, total } = this.lists.page(query)
    const nextOffset = query.offset + returned
    const end = endOf({ returned, total, nextOffset, scanCapped })
    // The end overwrites the comma of the last row.
    const rowsEnd = HEAD.length + (bytes === 0 ? 0 : bytes - 1)
    const body = Buffer.allocUnsafe(Math.max(HEAD.length + bytes, rowsEnd + end.length))
    HEAD.copy(body)
    let at = HEAD.length
    for (const slice of slices) at += slice.bytes.copy(body, at, slice.start, slice.end)
    end.copy(body, rowsEnd)
    const headers = pageHeaders(toPageEtag(this, query.name, 'identity'), 'identity')
    return { body: body.subarray(0, rowsEnd + end.length), headers, returned }
  }
}

const HEAD = Buffer.from('{"items":[')

/** Returns the envelope after its rows (interface 2.2). */
function endOf({ returned, total, nextOffset, scanCapped }: Omit<VipUserList, 'items' | 'mayHaveMore'>): Buffer {
  return Buffer.from(
    `],"returned":${returned},"total":${total},"mayHaveMore":${nextOffset < total},` +
      `"nextOffset":${nextOffset},"scanCapped":${scanCapped}}`,
  )
}

/** A changed conversation, and the workspaces in which it is a VIP. */
interface ConversationChange {
  id: string
  entry: ListEntry | undefined
  vipOf: readonly string[]
}

interface Step {
  revision: number
  lists: ChannelLists
  size: Range
}

interface Range {
  min: number
  max: number
}

const UNKNOWN: Range = { min: 0, max: Number.POSITIVE_INFINITY }

function sizeOf(lists: ChannelLists): Range {
  const rows = lists.rowsOf(undefined)
  return { min: rows, max: lists.isComplete(undefined) ? rows : Number.POSITIVE_INFINITY }
}

function toChanges(changed: readonly ChangedConversation[]): ConversationChange[] {
  return changed.map(({ conversationId, row }) => ({
    id: conversationId,
    entry: row && toEntry(packConversation(row)),
    vipOf: row?.vip_of ?? [],
  }))
}

/** Returns the changes as they affect the list of a workspace's VIPs, or with undefined the list of all conversations. */
function changesOf(vipsOf: string | undefined, changes: ConversationChange[]): ListChange[] {
  if (vipsOf === undefined) return changes
  return changes.map(({ id, entry, vipOf }) => ({ id, entry: vipOf.includes(vipsOf) ? entry : undefined }))
}

const gzipBody = promisify(gzip)
const brotliBody = promisify(brotliCompress)

const compressors: Record<Exclude<Encoding, 'identity'>, (body: Buffer) => Promise<Buffer>> = {
  gzip: (body) => gzipBody(body, { level: 6 }),
  br: (body) =>
    brotliBody(body, {
      params: { [zlib.BROTLI_PARAM_QUALITY]: 4, [zlib.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
}

/**
 * The pages of one revision, plain and compressed. If each request rendered its page, full 50 would take 25 % more
 * instructions (bench/README.md).
 */
class PageCache {
  private readonly pages = new LRUCache<string, AudiencePage>({
    maxSize: CACHED_BYTES_MAX,
    sizeCalculation: ({ body }) => body.length + PAGE_OVERHEAD_BYTES,
  })
  private readonly compressing = new Map<string, Promise<AudiencePage>>()

  get bytes(): number {
    return this.pages.calculatedSize
  }

  find(id: string): AudiencePage | undefined {
    return this.pages.get(id)
  }

  add(id: string, page: AudiencePage): AudiencePage {
    this.pages.set(id, page)
    return page
  }

  /** Compresses once for all requests that want it. */
  compress(
    id: string,
    { body, returned }: AudiencePage,
    encoding: Exclude<Encoding, 'identity'>,
    headers: AudiencePage['headers'],
  ): Ready<AudiencePage> {
    const known = this.pages.get(id) ?? this.compressing.get(id)
    if (known !== undefined) return known
    const compressing = compressors[encoding](body).then((compressed) =>
      this.add(id, { body: compressed, headers, returned }),
    )
    this.compressing.set(id, compressing)
    const end = (): void => void this.compressing.delete(id)
    compressing.then(end, end)
    return compressing
  }
}
