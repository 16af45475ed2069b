/** The first bytes, by which a format is recognized. */
export const FORMAT_BYTES = 256

/** A format that is not accepted. */
export interface OtherFormat {
  name: string
  holds: Holds
}

type Holds = 'picture' | 'video' | 'sound' | 'document'

/** Files of ISO 14496-12, by their main brand. */
const BRANDS: readonly (readonly [brand: RegExp, name: string, holds: Holds])[] = [
  [/^avi[fso]/, 'AVIF', 'picture'],
  [/^he[iv][cxms]/, 'HEIC', 'picture'],
  [/^crx/, 'CR3', 'picture'],
  [/^[MF]4[ABP]/, 'M4A', 'sound'],
  [/^/, 'HEIF', 'picture'],
]

/** Each format is recognized by a string at the start of the file, or at the position given last in its row. */
const FORMATS: readonly (readonly [text: string, name: string, holds: Holds, at?: number])[] = [
  ['WEBP', 'WebP', 'picture', 8],
  ['GIF8', 'GIF', 'picture'],
  ['II*\0', 'TIFF', 'picture'],
  ['MM\0*', 'TIFF', 'picture'],
  ['II+\0', 'TIFF', 'picture'],
  ['MM\0+', 'TIFF', 'picture'],
  ['\xff\x0a', 'JPEG XL', 'picture'],
  ['\0\0\0\x0cJXL ', 'JPEG XL', 'picture'],
  ['\0\0\0\x0cjP  ', 'JPEG 2000', 'picture'],
  ['\xff\x4f\xff\x51', 'JPEG 2000', 'picture'],
  ['8BPS', 'PSD', 'picture'],
  ['\0\0\x01\0', 'ICO', 'picture'],
  ['%PDF', 'PDF', 'document'],
  ['PK\x03\x04', 'ZIP', 'document'],
  ['\x1a\x45\xdf\xa3', 'MKV', 'video'],
  ['AVI ', 'AVI', 'video', 8],
  ['\x30\x26\xb2\x75', 'WMV', 'video'],
  ['FLV\x01', 'FLV', 'video'],
  ['\0\0\x01\xba', 'MPEG', 'video'],
  ['\0\0\x01\xb3', 'MPEG', 'video'],
  ['G@\0', 'MPEG', 'video'],
  ['OggS', 'Ogg', 'sound'],
  ['WAVE', 'WAV', 'sound', 8],
  ['ID3', 'MP3', 'sound'],
  ['\xff\xfb', 'MP3', 'sound'],
  ['fLaC', 'FLAC', 'sound'],
]

const OLD_QUICKTIME = ['moov', 'wide', 'free', 'skip', 'pnot']

/** QuickTime from before it had brands. */
export const isOldQuickTime = (head: string): boolean =>
  head.startsWith('mdat', 4) || (head.startsWith('\0') && OLD_QUICKTIME.includes(head.slice(4, 8)))

/**
 * Finds the format of a file from `head`, its first FORMAT_BYTES with one character per byte. Undefined if it is none of
 * these.
 */
export function findFormat(head: string): OtherFormat | undefined {
  if (head.slice(4, 8) === 'ftyp') return findBrand(head)
  if (/^\s{0,9}</.test(head) && head.includes('<svg')) return { name: 'SVG', holds: 'picture' }
  if (head.startsWith('BM') && head.slice(6, 10) === '\0\0\0\0') return { name: 'BMP', holds: 'picture' }
  const found = named(FORMATS.find(([text, , , at]) => head.startsWith(text, at)))
  // WebM is a kind of MKV, and says so a little later.
  return found?.name === 'MKV' && head.includes('webm') ? { ...found, name: 'WebM' } : found
}

function findBrand(head: string): OtherFormat | undefined {
  const found = BRANDS.find(([brand]) => brand.test(head.slice(8, 12)))
  // HEIF allows either codec; the other brands say which.
  const others = found?.[1] === 'HEIF' ? (head.slice(16, head.charCodeAt(3)).match(/.{4}/gs) ?? []) : []
  return named(BRANDS.slice(0, 2).find(([brand]) => others.some((other) => brand.test(other))) ?? found)
}

type Found = readonly [unknown, name: string, holds: Holds, ...unknown[]]

const named = (found: Found | undefined): OtherFormat | undefined => found && { name: found[1], holds: found[2] }
