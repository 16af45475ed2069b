import type { Box, MovieFile } from './movie-boxes.js'
import { Numbers } from './movie-boxes.js'
import { cleanCodecs, keptBoxes, type MovieEdits } from './movie-edits.js'
import { KEPT_TRACKS } from './movie-kept.js'
import type { SampleTables } from './movie-samples.js'

/** A track of a film, with what its fragments add. */
export interface Track {
  id: number
  box: Box
  handler: string
  isKept: boolean
  header: Buffer
  /** Time units per second; 0 if unknown. */
  timescale: number
  tables: SampleTables
  codecs: string[]
  /** The duration and size of a sample, if its fragment does not say them. */
  defaults: { duration: number; bytes: number }
  /** In time units: the total of the samples in the index and the fragments, and the times between which they are. */
  ticks: number
  firstAt: number | undefined
  endAt: number
}

export async function readTrack(movie: MovieFile, edits: MovieEdits, box: Box): Promise<Track> {
  const tables = new Map<string, Box>()
  const track = { id: 0, box, handler: '', header: Buffer.alloc(96) as Buffer, timescale: 0, codecs: [] as string[] }
  for await (const part of descend(movie, edits, box)) {
    if (part.type === 'tkhd') track.header = await movie.readHead(part, 96)
    else if (part.type === 'mdhd') track.timescale = await readTimescale(movie, part)
    else if (part.type === 'hdlr') track.handler ||= (await movie.readHead(part, 12)).toString('latin1', 8, 12)
    else tables.set(part.type, part)
  }
  const stsd = tables.get('stsd')
  if (stsd !== undefined) track.codecs = await cleanCodecs(movie, edits, stsd, track.handler)
  return {
    ...track,
    id: track.header.readUInt32BE(track.header[0] === 1 ? 20 : 12),
    isKept: KEPT_TRACKS.includes(track.handler),
    tables,
    defaults: { duration: 0, bytes: 0 },
    ticks: await sumTimes(movie, tables.get('stts')),
    firstAt: undefined,
    endAt: 0,
  }
}

const CONTAINERS = ['mdia', 'minf', 'stbl', 'edts', 'tapt', 'dinf']

/** Yields the boxes of a track that contain no others. */
async function* descend(movie: MovieFile, edits: MovieEdits, box: Box): AsyncGenerator<Box> {
  for await (const part of keptBoxes(movie, edits, box)) {
    if (CONTAINERS.includes(part.type)) yield* descend(movie, edits, part)
    else yield part
  }
}

async function readTimescale(movie: MovieFile, mdhd: Box): Promise<number> {
  const head = await movie.readHead(mdhd, 24)
  return head.readUInt32BE(head[0] === 1 ? 20 : 12)
}

/** Returns the sum of the sample durations in the index. */
async function sumTimes(movie: MovieFile, stts: Box | undefined): Promise<number> {
  if (stts === undefined) return 0
  const numbers = new Numbers(movie, stts.start + 8, stts.end)
  let ticks = 0
  for (;;) {
    const count = await numbers.take()
    const each = await numbers.take()
    if (count === undefined || each === undefined) return ticks
    ticks += count * each
  }
}

/** Reads a tkhd: 16.16 numbers after a matrix, which rotates the picture by 90° if its diagonal is 0. */
export function readShownSize({ header }: Track): { width: number; height: number } {
  const matrix = header[0] === 1 ? 52 : 40
  const width = Math.round(header.readUInt32BE(matrix + 36) / 65_536)
  const height = Math.round(header.readUInt32BE(matrix + 40) / 65_536)
  return header.readInt32BE(matrix) === 0 ? { width: height, height: width } : { width, height }
}
