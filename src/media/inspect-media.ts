import { ApiError } from '../errors.js'
import type { Media } from '../interface/generated/types.js'
import { detectType, HEAD_BYTES } from '../interface/media-format.js'
import { type ByteSource, inBlocks } from './byte-source.js'
import { inspectMovie } from './inspect-movie.js'
import type { MediaRow } from './media.store.js'
import { refuseFormat } from './media-refusals.js'
import { FORMAT_BYTES, findFormat, isOldQuickTime } from './other-formats.js'
import type { Picture } from './picture.js'
import { readJpeg } from './read-jpeg.js'
import { readPng } from './read-png.js'

export type Inspected = Pick<MediaRow, 'content_type' | 'width' | 'height' | 'duration_ms'>

/**
 * Returns the type that the first bytes show, whatever name or type the sender gives. Throws media_refused for any other.
 */
async function requireType(bytes: ByteSource): Promise<Media['contentType']> {
  const head = (await bytes.peek(HEAD_BYTES)).toString('latin1')
  const contentType = detectType(head) ?? (isOldQuickTime(head) ? 'video/quicktime' : undefined)
  if (contentType !== undefined) return contentType
  const format = findFormat((await bytes.peek(FORMAT_BYTES)).toString('latin1'))
  throw format === undefined ? new ApiError('media_refused') : refuseFormat(format)
}

export interface Incoming {
  contentType: Media['contentType']
  /** The file as it will be stored. */
  content: AsyncIterable<Uint8Array>
  /**
   * Returns what a platform requires to know about it, once the whole content is in the file at the path. Throws
   * MediaFormatError.
   */
  inspect(path: string): Promise<Inspected>
}

/**
 * Reads a file as it arrives. Unless `keep`, images lose along the way what identifies a person, a place or a device; videos
 * do so when they are inspected, because their index may come last. Throws media_refused for anything but an image or video.
 */
export async function readMedia(bytes: ByteSource, { keep }: { keep: boolean }): Promise<Incoming> {
  const contentType = await requireType(bytes)
  if (contentType === 'video/mp4' || contentType === 'video/quicktime') {
    return {
      contentType,
      content: bytes.passAll(),
      inspect: async (path) => ({ content_type: contentType, ...(await inspectMovie(path, { keep })) }),
    }
  }
  const picture: Picture = { width: 0, height: 0, orientation: 1 }
  const read = contentType === 'image/jpeg' ? readJpeg : readPng
  async function* content(): AsyncGenerator<Uint8Array> {
    yield* inBlocks(read(bytes, picture, keep))
    // The rest of the body does not belong to any image: it is read to know its size, but not stored.
    for await (const _ of bytes.passAll());
  }
  return {
    contentType,
    content: content(),
    async inspect() {
      const { width, height, orientation } = picture
      // In EXIF, the last four of eight orientations are rotated by 90°.
      const shown = orientation > 4 ? { width: height, height: width } : { width, height }
      return { content_type: contentType, ...shown, duration_ms: null }
    },
  }
}
