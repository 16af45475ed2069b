/** Files for uploads, as small as possible. */

export function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** Makes a chunk of a PNG; nothing checks its checksum. */
export const chunk = (type: string, data: Buffer): Buffer =>
  Buffer.concat([u32(data.length), Buffer.from(type), data, u32(0)])

export function png(width: number, height: number, ...chunks: Buffer[]): Buffer {
  const header = Buffer.concat([u32(width, height), Buffer.from([8, 2, 0, 0, 0])])
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...chunks,
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Makes a segment of a JPEG. */
export const segment = (marker: number, data: Buffer): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(data.length + 2)
  return Buffer.concat([Buffer.from([0xff, marker]), length, data])
}

/** `orientation` as in EXIF; an upright image has none. `scan` is its compressed data. `before` comes before its frame. */
export function jpeg(
  width: number,
  height: number,
  orientation = 1,
  { scan, before = Buffer.alloc(0) }: { scan?: Buffer; before?: Buffer } = {},
): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(0x0112, 10)
  tiff.writeUInt16BE(3, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  const frame = Buffer.alloc(15)
  frame[0] = 8
  frame.writeUInt16BE(height, 1)
  frame.writeUInt16BE(width, 3)
  frame[5] = 3
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    orientation === 1 ? Buffer.alloc(0) : segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])),
    before,
    segment(0xc0, frame),
    ...(scan === undefined ? [] : [segment(0xda, Buffer.from([3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0])), scan]),
    Buffer.from([0xff, 0xd9]),
  ])
}

export const box = (type: string, ...content: Buffer[]): Buffer => {
  const data = Buffer.concat(content)
  return Buffer.concat([u32(data.length + 8), Buffer.from(type, 'latin1'), data])
}

export interface Movie {
  width: number
  height: number
  durationMs: number
  /** Turned by a quarter, as a phone held upright records it. */
  isTurned?: boolean
  brand?: string
  /** Programs that write files differ in where they place it. */
  moovLast?: boolean
  /** More boxes of the index and of its image track. */
  inMovie?: Buffer[]
  inTrack?: Buffer[]
}

export function movie({
  width,
  height,
  durationMs,
  isTurned = false,
  brand = 'isom',
  moovLast = false,
  inMovie = [],
  inTrack = [],
}: Movie): Buffer {
  const one = 0x10000
  const matrix = isTurned
    ? u32(0, one, 0, 0x1_0000_0000 - one, 0, 0, 0, 0, 0x40000000)
    : u32(one, 0, 0, 0, one, 0, 0, 0, 0x40000000)
  const track = (handler: string, size: Buffer, ...more: Buffer[]) =>
    box(
      'trak',
      box('tkhd', u32(0, 0, 0, 1, 0, durationMs), u32(0, 0, 0, 0), matrix, size),
      box(
        'mdia',
        box('mdhd', u32(0, 0, 0, 1000, durationMs, 0)),
        box('hdlr', u32(0, 0), Buffer.from(handler), u32(0, 0, 0)),
      ),
      ...more,
    )
  const moov = box(
    'moov',
    box('mvhd', u32(0, 0, 0, 1000, durationMs), Buffer.alloc(80)),
    track('soun', u32(0, 0)),
    track('vide', u32(width * 0x10000, height * one), ...inTrack),
    ...inMovie,
  )
  const ftyp = box('ftyp', Buffer.from(brand), u32(0))
  const mdat = box('mdat', Buffer.alloc(64))
  return Buffer.concat(moovLast ? [ftyp, mdat, moov] : [ftyp, moov, mdat])
}
