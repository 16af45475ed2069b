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

/** The signed-in person. Every call that begins a session returns it too. */
export const meBody = namedObject('Me', {
  person: named(
    'OwnPerson',
    (personBody as Joi.ObjectSchema).keys({
      hasSecondFactor: Joi.boolean()
        .required()
        .description('Whether the person has a passkey or an authenticator app.'),
      language: languageSchema
        .required()
        .allow(null)
        .description('The language of the console and of emails; null for that of the browser.'),
      timeZone: Joi.string()
        .required()
        .allow(null)
        .description('The IANA time zone in which the console shows times; null for that of the organization.'),
    }),
  ).required(),
  session: namedObject('OwnSession', {
    id: Joi.string().required(),
    method: signInMethodSchema.required(),
    expiresAt: Joi.string().isoDate().required(),
    passwordUntil: Joi.string()
      .isoDate()
      .description(
        'Until then you can set a password once without the current one, because the session began with a link.',
      ),
    secondFactor: Joi.boolean().required().description('Whether this session has passed a second factor.'),
    confirmedAt: Joi.string()
      .isoDate()
      .required()
      .description('When the person last confirmed in this session who they are; signing in counts.'),
  }).required(),
  organizations: Joi.array()
    .items(
      namedObject('OwnOrganization', {
        ...organizationFields,
        role: roleName.description('Absent for an owner of the server who is not a member.'),
        permissions: permissionsSchema.description('What the person may do in the organization.'),
        channels: Joi.array()
          .items(
            named('OwnChannel', Joi.object({ channelId: Joi.string().required(), permissions: permissionsSchema })),
          )
          .description(
            'The channels where the person has other permissions, each with the full list. Absent for most people.',
          ),
      }),
    )
    .required()
    .description("The person's organizations by name; for an owner, all organizations of the server."),
  permissions: permissionsSchema.description('What the person may do on the server as a whole.'),
  version: Joi.string().required().description('The version of the server.'),
})

export const secondFactorMethodsSchema = Joi.array()
  .items(named('SecondFactorMethod', Joi.string().valid('passkey', 'totp', 'recovery-code')))
  .required()

/** The response to a sign-in. */
export const signedInBody = Joi.alternatives(
  meBody,
  named(
    'SecondFactorNeeded',
    Joi.object({
      secondFactor: Joi.object({ methods: secondFactorMethodsSchema }).required(),
    }).description('Returned instead of Me: the session can do nothing else until the person has passed one of these.'),
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

/**
 * Returns the person's permissions in an organization and its channels. An owner has the same permissions in every
 * channel.
 */
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
