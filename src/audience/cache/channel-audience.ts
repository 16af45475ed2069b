import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import type { Database, Queryable } from '../../database/database.js'
import type { ChannelKey } from '../../http/snapshot.js'
import type { Ready } from '../../lib/ready.js'
import { BlockList, type Filter, type ListChange, type ListLimits } from './block-list.js'
import { type ChangedConversation, readAudienceChanges, readAudienceRevision } from './change-log.store.js'
import { type ListEntry, toEntry } from './list-entry.js'
import { countConversations, readInSnapshot, readListRows } from './list-rows.store.js'
import { type Encoding, pageHeaders, toEtag } from './page-headers.js'

/** interface 8: the scan guardrail. */
export const SCAN_ROWS_MAX = 25_000
export const LIST_LIMITS: ListLimits = { scan: SCAN_ROWS_MAX, slack: 1_000, block: 128 }

/** With more changes than that, to read the list anew takes no longer. */
const CHANGES_APPLIED_MAX = 5_000
/** Of pages as they went out, kept to go out again; a channel's oldest go first. */
const CACHED_BYTES_MAX = 2 * 1024 * 1024
/** Under one packet or two there is nothing to gain. */
const COMPRESSED_BYTES_MIN = 2_048

/** What a page shows. */
export interface PageQuery {
  /** The workspace whose VIPs are meant; undefined: every conversation of the channel. */
  vipsOf: string | undefined
  filter: Filter
  compact: boolean
  limit: number
  offset: number
}

/** A page, and what tells it from others of its channel. */
export interface AudienceQuery extends PageQuery {
  /** Among those of its list: for its ETag. */
  name: string
  /** Among those of all lists. */
  id: string
}

export function toAudienceQuery(query: PageQuery): AudienceQuery {
  const { vipsOf, filter, compact, limit, offset } = query
  const name = `${vipsOf === undefined ? 'all' : 'vip'}-${filter}-${compact ? 'compact' : 'full'}-${limit}-${offset}`
  return { ...query, name, id: `${name}/${vipsOf ?? ''}` }
}

/** The envelope of interface 2.2 as it goes out. */
export interface AudiencePage {
  body: Buffer
  headers: Readonly<Record<string, string>>
  returned: number
}

/** One channel's lists in memory, as they were at a revision, and the pages made of them. */
export class ChannelAudience {
  private revision = -1
  /** The VIPs of a workspace; under undefined, all. Only those that were asked for. */
  private lists = new Map<string | undefined, BlockList>()
  /** How many conversations the channel holds, as far as it is known. */
  private size: Range = UNKNOWN
  private pages = new PageCache()

  constructor(
    private readonly key: ChannelKey,
    private readonly limits: ListLimits = LIST_LIMITS,
  ) {}

  /** Whether the list is here, as it was at the revision or later. */
  isCurrent(vipsOf: string | undefined, revision: number): boolean {
    return this.revision >= revision && this.lists.has(vipsOf)
  }

  get isEmpty(): boolean {
    return this.lists.size === 0
  }

  /** Memory that it takes, more or less. */
  get bytes(): number {
    let bytes = 1_000 + this.pages.bytes
    for (const list of this.lists.values()) bytes += list.bytes
    return bytes
  }

  /** Whether what is here is newer than the revision. */
  isAhead(revision: number): boolean {
    return this.revision > revision
  }

  /**
   * Brings what is here up to the database, and the list of a workspace in. Everything is read before anything is changed:
   * when reading fails, all stays as it was. `revision` is what the database had reached a moment ago; it is less than that
   * of a list here when the answer was overtaken, or when the database was set back to a copy: then the list is read anew.
   */
  async refresh(database: Database, vipsOf: string | undefined, revision: number): Promise<void> {
    await this.catchUp(database, vipsOf, revision)
    if (this.revision < revision) throw new Error('the revision of an audience went back while it was read')
  }

