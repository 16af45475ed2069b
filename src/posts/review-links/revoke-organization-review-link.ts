import Joi from 'joi'
import { recordAudit } from '../../access/audit.store.js'
import { revokeAnyReviewLink } from '../../access/review-links/review-links.store.js'
import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import { holdsAny, idOfActor } from '../../http/principal.js'
import { checkMayRevoke } from './may-revoke.js'

/** End a link, to one post or several: its holder is refused from now on. */
export const revokeOrganizationReviewLink = operation({
  operationId: 'revokeOrganizationReviewLink',
  summary: 'Revoke any review link of the organization: it works no more, on every node.',
  description:
    'For a link that went to the wrong person. What its holder has decided stays. Who may only write revokes their own links; another’s is a 404 to them. Costs one small write.',
  method: 'DELETE',
  path: '/review-links/{linkId}',
  surfaces: ['api'],
  permission: ['posts:approve', 'people:write', 'posts:write'],
  inChannels: 'checked',
  answers: [200, 404],
  params: Joi.object<{ linkId: string }, true>({ linkId: Joi.string().required() }),
  success: Joi.object({}),
  async handle({ params: { linkId }, principal }, { clock, database }) {
    const { organizationId, permissions, actor, channels } = principal
    const mayRevokeAll = channels !== undefined || holdsAny(permissions, ['posts:approve', 'people:write'])
    const madeBy = mayRevokeAll ? null : (idOfActor(actor) ?? '')
    const at = new Date(clock.now())
    await database.transaction(async (tx) => {
      await checkMayRevoke(tx, principal, linkId)
      const link = await revokeAnyReviewLink(tx, organizationId, linkId, { madeBy, at })
      if (link === undefined) throw new ApiError('review_link_not_found')
      const { name, scheduled_post_id: scheduledPostId } = link
      await recordAudit(tx, {
        ...{ principal, at },
        operation: 'revokeOrganizationReviewLink',
        target: { type: 'reviewLink', id: linkId },
        changes: { name, ...(scheduledPostId !== null && { scheduledPostId }) },
      })
    })
    return ok({})
  },
})
