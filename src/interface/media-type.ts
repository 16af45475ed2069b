import type { Media } from './generated/types.js'

/** Returns the media type by the file extension in a URL; undefined if there is none. */
export function mediaTypeOf(url: string): Media['mediaType'] | undefined {
  if (/\.(mp4|mov|m4v)(\?|#|$)/i.test(url)) return 'VIDEO'
  return /\.(jpe?g|png|webp|gif)(\?|#|$)/i.test(url) ? 'IMAGE' : undefined
}
