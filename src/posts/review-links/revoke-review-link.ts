import Joi from 'joi'
import { recordAudit } from '../../access/audit.store.js'
import { revokeReviewLinkRow } from '../../access/review-links/review-links.store.js'
import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import { holdsAny, idOfActor } from '../../http/principal.js'
import { checkMayRevoke } from './may-revoke.js'

/** End a link: its holder is refused from now on. */
export const revokeReviewLink = operation({
  operationId: 'revokeReviewLink',
  summary: 'Revoke a review link: it no longer works, on every node.',
  description:
    'For a link that went to the wrong person. What its holder has decided stays. Members who may only write revoke their own links; for another’s they get a 404. Costs one small write.',
  route: 'DELETE /review-links/{linkId}',
  permission: ['posts:approve', 'people:write', 'posts:write'],
  inChannels: 'checked',
  answers: [200, 404],
  success: Joi.object({}),
  async handle({ params: { linkId }, principal }, { clock, database }) {
    const { organizationId, permissions, actor, channels } = principal
    const mayRevokeAll = channels !== undefined || holdsAny(permissions, ['posts:approve', 'people:write'])
    const madeBy = mayRevokeAll ? null : (idOfActor(actor) ?? '')
    const at = new Date(clock.now())
    await database.transaction(async (tx) => {
      await checkMayRevoke(tx, principal, linkId)
      const name = await revokeReviewLinkRow(tx, organizationId, linkId, { madeBy, at })
      if (name === undefined) throw new ApiError('review_link_not_found')
      await recordAudit(tx, {
        ...{ principal, at },
        operation: 'revokeReviewLink',
        target: { type: 'reviewLink', id: linkId },
        changes: { name },
      })
    })
    return ok({})
  },
})
