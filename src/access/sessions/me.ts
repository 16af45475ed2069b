import { readFileSync } from 'node:fs'
import Joi from 'joi'
import type { Queryable } from '../../database/database.js'
import type { Me, OwnOrganization } from '../../interface/people.js'
import { listOwnMemberships } from '../people/memberships.store.js'
import type { PersonRow } from '../people/people.store.js'
import { personBody, ROLES, toPersonBody } from '../people/person.js'
import { memberPermissions, OWNER_PERMISSIONS, PERSON_PERMISSIONS } from '../permissions.js'
import type { BegunSession } from './session.js'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

export const signInMethodSchema = Joi.string().valid('password', 'link', 'oidc')

const permissionsSchema = Joi.array().items(Joi.string()).required()

/** Who is signed in: the answer of whatever begins a session, too. */
export const meBody = Joi.object<Me, true>({
  person: personBody.required(),
  session: Joi.object<Me['session'], true>({
    id: Joi.string().required(),
    method: signInMethodSchema.required(),
    expiresAt: Joi.string().isoDate().required(),
    passwordUntil: Joi.string()
      .isoDate()
      .description('Until then a password is set without the present one, once: the session began with a link.'),
  }).required(),
  organizations: Joi.array()
    .items(
      Joi.object<OwnOrganization, true>({
        id: Joi.string().required(),
        name: Joi.string().required(),
        active: Joi.boolean().required(),
        timeZone: Joi.string().required().description('An IANA name: in which its people read times.'),
        fourEyes: Joi.boolean().required(),
        role: Joi.string()
          .valid(...ROLES)
          .description('Absent for an owner of the server who is no member.'),
        permissions: permissionsSchema.description('What the person may do in it.'),
      }),
    )
    .required()
    .description('By name; all of the server for an owner.'),
  permissions: permissionsSchema.description('Of the server as a whole.'),
  version: Joi.string().required().description('Of the program.'),
}).label('Me')

export async function toMe(database: Queryable, person: PersonRow, session: BegunSession['session']): Promise<Me> {
  const { expiresAt, passwordUntil, ...rest } = session
  const organizations = await listOwnMemberships(database, person.person_id, person.owner)
  return {
    person: toPersonBody(person),
    session: {
      ...rest,
      expiresAt: expiresAt.toISOString(),
      ...(passwordUntil === null ? {} : { passwordUntil: passwordUntil.toISOString() }),
    },
    organizations: organizations.map((row) => ({
      id: row.organization_id,
      name: row.name,
      active: row.active,
      timeZone: row.time_zone,
      fourEyes: row.four_eyes,
      ...(row.role === null ? {} : { role: row.role }),
      permissions: [...(person.owner ? OWNER_PERMISSIONS : memberPermissions(row.role!, row.may_approve))],
    })),
    permissions: [...(person.owner ? OWNER_PERMISSIONS : PERSON_PERMISSIONS)],
    version,
  }
}
