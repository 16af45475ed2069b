import {
  type Block,
  countMatches,
  type Filter,
  isIn,
  type ListName,
  lastOf,
  listsOf,
  type Part,
  packBlock,
  passes,
  rowOf,
  type SourceRow,
  sizeOf,
  toSourceRow,
  unpackBlock,
} from './blocks.js'
import { compareEntries, type EntryKey, type ListEntry } from './list-entry.js'

/** Bounds on what is cached of each list. */
export interface ListLimits {
  /** The most rows that the list serves (interface 8). */
  scan: number
  /** Rows cached beyond the scan, so that some may leave it without a database read. */
  slack: number
  /** The approximate number of rows per block: a change copies a block, and a page consists of slices of a few. */
  block: number
}

/** A changed conversation. Without an entry it was deleted, or is no longer in this list. */
export interface ListChange {
  id: string
  entry: ListEntry | undefined
}

/** The changes of one list. */
export interface ListStep {
  of: ListName
  changes: readonly ListChange[]
  /** The rows after the last cached one, with the changes already applied. */
  following?: readonly ListEntry[]
  /** True if the list ends with these rows, or with the last cached row if there are none. Undefined means unchanged. */
  complete?: boolean
}

/** A page of one of the channel's lists. */
export interface ListQuery {
  /** The workspace whose VIPs are listed; undefined for every conversation of the channel. */
  vipsOf: ListName
  filter: Filter
  compact: boolean
  limit: number
  offset: number
}

/** The rows of a page as slices of JSON, each row followed by a comma. */
export interface PageRows {
  slices: Slice[]
  /** The total length of the slices. */
  bytes: number
  returned: number
  /** The number of rows within the scan that the filter accepts. */
  total: number
}

interface Slice {
  bytes: Buffer
  start: number
  end: number
}

/** A conversation that changes, with its lists from now on. */
interface Touched {
  /** Undefined if it is no longer in any list. */
  row: SourceRow | undefined
  lists: Set<ListName>
}

/**
 * The lists of one channel: conversations in list order (highest lifetime value first, then by the bytes of the id) as JSON
 * that is ready to send. They are in blocks, so that a change copies few of them. Each conversation is stored once, with a
 * mark for each list it is in. The start of each list is cached: either all of it (`complete`), or the rows up to some last
 * one.
 */
export class ChannelLists {
  private blocks: Block[] = []
  private blockOf = new Map<string, Block>()
  /** For each list, true if all of its rows are cached. */
  private readonly completeness = new Map<ListName, boolean>()
  private size = 0

  constructor(private readonly limits: ListLimits) {}

  /** Makes a copy, which shares the memory of the rows. */
  fork(): ChannelLists {
    const copy = new ChannelLists(this.limits)
    copy.blocks = this.blocks
    copy.blockOf = new Map(this.blockOf)
    for (const [name, isComplete] of this.completeness) copy.completeness.set(name, isComplete)
    copy.size = this.size
    return copy
  }

  /** The names of the cached lists. */
  get names(): ListName[] {
    return [...this.completeness.keys()]
  }

  /** The approximate memory in bytes. */
  get bytes(): number {
    return this.size
  }

  hasList(of: ListName): boolean {
    return this.completeness.has(of)
  }

  /** Returns whether all rows of the list are cached. */
  isComplete(of: ListName): boolean {
    return this.completeness.get(of) === true
  }

  /** Counts the cached rows of the list, including those past the scan. */
  rowsOf(of: ListName): number {
    let rows = 0
    for (const { parts } of this.blocks) rows += parts.get(of)?.rows ?? 0
    return rows
  }

  /** Returns the last cached row of the list; undefined for a complete one. */
  endOf(of: ListName): EntryKey | undefined {
    if (this.isComplete(of)) return undefined
    for (let place = this.blocks.length - 1; place >= 0; place--) {
      const block = this.blocks[place]!
      const part = block.parts.get(of)
      if (part !== undefined) return lastOf(block, part)
    }
    return undefined
  }

  /** Returns whether the list has more rows than the scan reads. */
  exceedsScan(of: ListName): boolean {
    return !this.isComplete(of) || this.rowsOf(of) > this.limits.scan
  }

  /** Returns whether the conversation is in one of the lists. */
  has(id: string): boolean {
    return this.blockOf.has(id)
  }

