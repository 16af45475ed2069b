import { MediaFormatError } from './byte-source.js'
import { createPartCounter, noteSize, type ReadPicture } from './picture.js'

// PNG (W3C): chunks with a length, a type, a content and a checksum. This is our own reader because the libraries take the
// whole file at once.

const SIGNATURE_BYTES = 8
const CHECKSUM_BYTES = 4
const CHUNK_BYTES_MAX = 2 ** 31 - 1
/** Nothing can be drawn without these. */
const NEEDED = ['IHDR', 'PLTE', 'IDAT', 'IEND']
/**
 * Colors, transparency, density and animation need these. Any other chunk is text, a time, EXIF data, or private to a
 * program.
 */
const DRAWN = 'tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs acTL fcTL fdAT'.split(' ')

export const readPng: ReadPicture = async function* (bytes, picture, keep) {
  const count = createPartCounter()
  yield await bytes.take(SIGNATURE_BYTES)
  for (let isFirst = true; ; isFirst = false) {
    count()
    const head = await bytes.take(8)
    const length = head.readUInt32BE(0)
    const type = head.toString('latin1', 4)
    if (!/^[A-Za-z]{4}$/.test(type) || length > CHUNK_BYTES_MAX) throw new MediaFormatError('a chunk is damaged')
    if (isFirst !== (type === 'IHDR')) throw new MediaFormatError('its header is not its first chunk')
    if (/^[A-Z]/.test(type) && !NEEDED.includes(type)) throw new MediaFormatError('it has a chunk of an unknown kind')
    if (isFirst) {
      const size = await bytes.peek(8)
      if (length !== 13 || size.length < 8) throw new MediaFormatError('its header is damaged')
      noteSize(picture, size.readUInt32BE(0), size.readUInt32BE(4))
    }
    if (keep || NEEDED.includes(type) || DRAWN.includes(type)) {
      yield head
      yield* bytes.pass(length + CHECKSUM_BYTES)
    } else {
      await bytes.skip(length + CHECKSUM_BYTES)
    }
    if (type === 'IEND') break
  }
  if (keep) yield* bytes.passAll()
}
