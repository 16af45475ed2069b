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

/** The type that the first bytes show, whatever name or type the sender gives. Throws media_refused for any other. */
async function requireType(bytes: ByteSource): Promise<Media['contentType']> {
  const head = (await bytes.peek(HEAD_BYTES)).toString('latin1')
  const contentType = detectType(head) ?? (isOldQuickTime(head) ? 'video/quicktime' : undefined)
  if (contentType !== undefined) return contentType
  const format = findFormat((await bytes.peek(FORMAT_BYTES)).toString('latin1'))
  throw format === undefined ? new ApiError('media_refused') : refuseFormat(format)
}

export interface Incoming {
  contentType: Media['contentType']
  /** The file as it is to be stored. */
  content: AsyncIterable<Uint8Array>
  /** Gives what a platform asks about it, once the whole content is in the file at the path. Throws MediaFormatError. */
  inspect(path: string): Promise<Inspected>
}

/**
 * Reads a file as it arrives: images lose on the way what tells of a person, a place or a device, unless `keep`; videos
 * do when they are inspected, because their index may come last. Throws media_refused for what is no image or video.
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
    // The rest of the body belongs to no image: it is read, so that its size is known, and not stored.
    for await (const _ of bytes.passAll());
  }
  return {
    contentType,
    content: content(),
    async inspect() {
      const { width, height, orientation } = picture
      // By EXIF the last four of eight lie on their side.
      const shown = orientation > 4 ? { width: height, height: width } : { width, height }
      return { content_type: contentType, ...shown, duration_ms: null }
    },
  }
}
