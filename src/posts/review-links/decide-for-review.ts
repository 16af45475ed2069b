import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import { changePost } from '../change-post.js'
import { approvePost, rejectPost, undoReview } from '../decisions.js'
import { ifMatchHeader, ifMatchRequired, requireIfMatch } from '../etag.js'
import { checkMedia, UPLOAD } from '../outside-media.js'
import { mediaCheckBody, rejectionBody } from '../scheduled-post.js'
import { requireScheduledPost } from '../scheduled-posts.store.js'
import { linkedPostParams, requireLinkedTarget, requireOpenLinkedPost } from './linked-posts.js'
import { reopenLinkedPost } from './linked-posts.store.js'
import { byLink, requireGrant } from './review-link.js'

/** Check the media of one post of a link. */
export const checkMediaForReview = operation({
  ...byLink,
  operationId: 'checkMediaForReview',
  summary: 'Fetch media from an outside address, and report whether an approval can store a copy of them.',
  description:
    'For the page of the link: it warns if the owner of the address can still replace the picture or video after the approval. Idempotent, and stores nothing. Costs a fetch of the media, of 10 seconds at most.',
  route: 'POST /posts/{number}/check-media',
  answers: [200, 400, 404],
  params: linkedPostParams,
  success: mediaCheckBody,
  async handle(call, { config, database }) {
    const id = await requireOpenLinkedPost(call, database)
    const { media } = await requireScheduledPost(database, call.principal.organizationId, id)
    return ok((await checkMedia(config, media)) ?? UPLOAD)
  },
})

/** Approve one post of a link, in exactly the version that its holder has seen. */
export const approvePostForReview = operation({
  ...byLink,
  operationId: 'approvePostForReview',
  summary: 'Approve one post of a link: it is published at its time.',
  description:
    'For the person outside who has read the post: If-Match names the version, and only that version is published. The history names the person and the maker of the link. If the link has no other post, it ends. Media at an outside address are fetched and fixed, within 10 seconds. Costs one transaction.',
  route: 'POST /posts/{number}/approve',
  answers: [200, 400, 403, 404, 412, 428],
  params: linkedPostParams,
  headers: ifMatchRequired,
  success: Joi.object({}),
  async handle(call, context) {
    await approvePost(context, await requireLinkedTarget(call, context.database))
    return ok({})
  },
})

/** Return one post of a link to its author, with notes that say why. */
export const returnPostForReview = operation({
  ...byLink,
  operationId: 'returnPostForReview',
  summary: 'Return one post of a link, with notes that explain why.',
  description:
    'For a person outside who wants a change. Their notes become those of the post, and the history names the person and the maker of the link. If the link has no other post, it ends. Costs one transaction.',
  route: 'POST /posts/{number}/return',
  answers: [200, 400, 404, 412, 428],
  params: linkedPostParams,
  headers: ifMatchRequired,
  body: rejectionBody,
  success: Joi.object({}),
  async handle(call, context) {
    const target = await requireLinkedTarget(call, context.database)
    requireIfMatch(target.ifMatch)
    await rejectPost(context, target, call.body.notes)
    return ok({})
  },
})

/** Undo a decision made with this link: the post waits for approval again. */
export const undoDecisionForReview = operation({
  ...byLink,
  operationId: 'undoDecisionForReview',
  summary: 'Take back a decision that was made through this link about one of its posts.',
  description:
    'Use it if a decision was a mistake. An approval can be taken back until the publisher claims the post, a return until the post is changed, and only while the link works: the decision about its only post ends it. The post then waits for approval as before. Costs one transaction.',
  route: 'POST /posts/{number}/undo-decision',
  answers: [200, 400, 404, 412],
  params: linkedPostParams,
  headers: ifMatchHeader,
  success: Joi.object({}),
  async handle(call, context) {
    const { principal } = call
    const target = await requireLinkedTarget(call, context.database)
    const { organizationId } = principal
    const place = { organizationId, linkId: requireGrant(principal).id, scheduledPostId: target.scheduledPostId }
    await changePost(context, target, {
      permission: 'review',
      trigger: 'undoDecision',
      action: 'reverted',
      operation: 'undoDecisionForReview',
      async edit(before, tx) {
        const after = await undoReview(tx, before, principal)
        if (!(await reopenLinkedPost(tx, place))) throw new ApiError('decision_not_yours')
        return after
      },
      describe: ({ status }) => ({ decision: status === 'SCHEDULED' ? 'approved' : 'rejected' }),
    })
    return ok({})
  },
})
