import Joi from 'joi'
import { namedObject } from '../../http/named.js'
import type { Member } from '../../interface/generated/types.js'
import { channelRolesSchema } from './channel-roles.js'
import type { MemberRow } from './memberships.store.js'
import { roleName } from './person.js'

/** A member as it goes out. */
export const memberBody = namedObject('Member', {
  id: Joi.string().required(),
  name: Joi.string().required(),
  mail: Joi.string().required(),
  active: Joi.boolean().required(),
  mailProven: Joi.boolean().required().description('Whether it is shown that the address is theirs.'),
  role: roleName.required(),
  mayApprove: Joi.boolean().required(),
  channels: channelRolesSchema
    .required()
    .description('The channels in which another role holds than in the rest of the organization; an ADMIN has none.'),
  secondFactor: Joi.boolean().required().description('Whether the person has a passkey or an authenticator app.'),
  createdAt: Joi.string().isoDate().required().description('Since when.'),
})

export const toMemberBody = (row: MemberRow): Member => ({
  id: row.person_id,
  name: row.name,
  mail: row.mail,
  active: row.active,
  mailProven: row.mail_proven_at !== null,
  role: row.role,
  mayApprove: row.may_approve,
  channels: row.channels ?? [],
  secondFactor: row.second_factor,
  createdAt: row.created_at.toISOString(),
})
