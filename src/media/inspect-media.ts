import { type FileHandle, open } from 'node:fs/promises'
import { imageSize } from 'image-size'
import { ApiError } from '../errors.js'
import type { Media } from '../interface/media.js'
import { limit } from '../lib/limits.js'
import { inspectMovie } from './inspect-movie.js'
import type { MediaRow } from './media.store.js'

export type Inspected = Pick<MediaRow, 'content_type' | 'width' | 'height' | 'duration_ms'>

/** Bytes that tell the type. */
export const HEAD_BYTES = 12
/** The dimensions of an image stand behind its profile and its preview. */
const IMAGE_HEAD_BYTES = limit('mediaHeadBytes')

/** The type that the first bytes tell, whatever name or type the sender gives. Throws media_refused for any other. */
export function detectType(head: Buffer): Media['contentType'] {
  if (head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg'
  if (head.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))) return 'image/png'
  if (head.toString('latin1', 4, 8) === 'ftyp') {
    return head.toString('latin1', 8, 12) === 'qt  ' ? 'video/quicktime' : 'video/mp4'
  }
  throw new ApiError('media_refused')
}

/** What a platform asks about the file. Throws media_refused for one that is cut or no image or video. */
export async function inspectMedia(path: string, contentType: Media['contentType']): Promise<Inspected> {
  const file = await open(path)
  try {
    const found = contentType.startsWith('image/') ? await inspectImage(file) : await inspectMovie(file)
    if (!(found.width > 0 && found.height > 0)) throw new Error('it has no size')
    return { content_type: contentType, ...found }
  } catch (error) {
    throw new ApiError('media_refused', {
      message: 'The file is cut, or no image or video that can be read: export it again and send it whole.',
      cause: error,
    })
  } finally {
    await file.close()
  }
}

async function inspectImage(file: FileHandle): Promise<Omit<Inspected, 'content_type'>> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(IMAGE_HEAD_BYTES), 0, IMAGE_HEAD_BYTES, 0)
  const { width, height, orientation = 1 } = imageSize(buffer.subarray(0, bytesRead))
  // By EXIF the last four of eight lie on their side.
  return orientation > 4 ? { width: height, height: width, duration_ms: null } : { width, height, duration_ms: null }
}
