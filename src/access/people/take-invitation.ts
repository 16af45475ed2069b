import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { recordAudit, SERVER } from '../audit.store.js'
import { type InvitationRow, takeInvitation, takeOwnerLink } from './invitations.store.js'
import { insertMembership } from './memberships.store.js'
import { updatePersonRow } from './people.store.js'

// Taken in the transaction that makes the account: of two who use a link at the same instant one finds it gone.

/** Uses up the link of an owner for the person. Throws link_unusable. */
export async function becomeOwner(tx: Queryable, tokenHash: string, personId: string, at: Date): Promise<void> {
  if (!(await takeOwnerLink(tx, tokenHash, at))) throw new ApiError('link_unusable')
  await updatePersonRow(tx, personId, { owner: true })
  await recordAudit(tx, {
    principal: { organizationId: SERVER, actor: { type: 'user', id: personId } },
    at,
    operation: 'acceptInvitation',
    target: { type: 'user', id: personId },
    changes: { owner: true },
  })
}

/** Uses up an invitation for the person. Throws link_unusable. */
export async function becomeMember(
  tx: Queryable,
  tokenHash: string,
  personId: string,
  at: Date,
): Promise<InvitationRow> {
  const invitation = await takeInvitation(tx, tokenHash, at)
  if (invitation === undefined) throw new ApiError('link_unusable')
  const { organization_id: organizationId, role, may_approve: mayApprove } = invitation
  await insertMembership(tx, { organizationId, personId, role, mayApprove, at, grantedBy: invitation.made_by })
  await recordAudit(tx, {
    principal: { organizationId, actor: { type: 'user', id: personId } },
    at,
    operation: 'acceptInvitation',
    target: { type: 'user', id: personId },
    changes: { invitationId: invitation.invitation_id, role, mayApprove },
  })
  return invitation
}
