import type { CountedPage, PageQuery } from './pages.js'
import type { PostStatus } from './post-status.js'

/** A file that was uploaded, at an address from which a platform can fetch it. */
export interface Media {
  id: string
  /** The name that the file had where it came from; absent where the sender gave none. */
  name?: string
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
  /** The address of its small picture, for lists; of a video its poster. Absent while it has none. */
  smallUrl?: string
  createdAt: string
}

export interface MediaUpload {
  /** The name that the file has with the sender. */
  name?: string
}

export interface MediaQuery extends PageQuery {
  /** Only images, or only videos. */
  mediaType?: Media['mediaType']
  /** Only files with this in their name, in capitals or not. */
  search?: string
}
export type MediaPage = CountedPage<Media>

export interface DeletedMedia {
  id: string
}

export interface MediaUsesQuery {
  /** Ids of files with commas between them. */
  ids: string
}

/** A post that uses an uploaded file. */
export interface MediaUse {
  mediaId: string
  scheduledPostId: string
  status: PostStatus
  /** The beginning of the first text that it has; empty where it has none. */
  text: string
}
