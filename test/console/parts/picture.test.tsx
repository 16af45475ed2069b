import { describe, expect, test } from 'vitest'
import { prepareFile } from '../../../src/console/posts/picture.ts'

const MIB = 1024 * 1024
/** Returns a file with these first bytes. */
const fileOf = (head: string, name: string, size = 100): File => {
  const bytes = new Uint8Array(size)
  bytes.set([...head].map((char) => char.charCodeAt(0)))
  return new File([bytes], name)
}
const JPEG = '\xff\xd8\xff\xe0'
const PNG = '\x89PNG\r\n\x1a\n'
const MP4 = '\0\0\0\x20ftypisom'

describe('a file before it is sent', () => {
  test.each([
    ['a JPEG', fileOf(JPEG, 'a.jpg'), ['FB_PAGE', 'INSTAGRAM_ACCOUNT']],
    ['a PNG for a page', fileOf(PNG, 'a.png'), ['FB_PAGE']],
    ['a PNG for no channel yet', fileOf(PNG, 'a.png'), []],
    ['an MP4', fileOf(MP4, 'a.mp4'), ['INSTAGRAM_ACCOUNT']],
  ])('is sent unchanged: %s', async (_name, file, channelTypes) => {
    expect(await prepareFile(file, channelTypes)).toEqual({ file, said: undefined })
  })

  test('is refused before it is sent if a channel does not accept its size, with the size in the message', async () => {
    const video = fileOf(MP4, 'a.mp4', 301 * MIB)
    await expect(prepareFile(video, ['FB_PAGE', 'INSTAGRAM_ACCOUNT'])).rejects.toThrow(
      'This video has 301 MiB, and a chosen channel accepts at most 300 MiB. Export it smaller; 1080p is usually enough.',
    )
    expect((await prepareFile(video, ['FB_PAGE'])).file).toBe(video)
  })

  test.each([
    ['neither a picture nor a video', 'page.png', '<script>'],
    ['a HEIC that this browser cannot draw', 'IMG_1.heic', '\0\0\0\x20ftypheic'],
    ['an AVIF that this browser cannot draw', 'a.avif', '\0\0\0\x20ftypavif'],
    ['an HEIF with either', 'a.heif', '\0\0\0\x20ftypmif1'],
    ['a WebM', 'a.webm', '\x1a\x45\xdf\xa3'],
  ])('is refused with its name if it is %s', async (_kind, name, head) => {
    await expect(prepareFile(fileOf(head, name), [])).rejects.toThrow(`cannot read the file ${name} as`)
  })
})
