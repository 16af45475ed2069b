import type { FileHandle } from 'node:fs/promises'
import { MediaFormatError } from './byte-source.js'
import { type Box, type MovieFile, Numbers } from './movie-boxes.js'
import { zero } from './movie-edits.js'

/** Twenty minutes of single pictures and single pieces of sound make 200,000; each takes 16 bytes of memory. */
const RANGES_MAX = 500_000

/** Ranges of bytes in a file, in any order. */
export class Ranges {
  private readonly starts: number[] = []
  private readonly ends: number[] = []

  get isEmpty(): boolean {
    return this.starts.length === 0
  }

  add(start: number, end: number): void {
    if (end <= start) return
    if (this.ends.at(-1) === start) {
      this.ends[this.ends.length - 1] = end
      return
    }
    if (this.starts.length === RANGES_MAX) throw new MediaFormatError('its samples are in too many places')
    this.starts.push(start)
    this.ends.push(end)
  }

  /** Returns the ranges in order, with overlapping ones merged. */
  union(): { starts: Float64Array; ends: Float64Array; count: number } {
    // Each end closes some open range, no matter which, so starts and ends can be sorted separately.
    const starts = Float64Array.from(this.starts).sort()
    const ends = Float64Array.from(this.ends).sort()
    let count = 0
    for (let at = 0; at < starts.length; at++, count++) {
      starts[count] = starts[at]!
      while (at + 1 < starts.length && starts[at + 1]! <= ends[at]!) at++
      ends[count] = ends[at]!
    }
    return { starts, ends, count }
  }
}

/** The tables of a track that say where its samples are, by type. */
export type SampleTables = ReadonlyMap<string, Box>

/** Adds the positions of a track's samples: each chunk of them is in one place. */
export async function addChunks(movie: MovieFile, tables: SampleTables, ranges: Ranges, isSound: boolean) {
  const chunks = tables.get('co64') ?? tables.get('stco')
  const stsc = tables.get('stsc')
  const sizes = await readSizes(movie, tables, isSound)
  if (chunks === undefined || stsc === undefined || sizes === undefined) return
  const offsets = new Numbers(movie, chunks.start + 8, chunks.end, chunks.type === 'co64' ? 64 : 32)
  const groups = new Numbers(movie, stsc.start + 8, stsc.end)
  let first = await groups.take()
  let perChunk = 0
  for (let chunk = 1; ; chunk++) {
    const offset = await offsets.take()
    if (offset === undefined) return
    while (first !== undefined && first <= chunk) {
      perChunk = (await groups.take()) ?? 0
      await groups.take()
      first = await groups.take()
    }
    const bytes = 'each' in sizes ? Math.ceil(perChunk * sizes.each) : await sumOf(sizes.table, perChunk)
    ranges.add(offset, offset + bytes)
  }
}

async function sumOf(table: Numbers, count: number): Promise<number> {
  let sum = 0
  for (let n = 0; n < count; n++) {
    const size = await table.take()
    if (size === undefined) break
    sum += size
  }
  return sum
}

type Sizes = { each: number } | { table: Numbers }

async function readSizes(movie: MovieFile, tables: SampleTables, isSound: boolean): Promise<Sizes | undefined> {
  const box = tables.get('stsz') ?? tables.get('stz2')
  if (box === undefined) return undefined
  const head = await movie.readHead(box, 12)
  const start = box.start + 12
  if (box.type === 'stz2')
    return {
      table: new Numbers(
        movie,
        start,
        box.end,
        SIZE_BITS.find((bits) => bits === head[7]),
      ),
    }
  const each = head.readUInt32BE(4)
  if (each === 0) return { table: new Numbers(movie, start, box.end) }
  const stsd = tables.get('stsd')
  return { each: isSound && stsd !== undefined ? await toSoundBytes(movie, stsd, each) : each }
}

const SIZE_BITS = [4, 8, 16]

/**
 * Returns the bytes of a sound sample in a track with one sample size. QuickTime counts the bytes of one channel, of all
 * channels, or 1, and describes packets of several samples: the codec's description says how many bytes they take.
 */
async function toSoundBytes(movie: MovieFile, stsd: Box, each: number): Promise<number> {
  const entry = await movie.readHead({ ...stsd, start: stsd.start + 16 }, 64)
  const version = entry.readUInt16BE(8)
  const [samples, bytes] =
    version === 1 ? [entry.readUInt32BE(28), entry.readUInt32BE(36)] : [entry.readUInt32BE(60), entry.readUInt32BE(56)]
  if (version > 0 && samples > 0 && bytes > 0) return Math.max(samples > 1 ? 0 : each, bytes / samples)
  return Math.max(each, entry.readUInt16BE(16) * Math.ceil(entry.readUInt16BE(18) / 8))
}

/** Blanks those parts of `boxes` that are inside the ranges, or those outside. */
export async function zeroSamples(
  file: FileHandle,
  boxes: readonly Box[],
  ranges: Ranges,
  which: 'inside' | 'outside',
) {
  const { starts, ends, count } = ranges.union()
  let next = 0
  for (const { start, end } of boxes) {
    let at = start
    while (next < count && ends[next]! <= start) next++
    for (let n = next; n < count && starts[n]! < end; n++) {
      const from = Math.max(at, starts[n]!)
      const to = Math.min(end, ends[n]!)
      if (which === 'inside') await zero(file, from, to)
      else await zero(file, at, from)
      at = to
    }
    if (which === 'outside') await zero(file, at, end)
  }
}
