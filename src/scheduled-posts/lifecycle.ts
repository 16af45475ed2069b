import { ApiError } from '../errors.js'

/** Interface 3 names DRAFT and REJECTED; the others are what lies between a draft and a published post. */
export const POST_STATUSES = [
  'DRAFT',
  'WAITING_FOR_APPROVAL',
  'REJECTED',
  'SCHEDULED',
  'PUBLISHING',
  'PUBLISHED',
  'FAILED',
] as const

export type PostStatus = (typeof POST_STATUSES)[number]

interface StatusRules {
  /** What an edit leaves behind must still pass the publish check. */
  mustBePublishable: boolean
  /** Its hashtags count as in use on its channels (interface 7.5). */
  holdsHashtags: boolean
  /** A publishing task stands behind it. */
  hasTask: boolean
}

/** What each status means. This table and the next are the only place that knows the statuses apart. */
export const STATUS_RULES: Record<PostStatus, StatusRules> = {
  DRAFT: { mustBePublishable: false, holdsHashtags: true, hasTask: false },
  WAITING_FOR_APPROVAL: { mustBePublishable: true, holdsHashtags: true, hasTask: false },
  REJECTED: { mustBePublishable: false, holdsHashtags: true, hasTask: false },
  SCHEDULED: { mustBePublishable: true, holdsHashtags: true, hasTask: true },
  PUBLISHING: { mustBePublishable: false, holdsHashtags: true, hasTask: true },
  PUBLISHED: { mustBePublishable: false, holdsHashtags: false, hasTask: false },
  FAILED: { mustBePublishable: false, holdsHashtags: false, hasTask: false },
}

/** What can happen to a post: an update, and an update that names `status: DRAFT`. */
export type Trigger = 'update' | 'updateToDraft'

/** The status a trigger leads to; a status that is not named does not allow the trigger. */
const TRANSITIONS: Record<Trigger, Partial<Record<PostStatus, PostStatus>>> = {
  update: {
    DRAFT: 'DRAFT',
    WAITING_FOR_APPROVAL: 'WAITING_FOR_APPROVAL',
    REJECTED: 'REJECTED',
    SCHEDULED: 'SCHEDULED',
  },
  updateToDraft: { DRAFT: 'DRAFT', REJECTED: 'DRAFT' },
}

const NO_WAY_BACK = 'it can no longer be changed.'

/** What to do instead where a trigger is not allowed. */
const INSTEAD: Partial<Record<PostStatus, string>> = {
  WAITING_FOR_APPROVAL: 'use POST /scheduled-posts/{scheduledPostId}/reject; a REJECTED post may return to DRAFT.',
  SCHEDULED: 'use POST /scheduled-posts/{scheduledPostId}/revert to return it to DRAFT.',
  PUBLISHING: NO_WAY_BACK,
  PUBLISHED: NO_WAY_BACK,
  FAILED: NO_WAY_BACK,
}

/** The status after `trigger`; throws wrong_state with what to do instead. */
export function nextStatus(trigger: Trigger, status: PostStatus): PostStatus {
  const next = TRANSITIONS[trigger][status]
  if (next === undefined) throw new ApiError('wrong_state', { message: `The post is ${status}: ${INSTEAD[status]}` })
  return next
}
