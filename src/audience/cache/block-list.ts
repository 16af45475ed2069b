import { compareEntries, type EntryKey, type ListEntry, NO_BIRTHDAY } from './list-entry.js'

/** How much of a list is cached. */
export interface ListLimits {
  /** Rows that the list serves at most (interface 8). */
  scan: number
  /** Rows cached beyond the scan, so that some may leave it without a read from the database. */
  slack: number
  /** Rows of one block, more or less: a change copies a block, a page is slices of some. */
  block: number
}

/** A conversation that changed. Without an entry it was deleted, or is no longer in this list. */
export interface ListChange {
  id: string
  entry: ListEntry | undefined
}

/** The rows of a page: all, those with a birthday, or those with a birthday in the month 1 to 12. */
export type Filter = 'none' | 'birthday' | number

export interface PageQuery {
  filter: Filter
  compact: boolean
  limit: number
  offset: number
}

/** The rows of a page as slices of JSON, each row followed by a comma. */
export interface PageRows {
  slices: Slice[]
  /** Length of all slices together. */
  bytes: number
  returned: number
  /** Rows that the filter lets through within the scan. */
  total: number
}

interface Slice {
  bytes: Buffer
  start: number
  end: number
}

/** Consecutive rows in one form, each followed by a comma. */
interface Form {
  bytes: Buffer
  /** Where each row ends, its comma included. */
  ends: Uint32Array
}

/** Consecutive rows of the list. Immutable: a change replaces it. */
interface Block {
  ids: string[]
  values: number[]
  months: Uint8Array
  /** How many have a birthday (0), and how many in each month (1 to 12). */
  counts: Uint16Array
  full: Form
  compact: Form
}

/** A row of a block that is to be packed: a new one, or one of the block before. */
interface SourceRow extends EntryKey {
  month: number
  from: Block | ListEntry
  /** Its index in that block. */
  index: number
}

const FORMS = ['full', 'compact'] as const

/**
 * Conversations in list order (highest lifetime value first, then by the bytes of the id) as JSON that is ready to send,
 * in blocks, so that a change copies few of them. It caches the start of the whole list: all of it (`complete`), or the rows
 * up to some last one.
 */
export class BlockList {
  private blocks: Block[] = [packBlock([])]
  private readonly blockOf = new Map<string, Block>()
  private isComplete = true
  private rows = 0
  private size = 0

  constructor(private readonly limits: ListLimits) {}

  /** Rows cached, those past the scan included. */
  get length(): number {
    return this.rows
  }

  /** Whether these are all rows. */
  get complete(): boolean {
    return this.isComplete
  }

  /** Memory, approximately. */
  get bytes(): number {
    return this.size
  }

  /** The last row cached, unless the list is complete. */
  get end(): EntryKey | undefined {
    return this.isComplete ? undefined : this.last()
  }

  /** Whether there are more rows than the scan reads. */
  get exceedsScan(): boolean {
    return !this.isComplete || this.rows > this.limits.scan
  }

  has(id: string): boolean {
    return this.blockOf.has(id)
  }

  /**
   * How many rows after the last one must be read for the scan to stay full when the changes are applied; 0 as long as the
   * slack lasts.
   */
  rowsMissing(changes: readonly ListChange[]): number {
    if (this.isComplete) return 0
    const end = this.last()
    let after = this.rows
    for (const { id, entry } of changes) {
      if (this.blockOf.has(id)) after -= 1
      if (entry !== undefined && compareEntries(entry, end) <= 0) after += 1
    }
    // More than the scan, not as many: the last row itself may be removed, and with it the end of what is known.
    return after > this.limits.scan ? 0 : this.limits.scan + this.limits.slack - after
  }

