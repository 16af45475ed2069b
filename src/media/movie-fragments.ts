import { MediaFormatError } from './byte-source.js'
import { type Box, type MovieFile, Numbers } from './movie-boxes.js'
import { keptBoxes, type MovieEdits } from './movie-edits.js'
import type { Ranges } from './movie-samples.js'
import type { Track } from './movie-track.js'

// In a fragmented movie, the index (`moov`) has only what all fragments (`moof`) share. Each fragment lists samples of its
// tracks. Their durations and sizes come from the sample itself, the fragment, or the index (`trex`).

/** One track's part of a fragment (`traf`). */
interface TrackFragment {
  box: Box
  track: Track | undefined
  /** True if its data begins where the data of the previous track fragment ends. */
  follows: boolean
}

/** Adds the durations and sample positions of a fragment to its tracks. */
export async function readFragment(
  movie: MovieFile,
  edits: MovieEdits,
  moof: Box,
  tracks: ReadonlyMap<number, Track>,
  rangesOf: (track: Track) => Ranges,
): Promise<void> {
  const fragments: TrackFragment[] = []
  let dataEnd = moof.head
  for await (const box of keptBoxes(movie, edits, moof)) {
    if (box.type !== 'traf') continue
    const fragment: TrackFragment = { box, track: undefined, follows: false }
    dataEnd = await readTrackFragment(
      movie,
      edits,
      fragment,
      { moof, dataEnd, isFirst: fragments.length === 0 },
      { tracks, rangesOf },
    )
    fragments.push(fragment)
  }
  const lastThatFollows = fragments.findLastIndex(({ follows }) => follows)
  for (const [index, { box, track }] of fragments.entries()) {
    // A track fragment whose end is the start of the next one stays, even if its track is not kept.
    if (track?.isKept !== true && index >= lastThatFollows) edits.empty(box)
  }
}

async function readTrackFragment(
  movie: MovieFile,
  edits: MovieEdits,
  fragment: TrackFragment,
  { moof, dataEnd, isFirst }: { moof: Box; dataEnd: number; isFirst: boolean },
  { tracks, rangesOf }: { tracks: ReadonlyMap<number, Track>; rangesOf: (track: Track) => Ranges },
): Promise<number> {
  let defaults = { duration: 0, bytes: 0 }
  let base = dataEnd
  let at = dataEnd
  let startsAt: number | undefined
  let ticks = 0
  for await (const part of keptBoxes(movie, edits, fragment.box)) {
    if (part.type === 'tfhd') {
      const header = await readHeader(movie, part)
      fragment.track = tracks.get(header.trackId)
      fragment.follows = header.base === undefined && !header.isBaseMoof && !isFirst
      base = header.base ?? (fragment.follows ? dataEnd : moof.head)
      at = base
      defaults = { ...(fragment.track?.defaults ?? defaults), ...header.defaults }
    }
    if (part.type === 'tfdt') startsAt = await readStart(movie, part)
    if (part.type !== 'trun') continue
    const run = await readRun(movie, part, defaults)
    if (run.offset !== undefined) at = base + run.offset
    if (fragment.track !== undefined) rangesOf(fragment.track).add(at, at + run.bytes)
    at += run.bytes
    ticks += run.ticks
  }
  const { track } = fragment
  if (track === undefined) return at
  if (startsAt !== undefined) {
    track.firstAt ??= track.ticks > 0 ? 0 : startsAt
    track.endAt = Math.max(track.endAt, startsAt + ticks)
  }
  track.ticks += ticks
  return at
}

/** The flags of a `tfhd` box. Most of them mean that a value follows. */
const BASE = 0x1
const DESCRIPTION = 0x2
const DURATION = 0x8
const SIZE = 0x10
const BASE_IS_MOOF = 0x20000

async function readHeader(movie: MovieFile, tfhd: Box) {
  const head = await movie.readHead(tfhd, 28)
  const flags = head.readUIntBE(1, 3)
  let at = 8
  const take = (flag: number, bytes = 4): number | undefined => {
    if ((flags & flag) === 0) return undefined
    at += bytes
    return bytes === 8 ? Number(head.readBigUInt64BE(at - 8)) : head.readUInt32BE(at - 4)
  }
  const base = take(BASE, 8)
  take(DESCRIPTION)
  const duration = take(DURATION)
  const bytes = take(SIZE)
  return {
    trackId: head.readUInt32BE(4),
    base,
    isBaseMoof: (flags & BASE_IS_MOOF) !== 0,
    defaults: { ...(duration !== undefined && { duration }), ...(bytes !== undefined && { bytes }) },
  }
}

async function readStart(movie: MovieFile, tfdt: Box): Promise<number> {
  const head = await movie.readHead(tfdt, 12)
  return head[0] === 1 ? Number(head.readBigUInt64BE(4)) : head.readUInt32BE(4)
}

/** The flags of a `trun` box. Each means that a value follows. */
const OFFSET = 0x1
const FIRST_FLAGS = 0x4
const EACH_DURATION = 0x100
const EACH_SIZE = 0x200
const EACH = [EACH_DURATION, EACH_SIZE, 0x400, 0x800]

/** Adds up the durations and sizes of a run's samples. Throws MediaFormatError if the run is truncated. */
async function readRun(movie: MovieFile, trun: Box, defaults: { duration: number; bytes: number }) {
  const head = await movie.readHead(trun, 12)
  const flags = head.readUIntBE(1, 3)
  const count = head.readUInt32BE(4)
  const start = trun.start + 8 + (flags & OFFSET ? 4 : 0) + (flags & FIRST_FLAGS ? 4 : 0)
  const offset = flags & OFFSET ? head.readInt32BE(8) : undefined
  const each = EACH.filter((flag) => flags & flag)
  if (start + count * each.length * 4 > trun.end) throw new MediaFormatError('a fragment is truncated')
  let ticks = flags & EACH_DURATION ? 0 : count * defaults.duration
  let bytes = flags & EACH_SIZE ? 0 : count * defaults.bytes
  if (!(flags & (EACH_DURATION | EACH_SIZE))) return { offset, ticks, bytes }
  const numbers = new Numbers(movie, start, trun.end)
  for (let n = 0; n < count; n++) {
    for (const flag of each) {
      const value = (await numbers.take()) ?? 0
      if (flag === EACH_DURATION) ticks += value
      if (flag === EACH_SIZE) bytes += value
    }
  }
  return { offset, ticks, bytes }
}
