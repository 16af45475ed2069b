import { type FileHandle, open } from 'node:fs/promises'
import { MediaFormatError } from './byte-source.js'

// ISO 14496-12, and QuickTime before it: a file is boxes of a length, a type and a content, which may be boxes again. Ours
// rather than a library's, which reads the tables of all samples: this reads a few hundred bytes of a file of any size.

interface Movie {
  /** The size of the first video track as it is shown, in pixels. */
  width: number
  height: number
  duration_ms: number
}

/** Where the content of a box begins and ends in the file. */
interface Box {
  type: string
  /** Where its length stands. */
  head: number
  start: number
  end: number
}

/** More than any sound file has on the few levels that are read. */
const BOXES_MAX = 1_000

/** Hold what a device writes beside the film: the place, its serial number, its owner. */
const METADATA = ['udta', 'meta', 'uuid']
/** Tracks of these are drawn or heard; one of another kind tells where the device was, second by second. */
const SHOWN = ['vide', 'soun', 'text', 'sbtl', 'subt', 'clcp', 'tmcd', 'auxv', 'pict']
/** More than a file of 1 GiB lasts, and less than a number that stands for an unknown duration. */
const DURATION_MS_MAX = 30 * 24 * 3_600_000

/**
 * The size and duration of an MP4 or QuickTime file. Throws MediaFormatError for one that is cut or has no video.
 * Unless `keep`, what it says of the place and the device is made empty in the file, where nothing else moves by that.
 */
export async function inspectMovie(path: string, { keep }: { keep: boolean }): Promise<Movie> {
  const file = await open(path, keep ? 'r' : 'r+')
  try {
    const { movie, metadata } = await readMovie(file)
    if (!keep) for (const box of metadata) await makeEmpty(file, box)
    return movie
  } finally {
    await file.close()
  }
}

async function readMovie(file: FileHandle): Promise<{ movie: Movie; metadata: Box[] }> {
  const { size } = await file.stat()
  const budget = { boxes: BOXES_MAX }
  const metadata: Box[] = []
  const children = async function* (parent: Box): AsyncGenerator<Box> {
    for await (const box of readBoxes(file, parent, budget)) {
      if (METADATA.includes(box.type)) metadata.push(box)
      else yield box
    }
  }
  let movie: Box | undefined
  for await (const box of children({ type: 'file', head: 0, start: 0, end: size })) {
    if (box.type !== 'moov') continue
    if (movie !== undefined) throw new MediaFormatError('it has two indexes')
    movie = box
  }
  if (movie === undefined) throw new MediaFormatError('it has no moov')

  let durationMs: number | undefined
  let shown: { width: number; height: number } | undefined
  for await (const box of children(movie)) {
    if (box.type === 'mvhd') durationMs = readDuration(await read(file, box, 32))
    if (box.type !== 'trak') continue
    const { header, handler } = await readTrack(file, box, children)
    if (handler === 'vide' && header !== undefined) shown ??= readShownSize(header)
    if (handler !== undefined && !SHOWN.includes(handler)) metadata.push(box)
  }
  if (durationMs === undefined || shown === undefined) throw new MediaFormatError('it has no video track')
  if (!(shown.width > 0 && shown.height > 0)) throw new MediaFormatError('it has no size')
  return { movie: { ...shown, duration_ms: durationMs }, metadata }
}

async function readTrack(
  file: FileHandle,
  track: Box,
  children: (parent: Box) => AsyncGenerator<Box>,
): Promise<{ header: Buffer | undefined; handler: string | undefined }> {
  let header: Buffer | undefined
  let handler: string | undefined
  for await (const part of children(track)) {
    if (part.type === 'tkhd') header = await read(file, part, 96)
    if (part.type !== 'mdia') continue
    for await (const inner of children(part)) {
      if (inner.type === 'hdlr') handler = (await read(file, inner, 12)).toString('latin1', 8, 12)
    }
  }
  return { header, handler }
}

const ZEROS = Buffer.alloc(65_536)

/** Makes the box free space of the same length, so that every position in the file stays right. */
async function makeEmpty(file: FileHandle, { head, start, end }: Box): Promise<void> {
  await file.write(Buffer.from('free', 'latin1'), 0, 4, head + 4)
  for (let at = start; at < end; at += ZEROS.length) await file.write(ZEROS, 0, Math.min(ZEROS.length, end - at), at)
}

async function* readBoxes(file: FileHandle, { start, end }: Box, budget: { boxes: number }): AsyncGenerator<Box> {
  for (let at = start; at + 8 <= end; ) {
    if (budget.boxes-- === 0) throw new MediaFormatError('it has too many boxes')
    const head = await read(file, { type: '', head: at, start: at, end }, 16)
    const short = head.readUInt32BE(0)
    // 1: the length follows in 64 bits; 0: to the end.
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short
    const headBytes = short === 1 ? 16 : 8
    if (length < headBytes || at + length > end) throw new MediaFormatError('a box is cut')
    yield { type: head.toString('latin1', 4, 8), head: at, start: at + headBytes, end: at + length }
    at += length
  }
}

/** The first bytes of a box; zeros where it is shorter, which are no size and no duration. */
async function read(file: FileHandle, { start, end }: Box, bytes: number): Promise<Buffer> {
  const length = Math.min(bytes, end - start)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, length, start)
  if (bytesRead < length) throw new MediaFormatError('the file is cut')
  return buffer
}

/** Reads the duration of an mvhd. */
function readDuration(header: Buffer): number {
  const isLong = header[0] === 1
  const timescale = header.readUInt32BE(isLong ? 20 : 12)
  const duration = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16)
  if (timescale === 0) throw new MediaFormatError('it has no time scale')
  const ms = Math.round((duration / timescale) * 1000)
  if (ms > DURATION_MS_MAX) throw new MediaFormatError('its duration is unknown')
  return ms
}

/** Reads a tkhd: 16.16 numbers after a matrix, which turns the picture by a quarter when its diagonal is 0. */
function readShownSize(header: Buffer): { width: number; height: number } {
  const matrix = header[0] === 1 ? 52 : 40
  const width = Math.round(header.readUInt32BE(matrix + 36) / 65_536)
  const height = Math.round(header.readUInt32BE(matrix + 40) / 65_536)
  return header.readInt32BE(matrix) === 0 ? { width: height, height: width } : { width, height }
}
