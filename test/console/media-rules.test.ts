import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findMediaProblems } from '../../src/console/posts/media-rules.js'
import type { Media } from '../../src/interface/media.js'
import type { MediaRow } from '../../src/media/media.store.js'
import { findMediaProblems as findOfService } from '../../src/posts/media-rules.js'
import type { ScheduledPostRow } from '../../src/posts/scheduled-posts.store.js'

const near = (...values: number[]) => fc.constantFrom(...values.flatMap((value) => [value - 1, value, value + 1]))
const MIB = 1024 * 1024

test('what the console says of an uploaded file is what the service refuses of it', () => {
  const media = fc.record({
    contentType: fc.constantFrom('image/jpeg', 'image/png', 'video/mp4', 'video/quicktime') as fc.Arbitrary<
      Media['contentType']
    >,
    bytes: near(8 * MIB, 10 * MIB, 300 * MIB, 1024 * MIB),
    width: near(1080, 1920, 800, 1910, 11_000),
    height: near(1000, 1080, 1350, 566),
    durationMs: near(1, 3_000, 15 * 60_000, 20 * 60_000),
  })
  fc.assert(
    fc.property(media, fc.constantFrom('FB_PAGE', 'INSTAGRAM_ACCOUNT'), (one, type) => {
      const mediaType = one.contentType.startsWith('image/') ? 'IMAGE' : 'VIDEO'
      const { durationMs, ...facts } = one
      const isVideo = mediaType === 'VIDEO'
      const own: Media = { ...facts, ...(isVideo ? { durationMs } : {}), id: 'm', url: 'u', mediaType, createdAt: '' }
      const row = {
        ...facts,
        content_type: one.contentType,
        duration_ms: isVideo ? durationMs : null,
      } as unknown as MediaRow
      const post = { media_type: mediaType, channels: [{ channel_id: 'c', type }] } as unknown as ScheduledPostRow
      expect(findMediaProblems(own, type)).toHaveLength(findOfService(row, post).length)
    }),
    { numRuns: 2_000 },
  )
})