  /**
   * Applies the changes. `following` are the rows after the last one cached, with the changes already in them, and `complete`
   * says whether they are the last of all.
   */
  apply(changes: readonly ListChange[], following: readonly ListEntry[] = [], complete = this.isComplete): void {
    const end = this.isComplete ? undefined : this.last()
    const removed = new Map<Block, Set<string>>()
    const added = new Map<Block, ListEntry[]>()
    for (const { id, entry } of changes) {
      const block = this.blockOf.get(id)
      if (block !== undefined) {
        getOrMake(removed, block, () => new Set()).add(id)
        this.blockOf.delete(id)
      }
      // The rows between the last one cached and a later one are unknown.
      if (entry !== undefined && (end === undefined || compareEntries(entry, end) <= 0)) {
        getOrMake(added, this.blockFor(entry), () => []).push(entry)
      }
    }
    const tail = this.blocks.at(-1)!
    if (following.length > 0) getOrMake(added, tail, () => []).push(...following)
    this.isComplete = complete
    this.replaceBlocks(removed, added)
    this.trim()
  }

  /** The rows of a page, and how many match in all. */
  page({ filter, compact, limit, offset }: PageQuery): PageRows {
    const form = compact ? 'compact' : 'full'
    const slices: Slice[] = []
    let bytes = 0
    let total = 0
    let returned = 0
    let unread = this.limits.scan
    for (const block of this.blocks) {
      const within = Math.min(block.ids.length, unread)
      unread -= within
      const matches = countMatches(block, filter, within)
      const skipped = Math.max(offset - total, 0)
      const taken = Math.min(matches - skipped, limit - returned)
      total += matches
      if (taken <= 0) continue
      returned += taken
      const { bytes: rows, ends } = block[form]
      for (let index = filter === 'none' ? skipped : indexOfMatch(block, filter, skipped), left = taken; left > 0; ) {
        const start = index === 0 ? 0 : ends[index - 1]!
        // A slice is as many matches as follow each other.
        while (left > 0 && isMatch(block.months[index]!, filter)) {
          index += 1
          left -= 1
          if (filter === 'none') {
            index += left
            left = 0
          }
        }
        const end = ends[index - 1]!
        slices.push({ bytes: rows, start, end })
        bytes += end - start
        while (left > 0 && !isMatch(block.months[index]!, filter)) index += 1
      }
    }
    return { slices, bytes, returned, total }
  }

  private last(): EntryKey {
    const { ids, values } = this.blocks.at(-1)!
    return { id: ids.at(-1)!, value: values.at(-1)! }
  }

  /** The block that the row belongs to: the first that does not end before it. */
  private blockFor(entry: EntryKey): Block {
    let low = 0
    let high = this.blocks.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      const { ids, values } = this.blocks[middle]!
      if (compareEntries({ id: ids.at(-1)!, value: values.at(-1)! }, entry) < 0) low = middle + 1
      else high = middle
    }
    return this.blocks[low]!
  }

  private replaceBlocks(removed: Map<Block, Set<string>>, added: Map<Block, ListEntry[]>): void {
    const blocks: Block[] = []
    for (const block of this.blocks) {
      const without = removed.get(block)
      const entries = added.get(block)
      if (without === undefined && entries === undefined) {
        blocks.push(block)
        continue
      }
      let rows = merge(unpackBlock(block, without), entries ?? [])
      this.subtract(block)
      // A small rest joins the block before it.
      if (rows.length < this.limits.block / 4 && blocks.length > 0) {
        const before = blocks.pop()!
        rows = [...unpackBlock(before, undefined), ...rows]
        this.subtract(before)
      }
      const parts = Math.ceil(rows.length / (this.limits.block * 1.5))
      for (let part = 0; part < parts; part++) {
        const cut = (place: number): number => Math.round((place * rows.length) / parts)
        const made = packBlock(rows.slice(cut(part), cut(part + 1)))
        for (const id of made.ids) this.blockOf.set(id, made)
        this.rows += made.ids.length
        this.size += sizeOf(made)
        blocks.push(made)
      }
    }
    this.blocks = blocks.length > 0 ? blocks : [packBlock([])]
  }

  private subtract(block: Block): void {
    if (block.ids.length === 0) return
    this.rows -= block.ids.length
    this.size -= sizeOf(block)
  }

  /** Evicts the blocks at the end that the slack does not need. */
  private trim(): void {
    const { scan, slack } = this.limits
    if (this.rows <= scan + 2 * slack) return
    while (this.rows - this.blocks.at(-1)!.ids.length >= scan + slack) {
      const block = this.blocks.pop()!
      this.subtract(block)
      for (const id of block.ids) this.blockOf.delete(id)
      this.isComplete = false
    }
  }
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}

