import { limit } from '../lib/limits.js'
import { type ByteSource, MediaFormatError } from './byte-source.js'

/** The facts found in an image while it passes through. */
export interface Picture {
  width: number
  height: number
  /** As in EXIF, 1 to 8. */
  orientation: number
}

/**
 * Yields the image as it will be stored, and records its size in `picture`. Throws MediaFormatError for an image that cannot
 * be read to its end. With `keep` everything is kept; without it, whatever identifies the person, the place and the device
 * is removed.
 */
export type ReadPicture = (bytes: ByteSource, picture: Picture, keep: boolean) => AsyncGenerator<Buffer>

const PARTS_MAX = limit('mediaParts')

/** Counts the parts of a file, so that a crafted file with millions of empty parts is rejected rather than processed. */
export function createPartCounter(): () => void {
  let parts = 0
  return () => {
    parts += 1
    if (parts > PARTS_MAX) throw new MediaFormatError('it has too many parts')
  }
}

/** Fits a database column, and exceeds every real picture. */
const SIDE_MAX = 2 ** 31 - 1

export function noteSize(picture: Picture, width: number, height: number): void {
  if (width === 0 || height === 0) throw new MediaFormatError('it has no size')
  if (width > SIDE_MAX || height > SIDE_MAX) throw new MediaFormatError('it is too large')
  picture.width = width
  picture.height = height
}