  /**
   * Returns how many rows after the list's last one must be read to keep its scan full when the changes are applied; 0 while
   * the slack suffices.
   */
  rowsMissing(of: ListName, changes: readonly ListChange[]): number {
    if (this.isComplete(of)) return 0
    const end = this.endOf(of)
    let after = this.rowsOf(of)
    for (const { id, entry } of changes) {
      const block = this.blockOf.get(id)
      if (block !== undefined && listsOf(block, block.ids.indexOf(id)).has(of)) after -= 1
      if (entry !== undefined && isWithin(entry, end)) after += 1
    }
    // More than the scan, not just as many: the last row itself may be removed, and with it the end of what is known.
    return after > this.limits.scan ? 0 : this.limits.scan + this.limits.slack - after
  }

  /**
   * Applies the steps, at most one per list; a list that does not exist yet starts empty. A changed conversation must be
   * among the changes of every existing list.
   */
  apply(steps: readonly ListStep[]): void {
    const touched = new Map<string, Touched>()
    for (const { of, changes } of steps) {
      const isComplete = this.isComplete(of)
      const end = isComplete ? undefined : this.endOf(of)
      for (const { id, entry } of changes) {
        const now = touched.get(id) ?? { row: undefined, lists: new Set() }
        touched.set(id, now)
        // The rows between the last cached one and a later one are unknown.
        if (entry === undefined || !(isComplete || isWithin(entry, end))) continue
        now.lists.add(of)
        now.row ??= toSourceRow(entry, now.lists)
      }
    }
    for (const { of, following = [], complete } of steps) {
      for (const entry of following) {
        const now = touched.get(entry.id) ?? this.found(entry.id)
        now.lists.add(of)
        now.row ??= toSourceRow(entry, now.lists)
        touched.set(entry.id, now)
      }
      this.completeness.set(of, complete ?? this.isComplete(of))
    }
    this.replaceRows(touched)
    for (const { of } of steps) this.trim(of)
  }

  /** Evicts a list. */
  drop(of: ListName): void {
    this.completeness.delete(of)
    this.leave(of, 0)
  }

  /** Returns the rows of a page, and the number of all matches. */
  page({ vipsOf: of, filter, compact, limit, offset }: ListQuery): PageRows {
    const form = compact ? 'compact' : 'full'
    const slices: Slice[] = []
    let bytes = 0
    let total = 0
    let returned = 0
    let unread = this.limits.scan
    for (const block of this.blocks) {
      const part = block.parts.get(of)
      if (part === undefined) continue
      const within = Math.min(part.rows, unread)
      unread -= within
      const matches = countMatches(block, part, filter, within)
      const skipped = Math.max(offset - total, 0)
      const taken = Math.min(matches - skipped, limit - returned)
      total += matches
      if (taken <= 0) continue
      returned += taken
      bytes += pushMatches(slices, block, part, { form, filter, skipped, taken })
    }
    return { slices, bytes, returned, total }
  }

  /** Returns the conversation as cached, if it is. */
  private found(id: string): Touched {
    const block = this.blockOf.get(id)
    if (block === undefined) return { row: undefined, lists: new Set() }
    const index = block.ids.indexOf(id)
    const lists = listsOf(block, index)
    return { row: { ...rowOf(block, index), lists }, lists }
  }

  /** Replaces the blocks that have a touched row, or get one. */
  private replaceRows(touched: ReadonlyMap<string, Touched>): void {
    const changed = new Set<Block>()
    const added = new Map<Block | undefined, SourceRow[]>()
    for (const [id, { row }] of touched) {
      const before = this.blockOf.get(id)
      if (before !== undefined) {
        changed.add(before)
        this.blockOf.delete(id)
      }
      if (row === undefined) continue
      const block = this.blockFor(row)
      const rows = added.get(block)
      if (rows === undefined) added.set(block, [row])
      else rows.push(row)
    }
    const blocks: Block[] = []
    for (const block of this.blocks) {
      const rows = added.get(block)
      if (rows === undefined && !changed.has(block)) {
        blocks.push(block)
        continue
      }
      this.size -= sizeOf(block)
      this.push(blocks, merge(unpackBlock(block, touched), rows ?? []))
    }
    const first = added.get(undefined)
    if (first !== undefined) this.push(blocks, merge([], first))
    this.blocks = blocks
  }

  /** Appends blocks with these rows. */
  private push(blocks: Block[], given: SourceRow[]): void {
    let rows = given
    // A small remainder joins the previous block.
    if (rows.length < this.limits.block / 4 && blocks.length > 0) {
      const before = blocks.pop()!
      rows = [...unpackBlock(before), ...rows]
      this.size -= sizeOf(before)
    }
    const parts = Math.ceil(rows.length / (this.limits.block * 1.5))
    for (let part = 0; part < parts; part++) {
      const cut = (place: number): number => Math.round((place * rows.length) / parts)
      blocks.push(this.pack(rows.slice(cut(part), cut(part + 1)), this.completeness.keys()))
    }
  }

