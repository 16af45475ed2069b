import { limit } from '../lib/limits.js'
import { type ByteSource, MediaFormatError } from './byte-source.js'

/** The facts that are found out about an image while it passes. */
export interface Picture {
  width: number
  height: number
  /** As in EXIF, 1 to 8. */
  orientation: number
}

/**
 * Gives the image as it is to be stored, and notes its size in `picture`. Throws MediaFormatError for one that cannot
 * be read to its end. `keep`: with all that it holds; else without what tells of the person, the place and the device.
 */
export type ReadPicture = (bytes: ByteSource, picture: Picture, keep: boolean) => AsyncGenerator<Buffer>

const PARTS_MAX = limit('mediaParts')

/** Counts the parts of a file: a made-up one of millions of empty parts is refused rather than walked through. */
export function createPartCounter(): () => void {
  let parts = 0
  return () => {
    parts += 1
    if (parts > PARTS_MAX) throw new MediaFormatError('it has too many parts')
  }
}

/** A column of the database holds it, and it is more than any picture has. */
const SIDE_MAX = 2 ** 31 - 1

export function noteSize(picture: Picture, width: number, height: number): void {
  if (width === 0 || height === 0) throw new MediaFormatError('it has no size')
  if (width > SIDE_MAX || height > SIDE_MAX) throw new MediaFormatError('it is too large')
  picture.width = width
  picture.height = height
}
