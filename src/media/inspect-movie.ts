import type { FileHandle } from 'node:fs/promises'

// ISO 14496-12, and QuickTime before it: a file is boxes of a length, a type and a content, which may be boxes again. Ours
// rather than a library's, which reads the tables of all samples: this reads a few hundred bytes of a file of any size.

interface Movie {
  /** Of the first video track, in pixels, as it is shown. */
  width: number
  height: number
  duration_ms: number
}

/** Where the content of a box begins and ends in the file. */
interface Box {
  type: string
  start: number
  end: number
}

/** More than any sound file has on the few levels that are read. */
const BOXES_MAX = 1_000

/** The size and duration of an MP4 or QuickTime file. Throws an Error for one that is cut or has no video. */
export async function inspectMovie(file: FileHandle): Promise<Movie> {
  const { size } = await file.stat()
  const budget = { boxes: BOXES_MAX }
  const children = (parent: Box): AsyncGenerator<Box> => readBoxes(file, parent, budget)

  let movie: Box | undefined
  for await (const box of children({ type: 'file', start: 0, end: size })) if (box.type === 'moov') movie = box
  if (movie === undefined) throw new Error('it has no moov')

  let durationMs: number | undefined
  let shown: { width: number; height: number } | undefined
  for await (const box of children(movie)) {
    if (box.type === 'mvhd') durationMs = readDuration(await read(file, box, 32))
    if (box.type !== 'trak' || shown !== undefined) continue
    let header: Buffer | undefined
    let handler: string | undefined
    for await (const part of children(box)) {
      if (part.type === 'tkhd') header = await read(file, part, 96)
      if (part.type !== 'mdia') continue
      for await (const inner of children(part)) {
        if (inner.type === 'hdlr') handler = (await read(file, inner, 12)).toString('latin1', 8, 12)
      }
    }
    if (handler === 'vide' && header !== undefined) shown = readShownSize(header)
  }
  if (durationMs === undefined || shown === undefined) throw new Error('it has no video track')
  return { ...shown, duration_ms: durationMs }
}

async function* readBoxes(file: FileHandle, { start, end }: Box, budget: { boxes: number }): AsyncGenerator<Box> {
  for (let at = start; at + 8 <= end; ) {
    if (budget.boxes-- === 0) throw new Error('it has too many boxes')
    const head = await read(file, { type: '', start: at, end }, 16)
    const short = head.readUInt32BE(0)
    // 1: the length follows in 64 bits; 0: to the end.
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short
    const headBytes = short === 1 ? 16 : 8
    if (length < headBytes || at + length > end) throw new Error('a box is cut')
    yield { type: head.toString('latin1', 4, 8), start: at + headBytes, end: at + length }
    at += length
  }
}

/** The first bytes of a box, at most `bytes`. */
async function read(file: FileHandle, { start, end }: Box, bytes: number): Promise<Buffer> {
  const length = Math.min(bytes, end - start)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start)
  if (bytesRead < length) throw new Error('the file is cut')
  return buffer
}

/** Of an mvhd. */
function readDuration(header: Buffer): number {
  const isLong = header[0] === 1
  const timescale = header.readUInt32BE(isLong ? 20 : 12)
  const duration = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16)
  if (timescale === 0) throw new Error('it has no time scale')
  return Math.round((duration / timescale) * 1000)
}

/** Of a tkhd: 16.16 numbers after a matrix, which turns the picture by a quarter when its diagonal is 0. */
function readShownSize(header: Buffer): { width: number; height: number } {
  const matrix = header[0] === 1 ? 52 : 40
  const width = Math.round(header.readUInt32BE(matrix + 36) / 65_536)
  const height = Math.round(header.readUInt32BE(matrix + 40) / 65_536)
  return header.readInt32BE(matrix) === 0 ? { width: height, height: width } : { width, height }
}
