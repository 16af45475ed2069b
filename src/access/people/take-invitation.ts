import { recordAccountAudit, recordMemberAudit } from '../../audit/audit.store.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { type TakenInvitationRow, takeInvitation, takeOwnerLink } from './invitations.store.js'
import { insertMembership } from './memberships.store.js'
import { updatePersonRow } from './people.store.js'
import { checkMayJoin } from './prove-address.js'

/**
 * Uses up an owner's link or an invitation once its people are locked (lockPeople): of two simultaneous callers, one
 * finds it gone. Undefined for an owner's link. Throws link_unusable.
 */
export async function useLink(tx: Queryable, tokenHash: string, at: Date): Promise<TakenInvitationRow | undefined> {
  const invitation = await takeInvitation(tx, tokenHash, at)
  if (invitation === undefined && !(await takeOwnerLink(tx, tokenHash, at))) throw new ApiError('link_unusable')
  return invitation
}

/** Makes the person an owner of the server after a link was used up. */
export async function becomeOwner(tx: Queryable, personId: string, at: Date): Promise<void> {
  await updatePersonRow(tx, personId, { owner: true })
  const change = { at, operation: 'acceptInvitation', changes: { owner: true } }
  await recordAccountAudit(tx, { type: 'user', id: personId }, personId, change)
}

/**
 * Makes the person a member after an invitation was used up. Throws mail_unproven if the account is bound to another
 * organization.
 */
export async function becomeMember(
  tx: Queryable,
  invitation: TakenInvitationRow,
  { person_id: personId, bound_to }: { person_id: string; bound_to: string | null },
  at: Date,
): Promise<void> {
  const { organization_id: organizationId, role, may_approve: mayApprove } = invitation
  checkMayJoin({ bound_to }, organizationId)
  await insertMembership(tx, { organizationId, personId, role, mayApprove, at, grantedBy: invitation.made_by })
  const principal = { organizationId, actor: { type: 'user', id: personId } } as const
  const changes = { invitationId: invitation.invitation_id, role, mayApprove }
  await recordMemberAudit(tx, principal, personId, { at, operation: 'acceptInvitation', changes })
}
