import { ApiError } from '../../errors.js'
import { recordEvent } from '../../events/events.store.js'
import type { Context } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { created, operation } from '../../http/operation.js'
import type { Principal } from '../../http/principal.js'
import type { IssuedInvitation } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import { recordAudit } from '../audit.store.js'
import { holdRights } from '../hold-rights.js'
import { accountOf } from '../sessions/device.js'
import { INVITATION_MS, invitationPath, issuedInvitationBody, toInvitationBody } from './invitation.js'
import { deleteStaleInvitations, insertInvitation } from './invitations.store.js'
import { mailSchema } from './mail-address.js'
import { isMemberMail } from './memberships.store.js'
import { mayApproveSchema, roleSchema } from './person.js'

/**
 * Invite a person to the organization. Its link is in this answer and in no other; an earlier one of the person
 * ends.
 */
export const createInvitation = operation({
  operationId: 'createInvitation',
  summary: 'Invite a person. The link is shown in this answer and never again.',
  description:
    'Copy the link to the person; a server with SMTP_URL mails another one, which proves the address. It is bound to the mail address and the role, works once, and for 7 days. Inviting the same mail address again ends the earlier link. Costs one small transaction.',
  route: 'POST /invitations',
  permission: 'people:write',
  answers: [201, 409],
  body: namedObject('NewInvitation', {
    mail: mailSchema.required(),
    role: roleSchema.required(),
    mayApprove: mayApproveSchema,
  }),
  success: issuedInvitationBody,
  async handle({ body: { mail, role, mayApprove = false }, principal }, context) {
    const { config, clock, database, sealer } = context
    takeInvitation(context, principal, mail)
    const { organizationId } = principal
    const at = new Date(clock.now())
    const token = newToken()
    // Another one in the mail: who invites sees the first, which therefore proves nothing about the address.
    const mailToken = config.mail === null ? undefined : newToken()
    const row = await database.transaction(async (tx) => {
      await holdRights(tx, principal, 'people:write')
      if (await isMemberMail(tx, organizationId, mail)) {
        throw new ApiError('already_exists', { message: 'A member has this mail address: change the role instead.' })
      }
      await deleteStaleInvitations(tx, organizationId, mail, at)
      const invitation = {
        organization_id: organizationId,
        invitation_id: newId('inv'),
        token_hash: hashToken(token),
        mail_token_hash: mailToken === undefined ? null : hashToken(mailToken),
        mail,
        role,
        may_approve: mayApprove,
        created_at: at,
        expires_at: new Date(at.getTime() + INVITATION_MS),
      }
      const inserted = await insertInvitation(tx, invitation, principal.actor)
      await recordAudit(tx, {
        principal,
        at,
        operation: 'createInvitation',
        target: { type: 'invitation', id: inserted.invitation_id },
        changes: { mail, role, mayApprove },
      })
      if (mailToken !== undefined) {
        const data = { invitationId: inserted.invitation_id }
        const secret = { sealer, plaintext: mailToken }
        await recordEvent(tx, { organizationId, type: 'invitation.created', at, data, secret })
      }
      return inserted
    })
    return created({ ...toInvitationBody(row), token, path: invitationPath(token) } satisfies IssuedInvitation)
  },
})

/**
 * Throws a 429 where people have invited too many within the hour, or to this address too often: a stranger's
 * mailbox is not theirs to fill. The operator's own tokens invite as many as they like.
 */
function takeInvitation({ rateLimits, clock }: Context, { actor, organizationId }: Principal, mail: string): void {
  if (actor.type !== 'user') return
  const { invitations, invitedAddresses } = rateLimits
  invitations.take(invitations.bucketOf(organizationId), clock.now())
  invitedAddresses.take(invitedAddresses.bucketOf(accountOf(mail)), clock.now())
}
