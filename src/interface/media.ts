import type { CountedPage, PageQuery } from './pages.js'

/** A file that was uploaded, at an address from which a platform can fetch it. */
export interface Media {
  id: string
  /** For `media` of a post. */
  url: string
  mediaType: 'IMAGE' | 'VIDEO'
  contentType: 'image/jpeg' | 'image/png' | 'video/mp4' | 'video/quicktime'
  bytes: number
  /** In pixels, as it is shown. */
  width: number
  height: number
  /** The duration of a video. */
  durationMs?: number
  createdAt: string
}

export type MediaQuery = PageQuery
export type MediaPage = CountedPage<Media>

export interface DeletedMedia {
  id: string
}
