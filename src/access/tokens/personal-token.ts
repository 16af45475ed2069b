import Joi, { type StrictSchemaMap } from 'joi'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { named, namedObject } from '../../http/named.js'
import { nameSchema, utcInstant } from '../../http/params.js'
import type { IssuedPersonalToken, PersonalToken } from '../../interface/generated/types.js'
import { TOKEN_SCOPE_NAMES } from '../../interface/token-scopes.js'
import { newId, newSecret } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { hashToken } from '../../lib/tokens.js'
import { endFields, parseExpiry, toEndBody } from '../maximum-age.js'
import { listOwnMemberships } from '../people/memberships.store.js'
import { lockPerson, type PersonRow } from '../people/people.store.js'
import { channelPermissions, memberPermissions, OWNER_PERMISSIONS } from '../permissions.js'
import type { Granted } from './device-logins.store.js'
import { countTokens, insertToken, type PersonalTokenRow } from './personal-tokens.store.js'

/** Secret scanners recognize this prefix (docs/security.md). */
export const PERSONAL_TOKEN_PREFIX = 'greenroom_personal_'

const LIFETIME_MS = 90 * 86_400_000
const TOKENS_MAX = limit('tokensPerPerson')

export const tokenNameSchema = nameSchema.description('A name that says what the token is for.')

export const scopesSchema = Joi.array()
  .items(named('TokenScope', Joi.string().valid(...TOKEN_SCOPE_NAMES)))
  .min(1)
  .unique()
  .description(
    'What the token may do at most. No scope allows approving posts or changing accounts and the rights of people.',
  )

/** The fields of a request in which a person grants rights. */
export const grantFields = {
  scopes: scopesSchema.required(),
  organizationId: Joi.string().description('The only organization in which the token works; all of yours by default.'),
  expiresAt: utcInstant.description(
    'When the token expires: an ISO 8601 datetime in UTC (Z), within the maximum age of a token; 90 days from now by default.',
  ),
}

/** A token in a response, without the token itself. */
const tokenFields: StrictSchemaMap<PersonalToken> = {
  id: Joi.string().required(),
  name: Joi.string().required(),
  scopes: scopesSchema.required(),
  organizationId: Joi.string().description(
    "The only organization in which the token works. Absent if it works in all of the person's organizations.",
  ),
  createdAt: Joi.string().isoDate().required(),
  ...endFields,
  expiresAt: Joi.string().isoDate().required().description('Its own expiry or its maximum age, whichever comes first.'),
  lastUsedAt: Joi.string().isoDate().description('To the minute. Absent if the token was never used.'),
}
export const personalTokenBody = namedObject('PersonalToken', tokenFields)

export const issuedTokenBody = namedObject('IssuedPersonalToken', {
  ...tokenFields,
  token: Joi.string().required(),
})

export const toTokenBody = (row: PersonalTokenRow, { config }: Pick<Context, 'config'>): PersonalToken => ({
  id: row.token_id,
  name: row.name,
  scopes: row.scopes,
  ...(row.bound_to === null ? {} : { organizationId: row.bound_to }),
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  ...toEndBody(row, config.access.personalTokenMaxAgeMs),
  ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at.toISOString() }),
})

interface Wanted {
  scopes: Granted['scopes']
  organizationId?: string
  expiresAt?: string
}

/**
 * Checks what a person grants to a program. Throws scope_not_held for a scope that they hold nowhere,
 * organization_not_found, expiry_past and expiry_too_late. Later, the person's rights at each request decide.
 */
export async function checkGrant(
  { config, database }: Pick<Context, 'config' | 'database'>,
  person: PersonRow,
  { scopes, organizationId, expiresAt }: Wanted,
  now: Date,
): Promise<Omit<Granted, 'secondFactor'>> {
  const maxAgeMs = config.access.personalTokenMaxAgeMs
  const end = parseExpiry(expiresAt, { now, maxAgeMs }) ?? new Date(now.getTime() + Math.min(LIFETIME_MS, maxAgeMs))
  const memberships = (await listOwnMemberships(database, person.person_id, person.owner)).filter(
    ({ organization_id }) => organizationId === undefined || organization_id === organizationId,
  )
  if (organizationId !== undefined && memberships.length === 0) throw new ApiError('organization_not_found')
  const held = memberships.flatMap(({ role, may_approve, channels }) => {
    if (person.owner) return [OWNER_PERMISSIONS]
    const permissions = memberPermissions(role!, may_approve)
    return [permissions, ...channelPermissions(permissions, channels ?? []).values()]
  })
  const missing = scopes.filter((scope) => !held.some((permissions) => permissions.has(scope)))
  if (missing.length > 0) {
    throw new ApiError('scope_not_held', {
      message: `A token can have only permissions that you hold yourself, and you do not hold ${missing.join(', ')}.`,
    })
  }
  return { scopes, boundTo: organizationId ?? null, expiresAt: end.toISOString() }
}

/** Throws tokens_full if the person has the maximum number of tokens. */
export async function checkRoom(database: Queryable, personId: string, now: Date): Promise<void> {
  if ((await countTokens(database, personId, now)) >= TOKENS_MAX) throw new ApiError('tokens_full')
}

/** Makes a token for the person. Throws session_ended if they are inactive, and tokens_full. */
export async function makeToken(
  tx: Queryable,
  personId: string,
  { name, scopes, boundTo, expiresAt, secondFactor, at }: Granted & { name: string; at: Date },
  context: Pick<Context, 'config'>,
): Promise<IssuedPersonalToken> {
  if (!(await lockPerson(tx, personId))?.active) throw new ApiError('session_ended')
  await checkRoom(tx, personId, at)
  const token = `${PERSONAL_TOKEN_PREFIX}${newSecret()}`
  const row = {
    token_id: newId('tok'),
    person_id: personId,
    name,
    scopes,
    bound_to: boundTo,
    created_at: at,
    expires_at: new Date(expiresAt),
    second_factor: secondFactor,
    last_used_at: null,
  }
  await insertToken(tx, { ...row, token_hash: hashToken(token) })
  return { ...toTokenBody(row, context), token }
}
