import { ApiError } from '../errors.js'
import type { Media } from '../interface/media.js'
import { type ByteSource, inBlocks, MediaFormatError } from './byte-source.js'
import { inspectMovie } from './inspect-movie.js'
import type { MediaRow } from './media.store.js'
import type { Picture } from './picture.js'
import { readJpeg } from './read-jpeg.js'
import { readPng } from './read-png.js'

export type Inspected = Pick<MediaRow, 'content_type' | 'width' | 'height' | 'duration_ms'>

/** Bytes that tell the type. */
const HEAD_BYTES = 12

/** The type that the first bytes tell, whatever name or type the sender gives. Throws media_refused for any other. */
function detectType(head: Buffer): Media['contentType'] {
  if (head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg'
  if (head.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))) return 'image/png'
  if (head.toString('latin1', 4, 8) === 'ftyp') {
    return head.toString('latin1', 8, 12) === 'qt  ' ? 'video/quicktime' : 'video/mp4'
  }
  throw new ApiError('media_refused')
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
  const contentType = detectType(await bytes.peek(HEAD_BYTES))
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

/** The refusal of a file that is cut or not what it says it is; any other error as it is. */
export function toRefusal(error: unknown): unknown {
  if (!(error instanceof MediaFormatError)) return error
  return new ApiError('media_refused', {
    message: 'The file is cut, or no image or video that can be read: export it again and send it whole.',
    cause: error,
  })
}
