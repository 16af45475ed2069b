import type { Media } from './generated/types.js'

/** The number of bytes at the start of a file that identify its type. */
export const HEAD_BYTES = 12

/** The brands of MP4 containers that hold images or audio: HEIC, AVIF and others. */
const NOT_VIDEO = /^(avi[fso]|he[iv]|mi[fa]|msf|avc[is]|jp|crx|.4[ABP])/

/** Detects the type of a file from its first HEAD_BYTES, one character per byte. Returns undefined for other types. */
export function detectType(head: string): Media['contentType'] | undefined {
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.slice(4, 8) !== 'ftyp') return undefined
  const brand = head.slice(8)
  return NOT_VIDEO.test(brand) ? undefined : brand === 'qt  ' ? 'video/quicktime' : 'video/mp4'
}
