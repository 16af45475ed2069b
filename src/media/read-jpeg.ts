import { type ByteSource, MediaFormatError } from './byte-source.js'
import { createPartCounter, noteSize, type Picture, type ReadPicture } from './picture.js'

// ITU-T T.81, Annex B: a JPEG consists of segments with a marker, a length and a content, some followed by compressed data.
// This is our own reader because the libraries (piexifjs, exifr, image-size) take the whole file at once or read without
// writing.

const START = 0xd8
const END = 0xd9
const SCAN = 0xda
const COMMENT = 0xfe
/**
 * Baseline, progressive and the others all have the size in the same place. Tables (C4, CC) and C8 have numbers in
 * between.
 */
const FRAMES = [0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]
/** The tables without which nothing can be drawn. */
const TABLES = [0xc4, 0xcc, 0xdb, 0xdc, 0xdd, 0xde, 0xdf]
const FILL_BYTES_MAX = 64

const isApplication = (marker: number): boolean => marker >= 0xe0 && marker <= 0xef
const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7

export const readJpeg: ReadPicture = async function* (bytes, picture, keep) {
  const count = createPartCounter()
  const found = { frame: false, exif: false }
  let hasData = false
  yield await bytes.take(2)
  for (;;) {
    count()
    const marker = await takeMarker(bytes)
    if (marker === END) break
    yield* readSegment(bytes, marker, picture, { keep, found })
    if (marker !== SCAN) continue
    if (!found.frame) throw new MediaFormatError('it has no size')
    const isWhole = yield* passData(bytes, () => {
      hasData = true
    })
    if (isWhole) continue
    // Some cameras and programs write no end marker. Every decoder then shows the data that are there.
    if (!hasData) throw new MediaFormatError('it is cut')
    if (keep) return yield* bytes.passAll()
    break
  }
  if (!found.frame) throw new MediaFormatError('it has no size')
  yield Buffer.from([0xff, END])
  // After the end, phones put films, and previews with their own EXIF.
  if (keep) yield* bytes.passAll()
}

/**
 * Yields compressed data. Returns false if the stream ends within them, and holds the part of a marker that may be there.
 */
async function* passData(bytes: ByteSource, note: () => void): AsyncGenerator<Buffer, boolean> {
  const data = bytes.passUntil(findMarker)
  for (;;) {
    const { done, value } = await data.next()
    if (done) {
      const [last] = value ? [] : await bytes.peek(1)
      if (last !== undefined && last !== 0xff) {
        note()
        yield await bytes.take(1)
      }
      return value
    }
    if (value.some((byte) => byte !== 0xff)) note()
    yield value
  }
}

async function takeMarker(bytes: ByteSource): Promise<number> {
  const [first] = await bytes.take(1)
  if (first !== 0xff) throw new MediaFormatError('a segment does not begin with a marker')
  for (let fill = 0; fill < FILL_BYTES_MAX; fill++) {
    const [marker = 0] = await bytes.take(1)
    if (marker !== 0xff) return marker
  }
  throw new MediaFormatError('it has no marker')
}

async function* readSegment(
  bytes: ByteSource,
  marker: number,
  picture: Picture,
  { keep, found }: { keep: boolean; found: { frame: boolean; exif: boolean } },
): AsyncGenerator<Buffer> {
  const isFrame = FRAMES.includes(marker)
  if (!isFrame && !isApplication(marker) && ![SCAN, COMMENT, ...TABLES].includes(marker)) {
    throw new MediaFormatError(marker === START ? 'it begins twice' : 'it has a segment of an unknown kind')
  }
  const length = (await bytes.take(2)).readUInt16BE()
  if (length < 2) throw new MediaFormatError('a segment has no length')
  const content = await bytes.take(length - 2)
  const segment = toSegment(marker, content)
  if (isFrame) {
    if (content.length < 6) throw new MediaFormatError('it has no size')
    // If there are several frames, the first is the whole picture.
    if (!found.frame) noteSize(picture, content.readUInt16BE(3), content.readUInt16BE(1))
    found.frame = true
  }
  const isExif = marker === 0xe1 && startsWith(content, 'Exif\0\0')
  const orientation = isExif && !found.exif ? readOrientation(content.subarray(6)) : 1
  if (isExif) found.exif = true
  if (orientation > 1) picture.orientation = orientation
  if (keep || isFrame || marker === SCAN || TABLES.includes(marker)) yield segment
  else if (orientation > 1) yield toSegment(0xe1, toExif(orientation))
  else if (isApplication(marker)) yield* keptOfApplication(marker, content)
}

/**
 * The segments that a picture needs to be drawn: the shape of its pixels, its color profile, and how its colors are encoded,
 * but no preview.
 */
function* keptOfApplication(marker: number, content: Buffer): Generator<Buffer> {
  if (marker === 0xe0 && startsWith(content, 'JFIF\0') && content.length >= 14) {
    yield toSegment(marker, Buffer.concat([content.subarray(0, 12), Buffer.alloc(2)]))
  }
  if (marker === 0xe2 && startsWith(content, 'ICC_PROFILE\0')) yield toSegment(marker, content)
  if (marker === 0xee && startsWith(content, 'Adobe') && content.length >= 12) {
    yield toSegment(marker, content.subarray(0, 12))
  }
}

/** Finds where compressed data ends: inside it, 0xff is followed by 0 or by the number of a restart. */
function findMarker(bytes: Buffer): { at: number; isThere: boolean } {
  for (let at = 0; ; ) {
    // If many are adjacent, searching for each would cost more than looking.
    if (bytes[at] !== 0xff) at = bytes.indexOf(0xff, at)
    if (at === -1) break
    const next = bytes[at + 1]
    if (next === undefined) return { at, isThere: false }
    if (next === 0 || isRestart(next)) at += 2
    else if (next === 0xff) at += 1
    else return { at, isThere: true }
  }
  return { at: bytes.length, isThere: false }
}

const startsWith = (content: Buffer, text: string): boolean => content.toString('latin1', 0, text.length) === text

function toSegment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

const ORIENTATION = 0x0112
const SHORT = 3
const ENTRY_BYTES = 12

/**
 * Returns how the picture is rotated, according to its first directory; 1 if that does not say. A wrong EXIF is no reason to
 * reject a picture.
 */
function readOrientation(tiff: Buffer): number {
  const isLittle = startsWith(tiff, 'II*\0')
  if (!(isLittle || startsWith(tiff, 'MM\0*')) || tiff.length < 8) return 1
  const u16 = (at: number): number =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  const entries = u16(directory)
  for (let n = 0; n < entries; n++) {
    const at = directory + 2 + n * ENTRY_BYTES
    if (at + ENTRY_BYTES > tiff.length) return 1
    if (u16(at) !== ORIENTATION) continue
    const value = u16(at + 8)
    return u16(at + 2) === SHORT && value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

/** Returns an EXIF with only this orientation. */
function toExif(orientation: number): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(ORIENTATION, 10)
  tiff.writeUInt16BE(SHORT, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
}