  /**
   * Finds the block that the row belongs to: the first that does not end before it, or the last. Undefined if there is none.
   */
  private blockFor(entry: EntryKey): Block | undefined {
    let low = 0
    let high = this.blocks.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      const { ids, values } = this.blocks[middle]!
      if (compareEntries({ id: ids.at(-1)!, value: values.at(-1)! }, entry) < 0) low = middle + 1
      else high = middle
    }
    return this.blocks[low]
  }

  /** Evicts what the slack of the list does not need. */
  private trim(of: ListName): void {
    const { scan, slack } = this.limits
    const rows = this.rowsOf(of)
    if (rows > scan + 2 * slack) this.leave(of, scan + slack)
  }

  /** Removes the list from its last blocks as long as `least` of its rows stay. Rows in no list are evicted. */
  private leave(of: ListName, least: number): void {
    let rows = this.rowsOf(of)
    const blocks = [...this.blocks]
    for (let place = blocks.length - 1; place >= 0; place--) {
      const block = blocks[place]!
      const part = block.parts.get(of)
      if (part === undefined) continue
      if (rows - part.rows < least) break
      rows -= part.rows
      if (this.completeness.has(of)) this.completeness.set(of, false)
      this.size -= sizeOf(block)
      blocks.splice(place, 1, ...this.without(block, of))
    }
    this.blocks = blocks
  }

  /** Returns the block without a list; no block if no other list has a row in it. */
  private without(block: Block, of: ListName): Block[] {
    const others = [...block.parts.keys()].filter((name) => name !== of)
    const rows = unpackBlock(block)
    const kept = rows.filter(({ index }) => others.some((name) => isIn(block.parts.get(name) as Part, index)))
    for (const { id } of rows) this.blockOf.delete(id)
    return kept.length === 0 ? [] : [this.pack(kept, others)]
  }

  /** Makes a block of the rows, and indexes it under their ids. */
  private pack(rows: readonly SourceRow[], names: Iterable<ListName>): Block {
    const made = packBlock(rows, names)
    for (const id of made.ids) this.blockOf.set(id, made)
    this.size += sizeOf(made)
    return made
  }
}

/** Returns whether the row is at or before the last cached one. */
const isWithin = (entry: EntryKey, end: EntryKey | undefined): boolean =>
  end !== undefined && compareEntries(entry, end) <= 0

interface Matches {
  form: 'full' | 'compact'
  filter: Filter
  /** The number of leading matches to skip. */
  skipped: number
  /** The number of matches to add; there are at least as many. */
  taken: number
}

/** Adds the matches of a block, merging consecutive ones into one slice. Returns their length. */
function pushMatches(slices: Slice[], block: Block, part: Part, { form, filter, skipped, taken }: Matches): number {
  const { months } = block
  const { bytes, ends } = block[form]
  const { has } = part
  const isAll = filter === 'none' && has === undefined
  let length = 0
  let index = isAll ? skipped : 0
  for (let unskipped = isAll ? 0 : skipped, left = taken; left > 0; index++) {
    // Far fewer calls than isIn and passes for each row: a page of 5,000 takes a third of the time.
    const isMatch = (has === undefined || has[index] === 1) && (filter === 'none' || passes(months[index]!, filter))
    if (!isMatch) continue
    if (unskipped > 0) {
      unskipped -= 1
      continue
    }
    const first = index
    if (isAll) index += left
    else while (index - first < left && isIn(part, index) && passes(months[index]!, filter)) index += 1
    const [start, end] = [first === 0 ? 0 : ends[first - 1]!, ends[index - 1]!]
    slices.push({ bytes, start, end })
    length += end - start
    left -= index - first
  }
  return length
}

/** Merges the rows, which are in list order, with the added ones, which need not be. */
function merge(rows: SourceRow[], added: SourceRow[]): SourceRow[] {
  if (added.length === 0) return rows
  const merged: SourceRow[] = []
  let next = 0
  for (const row of added.sort(compareEntries)) {
    while (next < rows.length && compareEntries(rows[next]!, row) < 0) merged.push(rows[next++]!)
    merged.push(row)
  }
  while (next < rows.length) merged.push(rows[next++]!)
  return merged
}
