import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import { recordAudit } from '../audit.store.js'
import { deleteInvitation } from './invitations.store.js'

/** Revoke an invitation: its link no longer works. */
export const revokeInvitation = operation({
  operationId: 'revokeInvitation',
  summary: 'Revoke an invitation: its link no longer works.',
  description: 'For a link that went to the wrong person. Costs one small transaction.',
  route: 'DELETE /invitations/{invitationId}',
  permission: 'people:write',
  answers: [200, 404],
  success: Joi.object({ id: Joi.string().required() }),
  async handle({ params: { invitationId }, principal }, { clock, database }) {
    await database.transaction(async (tx) => {
      if (!(await deleteInvitation(tx, principal.organizationId, invitationId))) {
        throw new ApiError('invitation_not_found')
      }
      await recordAudit(tx, {
        principal,
        at: new Date(clock.now()),
        operation: 'revokeInvitation',
        target: { type: 'invitation', id: invitationId },
      })
    })
    return ok({ id: invitationId })
  },
})
