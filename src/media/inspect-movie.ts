import { type FileHandle, open } from 'node:fs/promises'
import { MediaFormatError } from './byte-source.js'
import { refuseForEditing, refuseWithoutPictures } from './media-refusals.js'
import { type Box, MovieFile, Numbers } from './movie-boxes.js'
import { keptBoxes, MovieEdits } from './movie-edits.js'
import { readFragment } from './movie-fragments.js'
import { KEPT_BOXES } from './movie-kept.js'
import { addChunks, Ranges, zeroSamples } from './movie-samples.js'
import { readShownSize, readTrack, type Track } from './movie-track.js'

interface Movie {
  /** The displayed size of the first video track, in pixels. */
  width: number
  height: number
  duration_ms: number
}

/** Longer than a file of 1 GiB lasts, and less than a number that means an unknown duration. */
const DURATION_MS_MAX = 30 * 24 * 3_600_000

/**
 * Returns the size and duration of an MP4 or QuickTime file. Throws MediaFormatError for one that is truncated or
 * unreadable, and media_refused for one without pictures. Unless `keep`, everything that the film does not need is blanked
 * in the file (movie-kept.ts), without moving anything else.
 */
export async function inspectMovie(path: string, { keep }: { keep: boolean }): Promise<Movie> {
  const file = await open(path, keep ? 'r' : 'r+')
  try {
    const movie = new MovieFile(file, (await file.stat()).size)
    const edits = new MovieEdits()
    const parts = await readParts(movie, edits)
    const index = await readIndex(movie, edits, parts.moov[0]!)
    const { tracks, byId } = index
    const samples = { kept: new Ranges(), dropped: new Ranges() }
    const rangesOf = ({ isKept }: Track): Ranges => (isKept ? samples.kept : samples.dropped)
    for (const moof of parts.moof) await readFragment(movie, edits, moof, byId, rangesOf)
    const shown = tracks.find(({ handler }) => handler === 'vide')
    if (shown === undefined) throw refuseWithoutPictures(tracks.some(({ handler }) => handler === 'soun'))
    const size = readShownSize(shown)
    if (!(size.width > 0 && size.height > 0)) throw new MediaFormatError('it has no size')
    refuseForEditing(shown.codecs)
    const duration_ms = await findDurationMs(movie, index, parts)
    if (!keep) {
      for (const mfra of parts.mfra) await cleanRandomAccess(movie, edits, mfra, byId)
      for (const track of tracks) await addChunks(movie, track.tables, rangesOf(track), track.handler === 'soun')
      await makeEmpty(file, parts.mdat, samples, edits)
    }
    return { ...size, duration_ms }
  } finally {
    await file.close()
  }
}

async function makeEmpty(
  file: FileHandle,
  mdats: readonly Box[],
  { kept, dropped }: { kept: Ranges; dropped: Ranges },
  edits: MovieEdits,
): Promise<void> {
  await edits.write(file)
  // Some devices put their notes between the samples of the film, where no track refers to them. An index without any
  // samples says nothing about what is between them.
  if (kept.isEmpty) await zeroSamples(file, mdats, dropped, 'inside')
  else await zeroSamples(file, mdats, kept, 'outside')
}

const PARTS = ['moov', 'moof', 'mdat', 'sidx', 'mfra'] as const
type Parts = Record<(typeof PARTS)[number], Box[]>

async function readParts(movie: MovieFile, edits: MovieEdits): Promise<Parts> {
  const parts: Parts = { moov: [], moof: [], mdat: [], sidx: [], mfra: [] }
  const kept = KEPT_BOXES.file!
  const rest = (at: number, type: string): void => {
    if (kept.includes(type)) throw new MediaFormatError('a box is cut')
    // Some cameras write their notes after the last box.
    edits.cut(at)
  }
  for await (const box of movie.boxes({ start: 0, end: movie.size }, rest)) {
    if (!kept.includes(box.type)) edits.empty(box)
    const type = PARTS.find((part) => part === box.type)
    if (type !== undefined) parts[type].push(box)
  }
  if (parts.moov.length === 0) throw new MediaFormatError('it has no moov')
  if (parts.moov.length > 1) throw new MediaFormatError('it has two indexes')
  return parts
}

/** An index of fragments has a table for each track. */
async function cleanRandomAccess(movie: MovieFile, edits: MovieEdits, mfra: Box, tracks: ReadonlyMap<number, Track>) {
  for await (const box of keptBoxes(movie, edits, mfra)) {
    if (box.type !== 'tfra') continue
    const id = (await movie.readHead(box, 8)).readUInt32BE(4)
    if (tracks.get(id)?.isKept !== true) edits.empty(box)
  }
}

interface Index {
  tracks: Track[]
  /** The first track of each number; only fragments refer to tracks by number. */
  byId: ReadonlyMap<number, Track>
  /** In milliseconds as the mvhd and the mehd say; undefined if they do not. */
  durationMs: number | undefined
  fragmentsMs: number | undefined
}

