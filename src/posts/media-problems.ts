import type { MediaRefusal } from '../interface/generated/types.js'
import { findMediaProblems as findProblemsOfType } from '../interface/media-rules.js'
import { mediaTypeOf } from '../media/media.js'
import type { MediaRow } from '../media/media.store.js'
import type { ScheduledPostRow } from './scheduled-post-row.js'

/** Names what an uploaded file lacks for the post's channels. Null: the post names an upload that is not there. */
export function findMediaProblems(media: MediaRow | null, post: ScheduledPostRow): string[] {
  if (media === null) return ['media that is there: this uploaded file is not, or no longer']
  const { content_type: contentType, duration_ms, bytes, width, height } = media
  const mediaType = mediaTypeOf(media)
  if ((post.media_type ?? 'IMAGE') !== mediaType) return [`mediaType ${mediaType}, which the uploaded file is`]
  const facts = { mediaType, contentType, bytes, width, height, durationMs: duration_ms ?? undefined }
  return post.channels.flatMap(({ channel_id, type }) =>
    findProblemsOfType(facts, type).map((problem) => `${describeMediaProblem(problem)} on ${channel_id}`),
  )
}

/** Names the media that would keep the bound. */
export function describeMediaProblem(problem: MediaRefusal): string {
  switch (problem.what) {
    case 'type':
      return `media of type ${problem.types.join(' or ')}`
    case 'size':
      return `media of at most ${problem.mibMax} MiB`
    case 'ratio':
      return `media of a width from ${problem.min} to ${problem.max} times its height, where it is ${problem.is.toFixed(2)} times`
    case 'width':
      return `a video of at most ${problem.max} pixels in width`
    case 'duration':
      return `a video of ${problem.minSeconds} seconds to ${problem.maxMinutes} minutes`
  }
}
