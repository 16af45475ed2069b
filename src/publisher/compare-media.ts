import type { Context } from '../http/context.js'
import { fetchAgain } from '../posts/outside-media.js'
import type { ScheduledPostRow } from '../posts/scheduled-post-row.js'
import type { MediaComparison } from './publish-channel.js'

/** Watches the media of a post while a publisher works on it. */
export interface MediaWatch {
  compareMedia(): Promise<MediaComparison>
  isReturned(): boolean
  /** Why the post goes back to approval; undefined if it does not. */
  reasonOfReturn(): string | undefined
}

/**
 * Compares the media of a post with what its approval recorded, when they are first needed and only once per turn. Media
 * that the approval did not record count as unchanged. Throws the reason of a stop, which aborts the fetch.
 */
export function createComparison(
  { config, stopping }: Pick<Context, 'config'> & { stopping: AbortSignal },
  { media, media_sha256: approved }: ScheduledPostRow,
): MediaWatch {
  let comparison: Promise<MediaComparison> | undefined
  let reason: string | undefined
  async function compare(): Promise<MediaComparison> {
    if (media === null || approved === null) return { is: 'same' }
    const now = await fetchAgain(config, media, stopping)
    if (now === undefined || (now.is === 'read' && now.sha256 === approved)) return { is: 'same' }
    if (now.is === 'problem' && !now.isLasting) {
      return { is: 'unknown', reason: `The media cannot be compared with the approved media: ${now.reason}` }
    }
    reason = now.is === 'read' ? OTHER : `${GONE} ${now.reason}`
    return { is: 'other', reason }
  }
  return {
    compareMedia: () => (comparison ??= compare()),
    isReturned: () => reason !== undefined,
    reasonOfReturn: () => reason,
  }
}

const OTHER = 'The picture or video at its address is no longer the one that was approved.'
const GONE = 'The picture or video that was approved is no longer at its address.'
