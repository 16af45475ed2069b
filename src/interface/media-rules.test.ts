import { describe, expect, test } from 'vitest'
import { limit } from '../lib/limits.js'
import { findMediaProblems, type MediaFacts, UPLOAD_MIB_MAX } from './media-rules.js'

const MIB = 1024 * 1024
const MINUTE_MS = 60_000

const jpeg: MediaFacts = { mediaType: 'IMAGE', contentType: 'image/jpeg', bytes: 5 * MIB, width: 1080, height: 1080 }
const mp4: MediaFacts = { ...jpeg, mediaType: 'VIDEO', contentType: 'video/mp4', durationMs: MINUTE_MS }

const type = (...types: string[]) => ({ what: 'type' as const, types })
const ratio = (min: number, max: number, is: number) => ({ what: 'ratio' as const, min, max, is })
const duration = (minSeconds: number, maxMinutes: number) => ({ what: 'duration' as const, minSeconds, maxMinutes })

test('the console knows the largest upload that the service accepts', () => {
  expect(UPLOAD_MIB_MAX * MIB).toBe(limit('mediaBytes'))
})

describe('the media that a channel accepts', () => {
  test.each<[string, string, MediaFacts]>([
    ['FB_PAGE', 'a PNG', { ...jpeg, contentType: 'image/png' }],
    ['FB_PAGE', 'a picture of 10 MiB', { ...jpeg, bytes: 10 * MIB }],
    ['FB_PAGE', 'a picture of any ratio', { ...jpeg, width: 9000 }],
    ['FB_PAGE', 'a QuickTime video', { ...mp4, contentType: 'video/quicktime' }],
    ['FB_PAGE', 'a video of 1024 MiB and 20 minutes', { ...mp4, bytes: 1024 * MIB, durationMs: 20 * MINUTE_MS }],
    ['FB_PAGE', 'a video of a moment, and wide', { ...mp4, durationMs: 1, width: 4000 }],
    ['INSTAGRAM_ACCOUNT', 'a JPEG of 8 MiB', { ...jpeg, bytes: 8 * MIB }],
    ['INSTAGRAM_ACCOUNT', 'a portrait of 4 by 5, a pixel off', { ...jpeg, width: 1080, height: 1351 }],
    ['INSTAGRAM_ACCOUNT', 'a landscape of 1.91, a pixel off', { ...jpeg, width: 1080, height: 565 }],
    ['INSTAGRAM_ACCOUNT', 'a QuickTime video', { ...mp4, contentType: 'video/quicktime' }],
    ['INSTAGRAM_ACCOUNT', 'a video of 300 MiB, 3 seconds', { ...mp4, bytes: 300 * MIB, durationMs: 3_000 }],
    ['INSTAGRAM_ACCOUNT', 'a video of 1920 pixels, 15 minutes', { ...mp4, width: 1920, durationMs: 15 * MINUTE_MS }],
    ['INSTAGRAM_ACCOUNT', 'a video 100 times as high as wide', { ...mp4, width: 10, height: 1000 }],
    ['A_TYPE_OF_TOMORROW', 'whatever it is', { ...jpeg, bytes: 9000 * MIB }],
  ])('include on %s %s', (type, _, media) => {
    expect(findMediaProblems(media, type)).toEqual([])
  })

  test.each<[string, string, MediaFacts, ReturnType<typeof findMediaProblems>[number]]>([
    ['FB_PAGE', 'a picture of another type', { ...jpeg, contentType: 'video/mp4' }, type('image/jpeg', 'image/png')],
    ['FB_PAGE', 'a picture over 10 MiB', { ...jpeg, bytes: 10 * MIB + 1 }, { what: 'size', mibMax: 10 }],
    ['FB_PAGE', 'a video over 1024 MiB', { ...mp4, bytes: 1024 * MIB + 1 }, { what: 'size', mibMax: 1024 }],
    ['FB_PAGE', 'a video over 20 minutes', { ...mp4, durationMs: 20 * MINUTE_MS + 1 }, duration(0, 20)],
    ['INSTAGRAM_ACCOUNT', 'a PNG', { ...jpeg, contentType: 'image/png' }, type('image/jpeg')],
    ['INSTAGRAM_ACCOUNT', 'a picture over 8 MiB', { ...jpeg, bytes: 8 * MIB + 1 }, { what: 'size', mibMax: 8 }],
    ['INSTAGRAM_ACCOUNT', 'a higher portrait', { ...jpeg, width: 790, height: 1000 }, ratio(0.8, 1.91, 0.79)],
    ['INSTAGRAM_ACCOUNT', 'a wider landscape', { ...jpeg, width: 1920, height: 1000 }, ratio(0.8, 1.91, 1.92)],
    ['INSTAGRAM_ACCOUNT', 'a video over 300 MiB', { ...mp4, bytes: 300 * MIB + 1 }, { what: 'size', mibMax: 300 }],
    ['INSTAGRAM_ACCOUNT', 'a video under 3 seconds', { ...mp4, durationMs: 2_999 }, duration(3, 15)],
    ['INSTAGRAM_ACCOUNT', 'a video over 15 minutes', { ...mp4, durationMs: 15 * MINUTE_MS + 1 }, duration(3, 15)],
    ['INSTAGRAM_ACCOUNT', 'a video over 1920 pixels', { ...mp4, width: 1921 }, { what: 'width', max: 1920 }],
    [
      'INSTAGRAM_ACCOUNT',
      'a video 11 times as wide as high',
      { ...mp4, width: 1100, height: 100 },
      ratio(0.01, 10, 11),
    ],
  ])('do not include on %s %s', (type, _, media, problem) => {
    expect(findMediaProblems(media, type)).toEqual([problem])
  })

  test('are refused with every limit that a file exceeds', () => {
    const media = { ...mp4, bytes: 400 * MIB, width: 2000, durationMs: 1 }
    expect(findMediaProblems(media, 'INSTAGRAM_ACCOUNT').map(({ what }) => what)).toEqual(['size', 'width', 'duration'])
  })
})