  private async catchUp(database: Database, vipsOf: string | undefined, revision: number): Promise<void> {
    const isNear = this.revision >= 0 && revision - this.revision <= CHANGES_APPLIED_MAX
    if (isNear && this.lists.has(vipsOf)) {
      const { revision: reached, changed } = await readAudienceChanges(database, this.key, this.revision)
      if (reached === this.revision) return
      if (changed !== 'all') {
        const changes = toChanges(changed)
        const size = this.sizeAfter(changes)
        const lists = [...this.lists].map(([of, list]): ListStep => ({ of, list, changes: changesOf(of, changes) }))
        const isEnough = lists.every(({ list, changes }) => list.rowsWanted(changes) === 0)
        if (isEnough && (this.lists.has(undefined) || this.isDecided(size))) {
          this.advance({ revision: reached, lists, size })
          return
        }
      }
    }
    this.advance(await readInSnapshot(database, (tx) => this.readStep(tx, vipsOf)))
  }

  /** A page of a list that is here. It is of one moment, that of its revision. */
  page(query: AudienceQuery, encoding: Encoding): Ready<AudiencePage> {
    const { pages } = this
    const plain = pages.find(query.id) ?? pages.add(query.id, this.render(query))
    if (encoding === 'identity' || plain.body.length < COMPRESSED_BYTES_MIN) return plain
    const tag = toEtag(this.revision, query.name, encoding)
    return pages.compress(`${encoding}/${query.id}`, plain, encoding, pageHeaders(tag, encoding))
  }

  /** What is needed to come to the present, all of it of one moment. */
  private async readStep(tx: Queryable, vipsOf: string | undefined): Promise<Step> {
    const { scan, slack } = this.limits
    const revision = await readAudienceRevision(tx, this.key)
    const lists: ListStep[] = []
    let size = UNKNOWN
    if (this.lists.size > 0 && revision - this.revision <= CHANGES_APPLIED_MAX) {
      const { changed } = await readAudienceChanges(tx, this.key, this.revision)
      if (changed !== 'all') {
        const all = toChanges(changed)
        size = this.sizeAfter(all)
        for (const [of, list] of this.lists) {
          const changes = changesOf(of, all)
          const wanted = list.rowsWanted(changes)
          const following = wanted === 0 ? [] : await readListRows(tx, this.key, of, wanted, list.end)
          const complete = list.complete || following.length < wanted
          lists.push({ of, list, changes, following: following.map(toEntry), complete })
        }
      }
    }
    if (!lists.some(({ of }) => of === vipsOf)) {
      const rows = await readListRows(tx, this.key, vipsOf, scan + slack)
      const [list, complete] = [new BlockList(this.limits), rows.length < scan + slack]
      lists.push({ of: vipsOf, list, changes: [], following: rows.map(toEntry), complete })
    }
    if (!lists.some(({ of }) => of === undefined) && !this.isDecided(size)) {
      const count = await countConversations(tx, this.key, scan + slack)
      size = { min: count, max: count < scan + slack ? count : Number.POSITIVE_INFINITY }
    }
    return { revision, lists, size }
  }

  /** In one go, so that nobody sees half of it. */
  private advance({ revision, lists, size }: Step): void {
    try {
      for (const { list, changes, following, complete } of lists) list.apply(changes, following, complete)
    } catch (error) {
      // Never to be: what is half changed is not served.
      this.lists.clear()
      this.revision = -1
      throw error
    }
    this.lists = new Map(lists.map(({ of, list }) => [of, list]))
    const all = this.lists.get(undefined)
    this.size = all === undefined ? size : sizeOf(all)
    this.revision = revision
    this.pages = new PageCache()
  }

  private sizeAfter(changes: readonly ConversationChange[]): Range {
    let { min, max } = this.size
    for (const { id, entry } of changes) {
      if (entry === undefined) min -= 1
      else if (![...this.lists.values()].some((list) => list.has(id))) max += 1
    }
    return { min, max }
  }

