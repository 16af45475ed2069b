import { type EntryKey, type ListEntry, NO_BIRTHDAY } from './list-entry.js'

/** Identifies a list of a channel: the workspace whose VIPs it has, or undefined for all conversations. */
export type ListName = string | undefined

/** The rows of a page: all, those with a birthday, or those with a birthday in the month 1 to 12. */
export type Filter = 'none' | 'birthday' | number

/** Consecutive rows in one form, each followed by a comma. */
interface Form {
  bytes: Buffer
  /** The end of each row in `bytes`, after its comma. */
  ends: Uint32Array
}

/** The rows of a block that are in one list. */
export interface Part {
  /** 1 for each row of the block that is in the list, 0 for the others. Undefined if all are. */
  has: Uint8Array | undefined
  /** The number of these rows. */
  rows: number
  /** How many of them have a birthday (at 0), and have it in each month (at 1 to 12). */
  counts: Uint16Array
}

/** Consecutive rows of a channel, in list order. Immutable: a change replaces it. */
export interface Block {
  ids: string[]
  values: number[]
  months: Uint8Array
  full: Form
  compact: Form
  /** The parts of the lists that have a row here. */
  parts: Map<ListName, Part>
}

/** A row to pack into a block: a new one, or one of the previous block. */
export interface SourceRow extends EntryKey {
  month: number
  from: Block | ListEntry
  /** Its index in that block. */
  index: number
  /** The lists it is in. Undefined if they are the same as in that block. */
  lists: ReadonlySet<ListName> | undefined
}

/** Returns the rows of a block except those that `skip` names. */
export function unpackBlock(block: Block, skip?: ReadonlyMap<string, unknown>): SourceRow[] {
  const rows: SourceRow[] = []
  for (let index = 0; index < block.ids.length; index++) {
    if (!skip?.has(block.ids[index]!)) rows.push(rowOf(block, index))
  }
  return rows
}

export const rowOf = (block: Block, index: number): SourceRow => ({
  id: block.ids[index]!,
  value: block.values[index]!,
  month: block.months[index]!,
  from: block,
  index,
  lists: undefined,
})

export const toSourceRow = (entry: ListEntry, lists: ReadonlySet<ListName>): SourceRow => ({
  id: entry.id,
  value: entry.value,
  month: entry.month,
  from: entry,
  index: 0,
  lists,
})

/** Makes a block of the rows, which are in list order. `names` has all lists that any of them may be in. */
export function packBlock(rows: readonly SourceRow[], names: Iterable<ListName>): Block {
  const parts = new Map<ListName, Part>()
  for (const name of names) {
    const part = packPart(rows, name)
    if (part.rows > 0) parts.set(name, part)
  }
  const [first] = rows
  // Only the lists of its rows have changed: the rest is shared with the previous block.
  if (first !== undefined && isBlock(first.from) && isWhole(rows, first.from)) return { ...first.from, parts }
  return {
    ids: rows.map(({ id }) => id),
    values: rows.map(({ value }) => value),
    months: Uint8Array.from(rows, ({ month }) => month),
    full: packForm(rows, 'full'),
    compact: packForm(rows, 'compact'),
    parts,
  }
}

const isWhole = (rows: readonly SourceRow[], block: Block): boolean =>
  rows.length === block.ids.length && rows.every(({ from, index }, place) => from === block && index === place)

function packPart(rows: readonly SourceRow[], name: ListName): Part {
  const has = new Uint8Array(rows.length)
  const counts = new Uint16Array(13)
  let members = 0
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]!
    if (!isRowIn(row, name)) continue
    has[index] = 1
    members += 1
    if (row.month === NO_BIRTHDAY) continue
    counts[0]! += 1
    if (row.month >= 1 && row.month <= 12) counts[row.month]! += 1
  }
  return { has: members === rows.length ? undefined : has, rows: members, counts }
}

function isRowIn({ lists, from, index }: SourceRow, name: ListName): boolean {
  if (lists !== undefined) return lists.has(name)
  const part = (from as Block).parts.get(name)
  return part !== undefined && isIn(part, index)
}

/** Returns whether the row with this index is in the list. */
export const isIn = ({ has }: Part, index: number): boolean => has === undefined || has[index] === 1

/** Returns the names of the lists that the row with this index is in. */
export function listsOf(block: Block, index: number): Set<ListName> {
  const names = new Set<ListName>()
  for (const [name, part] of block.parts) if (isIn(part, index)) names.add(name)
  return names
}

/** Returns the last row that is in the list. */
export function lastOf({ ids, values }: Block, part: Part): EntryKey {
  const index = part.has === undefined ? ids.length - 1 : part.has.lastIndexOf(1)
  return { id: ids[index]!, value: values[index]! }
}

/** Returns whether the filter accepts a row with this birthday month, or none. */
export const passes = (month: number, filter: Filter): boolean =>
  filter === 'none' || (filter === 'birthday' ? month !== NO_BIRTHDAY : month === filter)

/** Counts the matches among the first `within` rows that are in the list. */
export function countMatches({ months }: Block, part: Part, filter: Filter, within: number): number {
  if (filter === 'none') return within
  if (within === part.rows) return part.counts[filter === 'birthday' ? 0 : filter]!
  let matches = 0
  for (let index = 0, left = within; left > 0; index++) {
    if (!isIn(part, index)) continue
    left -= 1
    if (passes(months[index]!, filter)) matches += 1
  }
  return matches
}

function packForm(rows: readonly SourceRow[], form: 'full' | 'compact'): Form {
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
const BLOCK_OVERHEAD_BYTES = 1_500
const PART_OVERHEAD_BYTES = 400

/** Returns the approximate memory of a block in bytes. */
export function sizeOf({ ids, full, compact, parts }: Block): number {
  let bytes = BLOCK_OVERHEAD_BYTES + full.bytes.length + compact.bytes.length
  for (const id of ids) bytes += id.length + ROW_OVERHEAD_BYTES
  for (const { has } of parts.values()) bytes += PART_OVERHEAD_BYTES + (has?.length ?? 0)
  return bytes
}
