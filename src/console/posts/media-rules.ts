import type { ChannelType } from '../../interface/channels.ts'
import type { Media } from '../../interface/media.ts'

const MIB = 1024 * 1024
const MINUTE_MS = 60_000

interface Rules {
  types: readonly Media['contentType'][]
  bytesMax: number
  ratio?: readonly [min: number, max: number]
  durationMs?: readonly [min: number, max: number]
  widthMax?: number
}

/** What each platform takes: the same as the service's own rules, held equal by a test. */
const RULES: Record<ChannelType, Record<Media['mediaType'], Rules>> = {
  FB_PAGE: {
    IMAGE: { types: ['image/jpeg', 'image/png'], bytesMax: 10 * MIB },
    VIDEO: { types: ['video/mp4', 'video/quicktime'], bytesMax: 1024 * MIB, durationMs: [0, 20 * MINUTE_MS] },
  },
  INSTAGRAM_ACCOUNT: {
    IMAGE: { types: ['image/jpeg'], bytesMax: 8 * MIB, ratio: [4 / 5, 1.91] },
    VIDEO: {
      types: ['video/mp4', 'video/quicktime'],
      bytesMax: 300 * MIB,
      ratio: [0.01, 10],
      durationMs: [3_000, 15 * MINUTE_MS],
      widthMax: 1920,
    },
  },
}

const RATIO_TOLERANCE = 0.005

/** What a channel does not take of an uploaded file. */
export type MediaProblem =
  | { what: 'type'; types: readonly string[] }
  | { what: 'size'; mibMax: number }
  | { what: 'ratio'; min: number; max: number; is: number }
  | { what: 'width'; max: number }
  | { what: 'duration'; minSeconds: number; maxMinutes: number }

export function findMediaProblems(media: Media, channelType: string): MediaProblem[] {
  const rules = RULES[channelType as ChannelType]?.[media.mediaType]
  if (rules === undefined) return []
  const is = media.width / media.height
  const { types, bytesMax, ratio: [min, max] = [0, Infinity], widthMax = Infinity } = rules
  const [durationMin, durationMax] = rules.durationMs ?? [0, Infinity]
  const duration = media.durationMs ?? durationMin
  return [
    ...(types.includes(media.contentType) ? [] : [{ what: 'type' as const, types }]),
    ...(media.bytes <= bytesMax ? [] : [{ what: 'size' as const, mibMax: bytesMax / MIB }]),
    ...(is >= min - RATIO_TOLERANCE && is <= max + RATIO_TOLERANCE ? [] : [{ what: 'ratio' as const, min, max, is }]),
    ...(media.width <= widthMax ? [] : [{ what: 'width' as const, max: widthMax }]),
    ...(duration >= durationMin && duration <= durationMax
      ? []
      : [{ what: 'duration' as const, minSeconds: durationMin / 1000, maxMinutes: durationMax / MINUTE_MS }]),
  ]
}
