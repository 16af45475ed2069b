import type { FileHandle } from 'node:fs/promises'
import { MediaFormatError } from './byte-source.js'
import type { Box, MovieFile } from './movie-boxes.js'
import { KEPT_BOXES, KEPT_OF_CODEC } from './movie-kept.js'

const ZEROS = Buffer.alloc(65_536)

/** The parts of a film to blank. Nothing moves, so every position in an index stays right. */
export class MovieEdits {
  private readonly boxes: Box[] = []
  private readonly ranges: { start: number; end: number }[] = []
  private cutAt: number | undefined

  /** Turns the box into free space of the same length. */
  empty(box: Box): void {
    this.boxes.push(box)
  }

  zero(start: number, end: number): void {
    if (end > start) this.ranges.push({ start, end })
  }

  /** Truncates the file there. */
  cut(at: number): void {
    this.cutAt = at
  }

  async write(file: FileHandle): Promise<void> {
    for (const { head } of this.boxes) await file.write(Buffer.from('free', 'latin1'), 0, 4, head + 4)
    for (const { start, end } of [...this.boxes, ...this.ranges]) await zero(file, start, end)
    if (this.cutAt !== undefined) await file.truncate(this.cutAt)
  }
}

export async function zero(file: FileHandle, start: number, end: number): Promise<void> {
  for (let at = start; at < end; at += ZEROS.length) await file.write(ZEROS, 0, Math.min(ZEROS.length, end - at), at)
}

/**
 * Yields the children of a box that are kept. Marks the others for blanking, and also what kept ones say about a person or
 * device.
 */
export async function* keptBoxes(movie: MovieFile, edits: MovieEdits, parent: Box): AsyncGenerator<Box> {
  const kept = KEPT_BOXES[parent.type] ?? []
  let end = parent.end
  const rest = (at: number, type: string): void => {
    if (kept.includes(type)) throw new MediaFormatError('a box is cut')
    end = at
  }
  for await (const box of movie.boxes(parent, rest)) {
    if (!kept.includes(box.type)) {
      edits.empty(box)
      continue
    }
    await clean(movie, edits, box)
    yield box
  }
  edits.zero(end, parent.end)
}

/** The bytes of the name in the description of a video codec, and where its boxes begin. */
const CODEC_NAME = { from: 42, to: 74 }
const VIDEO_ENTRY_BYTES = 78
/** Indexed by the version of the description; version 1 of QuickTime has more than that of MP4. */
const AUDIO_ENTRY_BYTES: readonly (readonly number[])[] = [[28], [44, 28], [64]]
const HANDLER_NAME = 24

async function clean(movie: MovieFile, edits: MovieEdits, box: Box): Promise<void> {
  const { type, start, end } = box
  const zero = (from: number, to = end - start): void => edits.zero(start + from, Math.min(end, start + to))
  // Creation and modification times; in version 1 they have 64 bits.
  if (['mvhd', 'tkhd', 'mdhd'].includes(type)) zero(4, (await movie.readHead(box, 1))[0] === 1 ? 20 : 12)
  // Programs and devices write their names there.
  if (type === 'hdlr') zero(HANDLER_NAME)
  if (type !== 'dref') return
  // The path of another file.
  for await (const reference of movie.boxes({ start: start + 8, end })) edits.zero(reference.start + 4, reference.end)
}

/** Cleans the descriptions of a track's codecs, and returns their types. */
export async function cleanCodecs(movie: MovieFile, edits: MovieEdits, stsd: Box, handler: string): Promise<string[]> {
  const types: string[] = []
  for await (const entry of movie.boxes({ start: stsd.start + 8, end: stsd.end })) {
    types.push(entry.type)
    const head = await movie.readHead(entry, 10)
    const isVideo = handler === 'vide'
    if (isVideo) edits.zero(entry.start + CODEC_NAME.from, Math.min(entry.end, entry.start + CODEC_NAME.to))
    const places = isVideo ? [VIDEO_ENTRY_BYTES] : (AUDIO_ENTRY_BYTES[head.readUInt16BE(8)] ?? [])
    for (const place of places) {
      const parts = await tryBoxes(movie, { start: entry.start + place, end: entry.end })
      if (parts === undefined) continue
      for (const part of parts) if (!KEPT_OF_CODEC.includes(part.type)) edits.empty(part)
      break
    }
  }
  return types
}

/** Returns undefined if there are no boxes at this place. */
async function tryBoxes(movie: MovieFile, place: Pick<Box, 'start' | 'end'>): Promise<Box[] | undefined> {
  const boxes: Box[] = []
  let isWrong = place.start > place.end
  // Fewer than eight bytes may follow: QuickTime ends lists with four zeros.
  for await (const box of movie.boxes(place, (at) => (isWrong ||= at + 8 <= place.end))) boxes.push(box)
  return isWrong ? undefined : boxes
}