  /** Whether the size says that the channel exceeds the scan, or that it does not. */
  private isDecided({ min, max }: Range): boolean {
    return min > this.limits.scan || max <= this.limits.scan
  }

  private render(query: AudienceQuery): AudiencePage {
    const list = this.lists.get(query.vipsOf)!
    const scanCapped = this.lists.get(undefined)?.exceedsScan ?? this.size.min > this.limits.scan
    const { pieces, bytes, returned, total } = list.page(query)
    const nextOffset = query.offset + returned
    const end = Buffer.from(
      `],"returned":${returned},"total":${total},"mayHaveMore":${nextOffset < total},` +
        `"nextOffset":${nextOffset},"scanCapped":${scanCapped}}`,
    )
    // The last row's comma gives way to the end.
    const rowsEnd = HEAD.length + (bytes === 0 ? 0 : bytes - 1)
    const body = Buffer.allocUnsafe(Math.max(HEAD.length + bytes, rowsEnd + end.length))
    HEAD.copy(body)
    let at = HEAD.length
    for (const piece of pieces) at += piece.bytes.copy(body, at, piece.start, piece.end)
    end.copy(body, rowsEnd)
    const headers = pageHeaders(toEtag(this.revision, query.name, 'identity'), 'identity')
    return { body: body.subarray(0, rowsEnd + end.length), headers, returned }
  }
}

const HEAD = Buffer.from('{"items":[')

/** A conversation that changed, and which workspaces hold it for a VIP. */
interface ConversationChange {
  id: string
  entry: ListEntry | undefined
  vipOf: readonly string[]
}

/** What brings one list to a moment: a new list is filled by what follows its nothing. */
interface ListStep {
  of: string | undefined
  list: BlockList
  changes: ListChange[]
  following?: ListEntry[]
  complete?: boolean
}

interface Step {
  revision: number
  lists: ListStep[]
  size: Range
}

interface Range {
  min: number
  max: number
}

const UNKNOWN: Range = { min: 0, max: Number.POSITIVE_INFINITY }

const sizeOf = ({ complete, length }: BlockList): Range => ({
  min: length,
  max: complete ? length : Number.POSITIVE_INFINITY,
})

function toChanges(changed: readonly ChangedConversation[]): ConversationChange[] {
  return changed.map(({ conversationId, row }) => ({
    id: conversationId,
    entry: row && toEntry(row),
    vipOf: row?.vip_of ?? [],
  }))
}

/** The changes as the list of a workspace's VIPs sees them; with undefined, as the list of all does. */
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

/** The pages of one revision, as they are and compressed. */
class PageCache {
  bytes = 0
  private readonly pages = new Map<string, Ready<AudiencePage>>()

  /** One that is here as it is. */
  find(id: string): AudiencePage | undefined {
    return this.pages.get(id) as AudiencePage | undefined
  }

  add(id: string, page: AudiencePage): AudiencePage {
    this.pages.set(id, page)
    this.count(page.body.length)
    return page
  }

  /** Once for all who want it. */
  compress(
    id: string,
    { body, returned }: AudiencePage,
    encoding: Exclude<Encoding, 'identity'>,
    headers: AudiencePage['headers'],
  ): Ready<AudiencePage> {
    const known = this.pages.get(id)
    if (known !== undefined) return known
    const making = compressors[encoding](body).then((compressed) => ({ body: compressed, headers, returned }))
    this.pages.set(id, making)
    making.then(
      (page) => this.pages.get(id) === making && this.add(id, page),
      () => this.pages.delete(id),
    )
    return making
  }

  /** When there is no room for more, they are made again as they are wanted: which ones are the best to keep, nobody knows. */
  private count(bytes: number): void {
    this.bytes += bytes + 200
    if (this.bytes <= CACHED_BYTES_MAX) return
    this.pages.clear()
    this.bytes = 0
  }
}