async function readIndex(movie: MovieFile, edits: MovieEdits, moov: Box): Promise<Index> {
  const tracks: Track[] = []
  const byId = new Map<number, Track>()
  let mvhd: Box | undefined
  let mvex: Box | undefined
  for await (const box of keptBoxes(movie, edits, moov)) {
    if (box.type === 'mvhd') mvhd = box
    if (box.type === 'mvex') mvex = box
    if (box.type !== 'trak') continue
    const track = await readTrack(movie, edits, box)
    if (!track.isKept) edits.empty(box)
    tracks.push(track)
    if (!byId.has(track.id)) byId.set(track.id, track)
  }
  if (mvhd === undefined) throw new MediaFormatError('it has no header')
  const header = await movie.readHead(mvhd, 32)
  const timescale = header.readUInt32BE(header[0] === 1 ? 20 : 12)
  if (timescale === 0) throw new MediaFormatError('it has no time scale')
  const durationMs = readDuration(header, header[0] === 1 ? 24 : 16, timescale)
  if (mvex === undefined) return { tracks, byId, durationMs, fragmentsMs: undefined }
  const fragmentsMs = await readFragmentDefaults(movie, edits, mvex, byId, timescale)
  return { tracks, byId, durationMs, fragmentsMs }
}

/** Reads what all fragments share, and returns their total length in milliseconds, if known. */
async function readFragmentDefaults(
  movie: MovieFile,
  edits: MovieEdits,
  mvex: Box,
  tracks: ReadonlyMap<number, Track>,
  timescale: number,
): Promise<number | undefined> {
  let fragmentsMs: number | undefined
  for await (const box of keptBoxes(movie, edits, mvex)) {
    const head = await movie.readHead(box, 20)
    if (box.type === 'mehd') fragmentsMs = readDuration(head, 4, timescale)
    if (box.type !== 'trex') continue
    const track = tracks.get(head.readUInt32BE(4))
    if (track !== undefined) track.defaults = { duration: head.readUInt32BE(12), bytes: head.readUInt32BE(16) }
    if (track?.isKept !== true) edits.empty(box)
  }
  return fragmentsMs
}

/** Returns undefined if all bits are 1, which means that the duration is unknown. */
function readDuration(header: Buffer, at: number, timescale: number): number | undefined {
  const isLong = header[0] === 1
  const units = isLong ? header.readBigUInt64BE(at) : BigInt(header.readUInt32BE(at))
  if (units === (isLong ? 2n ** 64n : 2n ** 32n) - 1n) return undefined
  return (Number(units) / timescale) * 1000
}

/** Returns the sum of the durations in an index of segments, in milliseconds. */
async function readSegments(movie: MovieFile, sidx: Box): Promise<number> {
  const head = await movie.readHead(sidx, 12)
  const numbers = new Numbers(movie, sidx.start + (head[0] === 1 ? 32 : 24), sidx.end)
  let ticks = 0
  for (;;) {
    const size = await numbers.take()
    const duration = await numbers.take()
    if ((await numbers.take()) === undefined) break
    // The first bit is set for a segment that has an index of its own.
    if (size! < 2 ** 31) ticks += duration!
  }
  return (ticks / head.readUInt32BE(8)) * 1000 || 0
}

async function findDurationMs(
  movie: MovieFile,
  { tracks, durationMs, fragmentsMs }: Index,
  parts: Parts,
): Promise<number> {
  // Sound usually ends a little after the last picture.
  const measured = longestMs(tracks, 'vide') || longestMs(tracks, 'soun')
  let segmentsMs = 0
  for (const sidx of parts.sidx) segmentsMs += await readSegments(movie, sidx)
  // The index of a fragmented film was written before the fragments, or says something else.
  const whole = [durationMs, measured, fragmentsMs, segmentsMs]
  const inFragments = [measured, fragmentsMs, segmentsMs, durationMs]
  const ms = (parts.moof.length > 0 ? inFragments : whole).find((ms) => ms !== undefined && ms > 0) ?? durationMs
  if (ms === undefined || !(ms <= DURATION_MS_MAX)) throw new MediaFormatError('its duration is unknown')
  return Math.round(ms)
}

const longestMs = (tracks: readonly Track[], handler: string): number =>
  tracks.reduce((most, track) => (track.handler === handler ? Math.max(most, toTrackMs(track)) : most), 0)

function toTrackMs({ timescale, ticks, firstAt, endAt }: Track): number {
  if (timescale === 0) return 0
  // Pictures may be missing between two fragments, and the clock of a broadcast starts anywhere and may jump.
  const spanMs = ((endAt - (firstAt ?? endAt)) / timescale) * 1000
  return Math.max((ticks / timescale) * 1000, spanMs > DURATION_MS_MAX ? 0 : spanMs)
}
