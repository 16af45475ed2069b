import type { ChannelType } from '../interface/channels.js'
import { mediaTypeOf } from '../media/media.js'
import type { MediaRow } from '../media/media.store.js'
import type { ScheduledPostRow } from './scheduled-posts.store.js'

const MIB = 1024 * 1024
const MINUTE_MS = 60_000

/** What the platform takes from a URL, as its documentation says. Undefined bounds are not documented. */
interface Rules {
  types: readonly MediaRow['content_type'][]
  bytesMax: number
  /** Width by height. */
  ratio?: readonly [min: number, max: number]
  durationMs?: readonly [min: number, max: number]
  widthMax?: number
}

const RULES: Record<ChannelType, Record<'IMAGE' | 'VIDEO', Rules>> = {
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

/** A pixel more or less than the ratio of 1080 by 1350 or 566 is not refused. */
const RATIO_TOLERANCE = 0.005

/** What an uploaded file lacks for the post's channels. Null: the post names one that is not there. */
export function findMediaProblems(media: MediaRow | null, post: ScheduledPostRow): string[] {
  if (media === null) return ['media that is there: this uploaded file is not, or no longer']
  const type = mediaTypeOf(media)
  if ((post.media_type ?? 'IMAGE') !== type) return [`mediaType ${type}, which the uploaded file is`]
  return post.channels.flatMap((channel) =>
    findExcess(media, RULES[channel.type][type]).map((problem) => `${problem} on ${channel.channel_id}`),
  )
}

function findExcess(media: MediaRow, rules: Rules): string[] {
  const ratio = media.width / media.height
  const { ratio: [ratioMin, ratioMax] = [0, Number.POSITIVE_INFINITY], widthMax = Number.POSITIVE_INFINITY } = rules
  const [durationMin, durationMax] = rules.durationMs ?? [0, Number.POSITIVE_INFINITY]
  const duration = media.duration_ms ?? durationMin
  return [
    ...(rules.types.includes(media.content_type) ? [] : [`media of type ${rules.types.join(' or ')}`]),
    ...(media.bytes <= rules.bytesMax ? [] : [`media of at most ${rules.bytesMax / MIB} MiB`]),
    ...(ratio >= ratioMin - RATIO_TOLERANCE && ratio <= ratioMax + RATIO_TOLERANCE
      ? []
      : [`media of a width from ${ratioMin} to ${ratioMax} times its height, where it is ${ratio.toFixed(2)} times`]),
    ...(media.width <= widthMax ? [] : [`a video of at most ${widthMax} pixels in width`]),
    ...(duration >= durationMin && duration <= durationMax
      ? []
      : [`a video of ${durationMin / 1000} seconds to ${durationMax / MINUTE_MS} minutes`]),
  ]
}
