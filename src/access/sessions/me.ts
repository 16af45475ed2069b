import Joi from 'joi'
import type { Queryable } from '../../database/database.js'
import { named, namedObject } from '../../http/named.js'
import type { Me, OwnOrganization, SecondFactorNeeded } from '../../interface/generated/types.js'
import { programVersion } from '../../lib/version.js'
import { languageSchema, organizationFields, toOrganizationFields } from '../organization.js'
import { listOwnMemberships } from '../people/memberships.store.js'
import type { PersonRow } from '../people/people.store.js'
import { personBody, roleName, toPersonBody } from '../people/person.js'
import { channelPermissions, memberPermissions, OWNER_PERMISSIONS, PERSON_PERMISSIONS } from '../permissions.js'
import { findFactors, hasFactor } from '../second-factors/second-factors.store.js'
import type { BegunHalfSession, BegunSession } from './session.js'
import type { OwnSessionRow } from './sessions.store.js'

export const signInMethodSchema = named('SignInMethod', Joi.string().valid('password', 'link', 'oidc', 'passkey'))

const permissionsSchema = Joi.array().items(Joi.string()).required()

/** The person who is signed in. Every call that begins a session answers it too. */
export const meBody = namedObject('Me', {
  person: named(
    'OwnPerson',
    (personBody as Joi.ObjectSchema).keys({
      hasSecondFactor: Joi.boolean().required().description('Has a passkey or an authenticator app.'),
      language: languageSchema
        .required()
        .allow(null)
        .description('Of the console and of mails; null for that of the browser.'),
      timeZone: Joi.string()
        .required()
        .allow(null)
        .description('An IANA name: in which the console shows times; null for that of the organization.'),
    }),
  ).required(),
  session: namedObject('OwnSession', {
    id: Joi.string().required(),
    method: signInMethodSchema.required(),
    expiresAt: Joi.string().isoDate().required(),
    passwordUntil: Joi.string()
      .isoDate()
      .description('Until then a password is set without the present one, once: the session began with a link.'),
    secondFactor: Joi.boolean().required().description('Whether this session has passed a second factor.'),
    confirmedAt: Joi.string()
      .isoDate()
      .required()
      .description('When the person last proved themselves in it; signing in counts.'),
  }).required(),
  organizations: Joi.array()
    .items(
      namedObject('OwnOrganization', {
        ...organizationFields,
        role: roleName.description('Absent for an owner of the server who is no member.'),
        permissions: permissionsSchema.description('What the person may do in it.'),
        channels: Joi.array()
          .items(
            named('OwnChannel', Joi.object({ channelId: Joi.string().required(), permissions: permissionsSchema })),
          )
          .description(
            'The channels in which the person holds other permissions: all of them. Absent for most people.',
          ),
      }),
    )
    .required()
    .description('By name; all of the server for an owner.'),
  permissions: permissionsSchema.description('Of the server as a whole.'),
  version: Joi.string().required().description('Of the program.'),
})

export const secondFactorMethodsSchema = Joi.array()
  .items(named('SecondFactorMethod', Joi.string().valid('passkey', 'totp', 'recovery-code')))
  .required()

/** The answer of what signs a person in. */
export const signedInBody = Joi.alternatives(
  meBody,
  named(
    'SecondFactorNeeded',
    Joi.object({
      secondFactor: Joi.object({ methods: secondFactorMethodsSchema }).required(),
    }).description('In place of Me: the session does nothing before its person has passed one of these.'),
  ),
)

export const toSignedIn = async (
  database: Queryable,
  begun: BegunSession | BegunHalfSession,
): Promise<Me | SecondFactorNeeded> =>
  'needs' in begun
    ? { secondFactor: { methods: begun.needs.methods } }
    : await toMe(database, begun.person, begun.session)

export const toOwnSession = (id: string, row: OwnSessionRow, now: number): BegunSession['session'] => ({
  id,
  method: row.method,
  expiresAt: row.expires_at,
  secondFactor: row.second_factor,
  confirmedAt: row.confirmed_at,
  passwordUntil: row.password_until !== null && now < row.password_until.getTime() ? row.password_until : null,
})

export async function toMe(database: Queryable, person: PersonRow, session: BegunSession['session']): Promise<Me> {
  const { expiresAt, confirmedAt, passwordUntil, ...rest } = session
  const organizations = await listOwnMemberships(database, person.person_id, person.owner)
  return {
    person: {
      ...toPersonBody(person),
      language: person.language,
      timeZone: person.own_time_zone,
      hasSecondFactor: hasFactor(await findFactors(database, person.person_id)),
    },
    session: {
      ...rest,
      expiresAt: expiresAt.toISOString(),
      confirmedAt: confirmedAt.toISOString(),
      ...(passwordUntil === null ? {} : { passwordUntil: passwordUntil.toISOString() }),
    },
    organizations: organizations.map(
      (row): OwnOrganization => ({
        ...toOrganizationFields(row),
        ...(row.role === null ? {} : { role: row.role }),
        ...toRights(person, row),
      }),
    ),
    permissions: [...(person.owner ? OWNER_PERMISSIONS : PERSON_PERMISSIONS)],
    version: programVersion(),
  }
}

/** The person's permissions in an organization, and in channels of it. An owner has the same in every channel. */
function toRights(
  { owner }: PersonRow,
  { role, may_approve, channels }: ListedMembership,
): Pick<OwnOrganization, 'permissions' | 'channels'> {
  if (owner) return { permissions: [...OWNER_PERMISSIONS] }
  const permissions = memberPermissions(role!, may_approve)
  if (channels === null) return { permissions: [...permissions] }
  const byChannel = channelPermissions(permissions, channels)
  return {
    permissions: [...permissions],
    channels: [...byChannel].map(([channelId, held]) => ({ channelId, permissions: [...held] })),
  }
}

type ListedMembership = Awaited<ReturnType<typeof listOwnMemberships>>[number]
