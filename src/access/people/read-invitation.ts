import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { InvitationView } from '../../interface/generated/types.js'
import { hashToken } from '../../lib/tokens.js'
import { findInvitation, isOwnerLink } from './invitations.store.js'
import { tokenSchema } from './password-rules.js'
import { listAccounts } from './people.store.js'
import { roleName } from './person.js'
import { accountToProve, takesPassword } from './prove-address.js'

/** Tells the holder of an invitation's token what it is about. The invitation stays as it is. */
export const readInvitation = serverOperation({
  operationId: 'readInvitation',
  summary: 'Tell what an invitation is about, for the one who holds its token.',
  description: 'For the page that accepts it. The token is in the body, so that no URL has it. Costs two small reads.',
  route: 'POST /invitation/read',
  permission: 'sign-in',
  answers: [200, 400],
  body: namedObject('LinkToken', { token: tokenSchema.required() }),
  success: namedObject('InvitationView', {
    kind: Joi.string().valid('member', 'owner').required().description('`owner`: of the server.'),
    mail: Joi.string().description('Absent for an owner, who names it.'),
    organizationName: Joi.string(),
    role: roleName,
    mayApprove: Joi.boolean(),
    hasAccount: Joi.boolean().description(
      'Whether the mail address has an account whose password is asked for. Only for the one who has the link from a mail: the one who made the invitation must not learn it.',
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
