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

export interface MediaQuery {
  /** Files per page: 50 by default, at most 200. */
  limit?: number
  /** The nextCursor of the page before. */
  after?: string
}

export interface MediaPage {
  items: Media[]
  returned: number
  mayHaveMore: boolean
  nextCursor: string | null
}

export interface DeletedMedia {
  id: string
}
