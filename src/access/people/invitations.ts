import Joi from 'joi'
import { changeAudited } from '../../audit/audited-change.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { created, ok, okList, operation, serverOperation } from '../../http/operation.js'
import type { Principal } from '../../http/principal.js'
import { invitationPath } from '../../interface/entry-paths.js'
import type { InvitationView, IssuedInvitation } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import { recordEvent } from '../../news/events.store.js'
import { holdRights } from '../hold-rights.js'
import { accountOf } from '../sessions/device.js'
import { INVITATION_MS, invitationBody, issuedInvitationBody, toInvitationBody } from './entry-links.js'
import {
  deleteInvitation,
  deleteStaleInvitations,
  findInvitation,
  insertInvitation,
  isOwnerLink,
  listInvitationRows,
} from './invitations.store.js'
import { mailSchema } from './mail-address.js'
import { isMemberMail } from './memberships.store.js'
import { tokenSchema } from './password-rules.js'
import { listAccounts } from './people.store.js'
import { mayApproveSchema, roleName, roleSchema } from './person.js'
import { accountToProve, takesPassword } from './prove-address.js'

export const createInvitation = operation({
  operationId: 'createInvitation',
  summary: 'Invite a person. Only this response contains the link.',
  description:
    'Send the link to the person. A server with SMTP_URL also emails a second link, which proves the address. An invitation is bound to the email address and the role, and works once, within 7 days. Inviting the same address again ends the earlier invitation. Costs one small transaction.',
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
    const { config, sealer } = context
    takeInvitation(context, principal, mail)
    const { organizationId } = principal
    const token = newToken()
    // The email has its own token: the inviter sees the first one, so it proves nothing about the address.
    const mailToken = config.mail === null ? undefined : newToken()
    const row = await changeAudited(context, principal, 'createInvitation', async (tx, record, at) => {
      await holdRights(tx, principal, 'people:write')
      if (await isMemberMail(tx, organizationId, mail)) {
        throw new ApiError('already_exists', { message: 'A member has this email address: change the role instead.' })
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
      await record('invitation', inserted.invitation_id, { mail, role, mayApprove })
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
 * Throws a 429 if members have sent too many invitations within an hour, in all or to this address, so that they
 * cannot flood a stranger's mailbox. Operator tokens are not limited.
 */
function takeInvitation({ rateLimits, clock }: Context, { actor, organizationId }: Principal, mail: string): void {
  if (actor.type !== 'user') return
  const { invitations, invitedAddresses } = rateLimits
  invitations.take(invitations.bucketOf(organizationId), clock.now())
  invitedAddresses.take(invitedAddresses.bucketOf(accountOf(mail)), clock.now())
}

export const listInvitations = operation({
  operationId: 'listInvitations',
  summary: 'List the open invitations, newest first.',
  description: 'For seeing who has not accepted yet. Links are not included. Idempotent. Costs one read.',
  route: 'GET /invitations',
  permission: 'people:write',
  success: Joi.array().items(invitationBody),
  async handle({ principal: { organizationId }, meter }, { clock, database }) {
    return okList(meter, await listInvitationRows(database, organizationId, new Date(clock.now())), toInvitationBody)
  },
})

export const readInvitation = serverOperation({
  operationId: 'readInvitation',
  summary: 'Get an invitation by its token.',
  description:
    'For the page that accepts it. The invitation stays as it is. The token is in the body, so that it appears in no URL. Costs two small reads.',
  route: 'POST /invitation/read',
  permission: 'sign-in',
  answers: [200, 400],
  body: namedObject('LinkToken', { token: tokenSchema.required() }),
  success: namedObject('InvitationView', {
    kind: Joi.string().valid('member', 'owner').required().description('`owner` means an owner of the server.'),
    mail: Joi.string().description('Absent for an owner, who enters it.'),
    organizationName: Joi.string(),
    role: roleName,
    mayApprove: Joi.boolean(),
    hasAccount: Joi.boolean().description(
      'Whether the email address has an account whose password is needed. Present only for the token from the email, because the inviter must not learn this.',
    ),
  }),
  async handle({ body: { token } }, { clock, database }) {
    const now = new Date(clock.now())
    const tokenHash = hashToken(token)
    const invitation = await findInvitation(database, tokenHash, now)
    if (invitation === undefined) {
      if (!(await isOwnerLink(database, tokenHash, now))) throw new ApiError('link_unusable')
      return ok({ kind: 'owner', hasAccount: false } satisfies InvitationView)
    }
    const account = accountToProve(await listAccounts(database, invitation.mail), invitation.organization_id)
    return ok({
      kind: 'member',
      mail: invitation.mail,
      organizationName: invitation.organization_name,
      role: invitation.role,
      mayApprove: invitation.may_approve,
      ...(invitation.proves_mail ? { hasAccount: account !== undefined && takesPassword(account) } : {}),
    } satisfies InvitationView)
  },
})

export const revokeInvitation = operation({
  operationId: 'revokeInvitation',
  summary: 'Revoke an invitation: its link no longer works.',
  description: 'For a link that went to the wrong person. Costs one small transaction.',
  route: 'DELETE /invitations/{invitationId}',
  permission: 'people:write',
  answers: [200, 404],
  success: Joi.object({ id: Joi.string().required() }),
  async handle({ params: { invitationId }, principal }, context) {
    await changeAudited(context, principal, 'revokeInvitation', async (tx, record) => {
      if (!(await deleteInvitation(tx, principal.organizationId, invitationId))) {
        throw new ApiError('invitation_not_found')
      }
      await record('invitation', invitationId)
    })
    return ok({ id: invitationId })
  },
})