const isMatch = (month: number, filter: Filter): boolean =>
  filter === 'none' || (filter === 'birthday' ? month !== NO_BIRTHDAY : month === filter)

/** Matches among the first `within` rows. */
function countMatches({ ids, months, counts }: Block, filter: Filter, within: number): number {
  if (filter === 'none') return within
  if (within === ids.length) return counts[filter === 'birthday' ? 0 : filter]!
  let matches = 0
  for (let index = 0; index < within; index++) if (isMatch(months[index]!, filter)) matches += 1
  return matches
}

/** Index of the match after `skipped` others. */
function indexOfMatch({ months }: Block, filter: Filter, skipped: number): number {
  let index = 0
  for (let left = skipped; ; index++) {
    if (!isMatch(months[index]!, filter)) continue
    if (left === 0) return index
    left -= 1
  }
}

function unpackBlock(block: Block, without: Set<string> | undefined): SourceRow[] {
  const rows: SourceRow[] = []
  block.ids.forEach((id, index) => {
    if (without?.has(id)) return
    rows.push({ id, value: block.values[index]!, month: block.months[index]!, from: block, index })
  })
  return rows
}

/** Both in list order. */
function merge(rows: SourceRow[], entries: ListEntry[]): SourceRow[] {
  if (entries.length === 0) return rows
  const merged: SourceRow[] = []
  let next = 0
  for (const entry of entries.sort(compareEntries)) {
    while (next < rows.length && compareEntries(rows[next]!, entry) < 0) merged.push(rows[next++]!)
    merged.push({ id: entry.id, value: entry.value, month: entry.month, from: entry, index: 0 })
  }
  while (next < rows.length) merged.push(rows[next++]!)
  return merged
}

function packBlock(rows: SourceRow[]): Block {
  const counts = new Uint16Array(13)
  for (const { month } of rows) {
    if (month === NO_BIRTHDAY) continue
    counts[0]! += 1
    if (month >= 1 && month <= 12) counts[month]! += 1
  }
  return {
    ids: rows.map(({ id }) => id),
    values: rows.map(({ value }) => value),
    months: Uint8Array.from(rows, ({ month }) => month),
    counts,
    full: packForm(rows, 'full'),
    compact: packForm(rows, 'compact'),
  }
}

function packForm(rows: SourceRow[], form: (typeof FORMS)[number]): Form {
  const ends = new Uint32Array(rows.length)
  let length = 0
  rows.forEach(({ from, index }, place) => {
    length += isBlock(from) ? lengthAt(from[form].ends, index) : Buffer.byteLength(from[form]) + 1
    ends[place] = length
  })
  const bytes = Buffer.allocUnsafeSlow(length)
  for (let place = 0; place < rows.length; place++) {
    const { from, index } = rows[place]!
    const start = place === 0 ? 0 : ends[place - 1]!
    if (!isBlock(from)) {
      bytes.write(from[form], start)
      bytes[ends[place]! - 1] = COMMA
      continue
    }
    // Rows that stay consecutive are copied at once.
    let count = 1
    while (rows[place + count]?.from === from && rows[place + count]!.index === index + count) count += 1
    const source = from[form]
    source.bytes.copy(bytes, start, index === 0 ? 0 : source.ends[index - 1]!, source.ends[index + count - 1]!)
    place += count - 1
  }
  return { bytes, ends }
}

const COMMA = 0x2c

const isBlock = (from: Block | ListEntry): from is Block => 'ids' in from

const lengthAt = (ends: Uint32Array, index: number): number => ends[index]! - (index === 0 ? 0 : ends[index - 1]!)

/** As measured on Node 20: the id as a string, its entry in the map, value, month, two ends. */
const ROW_OVERHEAD_BYTES = 24 + 40 + 16 + 1 + 8
const BLOCK_OVERHEAD_BYTES = 1_800

function sizeOf({ ids, full, compact }: Block): number {
  let bytes = BLOCK_OVERHEAD_BYTES + full.bytes.length + compact.bytes.length
  for (const id of ids) bytes += id.length + ROW_OVERHEAD_BYTES
  return bytes
}
