import type { Media } from './generated/types.js'

/** The first bytes, which identify the accepted types. */
export const HEAD_BYTES = 12

/** Brands of pictures and sounds in an MP4 container: HEIC, AVIF and others. */
const NO_VIDEO = /^(avi[fso]|he[iv]|mi[fa]|msf|avc[is]|jp|crx|.4[ABP])/

/** Detects the type of a file from its first HEAD_BYTES, one character each; undefined if they do not identify it. */
export function detectType(head: string): Media['contentType'] | undefined {
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.slice(4, 8) !== 'ftyp') return undefined
  const brand = head.slice(8)
  return NO_VIDEO.test(brand) ? undefined : brand === 'qt  ' ? 'video/quicktime' : 'video/mp4'
}
