import type { Media } from './generated/types.js'

/** The first bytes by which the types that are taken are known. */
export const HEAD_BYTES = 12

/** Pictures and sounds in the container of MP4, by their main brand: HEIC, AVIF and others. */
const NO_VIDEO = /^(avi[fso]|he[iv]|mi[fa]|msf|avc[is]|jp|crx|.4[ABP])/

/** The type of a file by its first HEAD_BYTES, each a character; undefined for one that it does not show. */
export function detectType(head: string): Media['contentType'] | undefined {
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.slice(4, 8) !== 'ftyp') return undefined
  const brand = head.slice(8)
  return NO_VIDEO.test(brand) ? undefined : brand === 'qt  ' ? 'video/quicktime' : 'video/mp4'
}
