import Joi from 'joi'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import type { Call } from '../../http/operation.js'
import type { LinkedPost } from '../../interface/generated/types.js'
import { linkedPostIsOver, type Target } from '../change-post.js'
import { toEtag } from '../etag.js'
import { STATUS_RULES } from '../lifecycle.js'
import { contentFields, mediaCheckBody, shownChannelBody, toContentBody, toMediaCheck } from '../scheduled-post.js'
import type { ScheduledPostRow } from '../scheduled-post-row.js'
import { findLinkedPost, type LinkedPostRow } from './linked-posts.store.js'
import { requireGrant } from './review-link.js'

const { mediumsData: _, ...postFields } = contentFields

export const linkedPostNumber = Joi.string()
  .required()
  .description('The number of the post in the link, starting at 1.')
export const linkedPostParams = Joi.object<{ number: string }, true>({ number: linkedPostNumber })

export const linkedPostBody = namedObject('LinkedPost', {
  number: Joi.number().integer().required().description('Of the post in this link; it stays.'),
  state: Joi.string()
    .valid('open', 'approved', 'returned', 'over')
    .required()
    .description('`over`: decided elsewhere, or changed after the holder approved it.'),
  etag: Joi.string().description('For If-Match. Absent if the post is not shown.'),
  mayUndo: Joi.boolean().required(),
  isBack: Joi.boolean().description('`true` if the holder returned the post before: this is a new version.'),
  openMessages: Joi.number().integer().description('The unresolved shared threads, while the post is open.'),
  content: namedObject('ReviewedPost', {
    ...postFields,
    mediaCheck: mediaCheckBody,
    channels: Joi.array().items(shownChannelBody).required(),
  }).description('Present while the post is open, or still as it was when the holder decided.'),
})

/** Returns the post of the link that a call names by its number; any other number is a 404. */
export async function requireLinkedTarget(
  call: Pick<Call<{ number: string }>, 'params' | 'principal' | 'headers'>,
  database: Queryable,
): Promise<Target> {
  const { scheduled_post_id: scheduledPostId } = await requireNumbered(call, database)
  return { principal: call.principal, scheduledPostId, ifMatch: call.headers['if-match'] }
}

/** Returns the id of a post by its number, if the holder may decide about it. Throws post_not_found and wrong_state. */
export async function requireOpenLinkedPost(
  call: Pick<Call<{ number: string }>, 'params' | 'principal'>,
  database: Queryable,
): Promise<string> {
  const { scheduled_post_id: id, decision, ended } = await requireNumbered(call, database)
  if (decision !== null || ended) throw linkedPostIsOver()
  return id
}

async function requireNumbered(
  { params: { number }, principal }: Pick<Call<{ number: string }>, 'params' | 'principal'>,
  database: Queryable,
): Promise<LinkedPostRow> {
  const { id } = requireGrant(principal)
  const found = /^[1-9]\d{0,5}$/.test(number)
    ? await findLinkedPost(database, principal.organizationId, id, Number(number))
    : undefined
  if (found === undefined) throw new ApiError('post_not_found')
  return found
}

const STATES = { approved: 'approved', rejected: 'returned' } as const

/**
 * Returns a post of a link as its holder sees it. After a decision it is shown only while it is what the holder decided
 * about: later drafts stay internal.
 */
export function toLinkedPostBody(
  { number, decision, decided_version, ended, returned }: LinkedPostRow,
  post: ScheduledPostRow,
  { linkId, openMessages }: { linkId: string; openMessages: number },
): LinkedPost {
  const isOpen = decision === null && !ended
  const isReturned = decision === 'rejected' && post.version === decided_version
  const isApproved =
    decision === 'approved' && STATUS_RULES[post.status].isApproved && post.approved_actor_id === linkId
  // If a later change ended the approval, the approval does not cover the current content.
  const isOver = decision === null ? ended : decision === 'approved' && !isApproved
  const state = isOver ? 'over' : decision === null ? 'open' : STATES[decision]
  const mayUndo = isReturned || (isApproved && post.status === 'SCHEDULED')
  if (!isOpen && !isReturned && !isApproved) return { number, state, mayUndo }
  const { mediumsData, ...content } = toContentBody(post)
  const channels = Object.values(mediumsData).map(({ failedToPublish: _, ...channel }) => channel)
  return {
    ...{ number, state, etag: toEtag(post), mayUndo },
    ...(isOpen && { openMessages, ...(returned && { isBack: true }) }),
    content: { ...content, ...toMediaCheck(post), channels },
  }
}
