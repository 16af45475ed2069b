import Joi from 'joi'
import { recordAudit } from '../../access/audit.store.js'
import { revokeReviewLinkRow } from '../../access/review-links/review-links.store.js'
import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import { checkMayRevoke } from './may-revoke.js'

/** End a link to a post: its holder is refused from now on. */
export const revokeReviewLink = operation({
  operationId: 'revokeReviewLink',
  summary: 'Revoke a link to a post: it works no more, on every node.',
  description: 'For a link that went to the wrong person. Idempotent but for the 404. Costs one small write.',
  method: 'DELETE',
  path: '/scheduled-posts/{scheduledPostId}/review-links/{linkId}',
  surfaces: ['api'],
  permission: ['posts:approve', 'people:write'],
  inChannels: 'checked',
  answers: [200, 404],
  params: Joi.object<{ scheduledPostId: string; linkId: string }, true>({
    scheduledPostId: Joi.string().required(),
    linkId: Joi.string().required(),
  }),
  success: Joi.object({}),
  async handle({ params: { scheduledPostId, linkId }, principal }, { clock, database }) {
    const at = new Date(clock.now())
    await database.transaction(async (tx) => {
      await checkMayRevoke(tx, principal, linkId)
      const name = await revokeReviewLinkRow(tx, principal.organizationId, scheduledPostId, linkId, at)
      if (name === undefined) throw new ApiError('review_link_not_found')
      await recordAudit(tx, {
        ...{ principal, at },
        operation: 'revokeReviewLink',
        target: { type: 'reviewLink', id: linkId },
        changes: { scheduledPostId, name },
      })
    })
    return ok({})
  },
})
