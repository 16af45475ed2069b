import { CONTAINER_NOT_READY, type GraphError, MEDIA_TOO_SLOW } from '../graph/graph-error.js'
import type { ChannelType } from '../interface/generated/types.js'
import type { WaitReason } from '../interface/post-waits.js'
import type { PublicationRow } from './publications.store.js'

const LIMITS = { app: 'rate_limit_app', account: 'rate_limit_channel', posts: 'posting_quota' } as const

/** Returns the reason for waiting after a temporary failure of a call. */
export function waitReasonOf({ kind, code, subcode, limitOf = 'account' }: GraphError): WaitReason {
  if (kind === 'rate-limited') return LIMITS[limitOf]
  if (kind === 'network' || kind === 'timeout') return 'platform_unreachable'
  switch (`${code}/${subcode}`) {
    case MEDIA_TOO_SLOW:
      return 'media_unreachable'
    case CONTAINER_NOT_READY:
      return 'processing'
    default:
      return 'platform_down'
  }
}

/** The platform's code for a token that lacks a permission. */
const PERMISSION_CODE = 10

/**
 * An error (#10) does not mean that the token is bad if the token made the container: for days in May 2026 the platform
 * answered so. Making another container takes the same permission, so its response decides.
 */
export const isDoubtful = (
  type: ChannelType,
  { container_id }: Pick<PublicationRow, 'container_id'>,
  { code, subcode }: GraphError,
): boolean => code === PERMISSION_CODE && subcode === undefined && container_id !== null && type === 'INSTAGRAM_ACCOUNT'

/** Returns whether the same call would fail again. */
export const isLasting = ({ kind }: GraphError): boolean => kind === 'invalid' || kind === 'not-found'

// Texts for people.

export const TOKEN_SEALED = "The channel's access token cannot be opened with this MASTER_KEY."
export const NOT_HELD = {
  wait: 'interrupted',
  reason: 'The publisher was paused just before its call.',
  waitMs: 1_000,
} as const
export const SAME_TEXT = 'Another post with the same text is being published on the channel.'

export const tooLate = (lateHours: number): string => `It could not be published within ${lateHours} hours of its time.`

export function mayBeOut(error: string | null): string {
  const lost = error === null ? '' : ` (${error})`
  return `It may have been published: the platform's response was lost${lost}, and the post was not found on the channel. Check there before you retry.`
}

export const isTaken = (id: string): string =>
  `It may have been published: the platform returned ${id}, which is another post. Check there before you retry.`

export const notSeen = (id: string, error: string): string =>
  `The platform accepted it as ${id}, but its publication cannot be confirmed: ${error} Check there before you retry.`
