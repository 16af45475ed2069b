import Joi from 'joi'
import { named, namedObject } from '../../http/named.js'
import { nameSchema } from '../../http/params.js'
import type { UpdatedPerson } from '../../interface/generated/types.js'
import type { PersonRow } from './people.store.js'

export const ROLES = ['VIEWER', 'EDITOR', 'ADMIN'] as const

export const roleName = named('Role', Joi.string().valid(...ROLES))

export const roleSchema = roleName.description("The person's role in the organization: see docs/access.md.")

export const mayApproveSchema = Joi.boolean().description(
  'Whether the person may approve posts, independent of the role.',
)

export const personNameSchema = nameSchema.trim().min(1)

/** A person in a response, without the password. */
export const personBody = namedObject('Person', {
  id: Joi.string().required(),
  name: Joi.string().required(),
  mail: Joi.string().required(),
  owner: Joi.boolean().required().description('Whether the person may do what the operator token may do.'),
  active: Joi.boolean().required().description('Whether the person can sign in.'),
  mailProven: Joi.boolean()
    .required()
    .description("Whether an email, the identity provider or an operator has proven that the address is the person's."),
  boundTo: Joi.string().description('The only organization that an account with an unproven address may be in.'),
  createdAt: Joi.string().isoDate().required(),
})

export const listedPersonBody = named(
  'ListedPerson',
  (personBody as Joi.ObjectSchema).keys({
    secondFactor: Joi.boolean().required().description('Whether the person has a passkey or an authenticator app.'),
    lastSignIn: named(
      'LastSignIn',
      Joi.object({
        at: Joi.string().isoDate().required(),
        browser: Joi.string().required().description('A browser and a system, without versions.'),
        network: Joi.string().required().description('The network block of the address.'),
      }).description('Absent before the first sign-in.'),
    ),
  }),
)

export const toPersonBody = (row: PersonRow): Omit<UpdatedPerson, 'ended'> => ({
  id: row.person_id,
  name: row.name,
  mail: row.mail,
  owner: row.owner,
  active: row.active,
  mailProven: row.mail_proven_at !== null,
  ...(row.bound_to === null ? {} : { boundTo: row.bound_to }),
  createdAt: row.created_at.toISOString(),
})
