import type { ChannelType, Media, MediaRefusal } from './generated/types.js'

const MIB = 1024 * 1024
const MINUTE_MS = 60_000

/** Bounds that the platform does not document are absent. */
interface Rules {
  types: Media['contentType'][]
  mibMax: number
  /** Width by height. */
  ratio?: readonly [min: number, max: number]
  durationMs?: readonly [min: number, max: number]
  widthMax?: number
}

/** The media that each platform accepts from a URL, according to its documentation. */
const RULES: Record<ChannelType, Record<Media['mediaType'], Rules>> = {
  FB_PAGE: {
    IMAGE: { types: ['image/jpeg', 'image/png'], mibMax: 10 },
    VIDEO: { types: ['video/mp4', 'video/quicktime'], mibMax: 1024, durationMs: [0, 20 * MINUTE_MS] },
  },
  INSTAGRAM_ACCOUNT: {
    IMAGE: { types: ['image/jpeg'], mibMax: 8, ratio: [4 / 5, 1.91] },
    VIDEO: {
      types: ['video/mp4', 'video/quicktime'],
      mibMax: 300,
      ratio: [0.01, 10],
      durationMs: [3_000, 15 * MINUTE_MS],
      widthMax: 1920,
    },
  },
}

/** The largest upload that the service accepts. */
export const UPLOAD_MIB_MAX = 1024

/** Instagram's limit, used for both platforms. */
export const ALT_TEXT_CHARS_MAX = 1_000

/** Accepts one pixel more or less than the ratio of 1080 by 1350 or 566. */
const RATIO_TOLERANCE = 0.005

export type MediaFacts = Pick<Media, 'mediaType' | 'contentType' | 'bytes' | 'width' | 'height' | 'durationMs'>

/** Returns why the channel type does not accept the file. An unknown type accepts every file. */
export function findMediaProblems(media: MediaFacts, channelType: string): MediaRefusal[] {
  const rules = RULES[channelType as ChannelType]?.[media.mediaType]
  if (rules === undefined) return []
  const { types, mibMax, ratio: [min, max] = [0, Infinity], widthMax = Infinity } = rules
  const [durationMin, durationMax] = rules.durationMs ?? [0, Infinity]
  const is = media.width / media.height
  const duration = media.durationMs ?? durationMin
  const problems: [isKept: boolean, MediaRefusal][] = [
    [types.includes(media.contentType), { what: 'type', types }],
    [media.bytes <= mibMax * MIB, { what: 'size', mibMax }],
    [is >= min - RATIO_TOLERANCE && is <= max + RATIO_TOLERANCE, { what: 'ratio', min, max, is }],
    [media.width <= widthMax, { what: 'width', max: widthMax }],
    [
      duration >= durationMin && duration <= durationMax,
      { what: 'duration', minSeconds: durationMin / 1000, maxMinutes: durationMax / MINUTE_MS },
    ],
  ]
  return problems.flatMap(([isKept, problem]) => (isKept ? [] : [problem]))
}
