import { ApiError } from '../errors.js'
import type { EDITABLE_STATUSES, PostStatus } from '../interface/post-status.js'

interface StatusRules {
  /** Whatever enters this status, or is changed in it, must pass the publish check. */
  mustBePublishable: boolean
  /** Its hashtags count as in use on its channels (interface 7.5). */
  holdsHashtags: boolean
  /** The post has a publishing task. */
  hasTask: boolean
  /** The content was approved by a human, and cannot change. */
  isApproved: boolean
}

/** The meaning of each status. Only the tables of this file tell statuses apart. */
export const STATUS_RULES: Record<PostStatus, StatusRules> = {
  DRAFT: { mustBePublishable: false, holdsHashtags: true, hasTask: false, isApproved: false },
  WAITING_FOR_APPROVAL: { mustBePublishable: true, holdsHashtags: true, hasTask: false, isApproved: false },
  REJECTED: { mustBePublishable: false, holdsHashtags: true, hasTask: false, isApproved: false },
  SCHEDULED: { mustBePublishable: true, holdsHashtags: true, hasTask: true, isApproved: true },
  PUBLISHING: { mustBePublishable: false, holdsHashtags: true, hasTask: true, isApproved: true },
  // Superpowers act from then on, until they expire or are stopped.
  PUBLISHED: { mustBePublishable: false, holdsHashtags: true, hasTask: false, isApproved: true },
  FAILED: { mustBePublishable: false, holdsHashtags: false, hasTask: false, isApproved: true },
}

/**
 * The events of a post. A caller updates it (`updateContent`: its content; `updateToDraft`: with `status: DRAFT`; `repair`:
 * after it failed), submits, rejects, reverts and deletes it. The operator approves it, and retries it after it failed; the
 * person who decided about it can undo that. The publisher claims it when it is due, and again after a lease expires, and
 * finishes it, or expires it when it is too late. It loses its last channel when the operator deletes that channel, and its
 * approval when the publisher finds other media at their address.
 */
export type Trigger =
  | 'update'
  | 'updateContent'
  | 'updateToDraft'
  | 'repair'
  | 'submit'
  | 'approve'
  | 'reject'
  | 'revert'
  | 'undoDecision'
  | 'retry'
  | 'delete'
  | 'claim'
  | 'finish'
  | 'finishWithFailure'
  | 'expire'
  | 'loseChannels'
  | 'loseMedia'

/** After a deletion there is no post. */
export type Deleted = 'DELETED'

/** An update keeps the status. */
const UPDATES = {
  DRAFT: 'DRAFT',
  WAITING_FOR_APPROVAL: 'WAITING_FOR_APPROVAL',
  REJECTED: 'REJECTED',
  SCHEDULED: 'SCHEDULED',
} as const satisfies Record<(typeof EDITABLE_STATUSES)[number], PostStatus>

/** The status that a trigger leads to; a status that is not listed does not allow the trigger. */
const TRANSITIONS = {
  update: UPDATES,
  // An approval covers the content, so new content must be approved.
  updateContent: { ...UPDATES, SCHEDULED: 'WAITING_FOR_APPROVAL' },
  // People repair a failed post by any change to it; for a program it is final (interface 3.2).
  repair: { FAILED: 'WAITING_FOR_APPROVAL' },
  updateToDraft: { DRAFT: 'DRAFT', REJECTED: 'DRAFT' },
  submit: { DRAFT: 'WAITING_FOR_APPROVAL', REJECTED: 'WAITING_FOR_APPROVAL' },
  approve: { WAITING_FOR_APPROVAL: 'SCHEDULED' },
  reject: { WAITING_FOR_APPROVAL: 'REJECTED' },
  revert: { SCHEDULED: 'DRAFT' },
  undoDecision: { SCHEDULED: 'WAITING_FOR_APPROVAL', REJECTED: 'WAITING_FOR_APPROVAL' },
  retry: { FAILED: 'SCHEDULED' },
  delete: {
    DRAFT: 'DELETED',
    WAITING_FOR_APPROVAL: 'DELETED',
    REJECTED: 'DELETED',
    SCHEDULED: 'DELETED',
    FAILED: 'DELETED',
  },
  claim: { SCHEDULED: 'PUBLISHING', PUBLISHING: 'PUBLISHING' },
  finish: { PUBLISHING: 'PUBLISHED' },
  finishWithFailure: { PUBLISHING: 'FAILED' },
  expire: { SCHEDULED: 'FAILED' },
  loseChannels: { SCHEDULED: 'FAILED' },
  loseMedia: { PUBLISHING: 'WAITING_FOR_APPROVAL' },
} as const satisfies Record<Trigger, Partial<Record<PostStatus, PostStatus | Deleted>>>

/** For each status, the advice to a caller who tried something that it does not allow. */
const INSTEAD: Record<PostStatus, string> = {
  DRAFT: 'change it, or use POST /scheduled-posts/{scheduledPostId}/submit-for-approval.',
  WAITING_FOR_APPROVAL:
    'change it, let its operator approve it, or use POST /scheduled-posts/{scheduledPostId}/reject; a REJECTED post may return to DRAFT.',
  REJECTED: 'change it, return it to DRAFT, or use POST /scheduled-posts/{scheduledPostId}/submit-for-approval.',
  SCHEDULED: 'change it, or use POST /scheduled-posts/{scheduledPostId}/revert to return it to DRAFT.',
  PUBLISHING: 'it can no longer be changed.',
  PUBLISHED: 'it can no longer be changed.',
  FAILED:
    'an API key can no longer change it. The operator can retry it, members can change it if it is published nowhere, and it can be deleted.',
}

/** Returns the status after `trigger`; throws wrong_state with what to do instead. */
export function nextStatus(trigger: Exclude<Trigger, 'delete'>, status: PostStatus): PostStatus
export function nextStatus(trigger: Trigger, status: PostStatus): PostStatus | Deleted
export function nextStatus(trigger: Trigger, status: PostStatus): PostStatus | Deleted {
  const next = (TRANSITIONS[trigger] as Partial<Record<PostStatus, PostStatus | Deleted>>)[status]
  if (next === undefined) throw new ApiError('wrong_state', { message: `The post is ${status}: ${INSTEAD[status]}` })
  return next
}
