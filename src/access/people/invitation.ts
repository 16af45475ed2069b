import Joi from 'joi'
import { named, namedObject } from '../../http/named.js'
import type { Invitation } from '../../interface/generated/types.js'
import type { InvitationRow } from './invitations.store.js'
import { roleName } from './person.js'

export const INVITATION_MS = 7 * 86_400_000
export const OWNER_INVITATION_MS = 3_600_000
export const SIGN_IN_LINK_MS = 15 * 60_000
/** A mail may take its time. */
export const MAILED_LINK_MS = 30 * 60_000
/** For so long the session that begins with it sets a password without the present one. */
export const SIGN_IN_LINK_PASSWORD_MS = 10 * 60_000

/** The console reads it from the fragment, which no server, log or Referer sees. */
export const invitationPath = (token: string): string => `/#invitation=${token}`
export const signInPath = (token: string): string => `/#sign-in=${token}`

const fields = {
  id: Joi.string().required(),
  mail: Joi.string().required(),
  role: roleName.required(),
  mayApprove: Joi.boolean().required(),
  createdAt: Joi.string().isoDate().required(),
  expiresAt: Joi.string().isoDate().required(),
}

export const linkFields = {
  token: Joi.string().required().description('Shown in this answer and never again.'),
  path: Joi.string()
    .required()
    .description('To be put behind the address of the server, and handed to the person: it works once.'),
}

export const invitationBody = namedObject('Invitation', fields)
export const issuedInvitationBody = named('IssuedInvitation', Joi.object({ ...fields, ...linkFields }))
export const entryLinkBody = named(
  'EntryLink',
  Joi.object({ ...linkFields, expiresAt: Joi.string().isoDate().required() }),
)

export const toInvitationBody = (row: InvitationRow): Invitation => ({
  id: row.invitation_id,
  mail: row.mail,
  role: row.role,
  mayApprove: row.may_approve,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
})
