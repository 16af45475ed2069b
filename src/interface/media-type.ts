import type { Media } from './generated/types.js'

/** The kind that the end of an address tells; undefined when it tells none. */
export function mediaTypeOf(url: string): Media['mediaType'] | undefined {
  if (/\.(mp4|mov|m4v)(\?|#|$)/i.test(url)) return 'VIDEO'
  return /\.(jpe?g|png|webp|gif)(\?|#|$)/i.test(url) ? 'IMAGE' : undefined
}
