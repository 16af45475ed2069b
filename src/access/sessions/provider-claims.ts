import type { StringSchema } from 'joi'
import type { ProviderIdentity, RolesMissing } from '../../http/context.js'
import { mailSchema } from '../people/mail-address.js'
import { personNameSchema } from '../people/person.js'

/** OpenID Connect allows only such subjects (Core 2). The subject becomes a database key. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/
class SubjectError extends Error {
  override name = 'SubjectError'
}

/** The claims of an ID token with a verified signature. */
interface VerifiedClaims {
  [claim: string]: unknown
  iss: string
  sub: string
}

/** Returns whether the ID token has every claim that a sign-in reads. Many providers put only the subject into it. */
export const isComplete = (proven: VerifiedClaims, roleClaim: string | undefined): boolean =>
  proven.email !== undefined && (roleClaim === undefined || typeof readRoles(proven, roleClaim) !== 'string')

/** Reads the identity from the ID token and from the provider's user info. Throws for an invalid subject. */
export function readIdentity(
  proven: VerifiedClaims,
  more: Record<string, unknown>,
  roleClaim: string | undefined,
): Omit<ProviderIdentity, 'idToken'> {
  if (!SUBJECT.test(proven.sub)) throw new SubjectError()
  const claims: Record<string, unknown> = { ...more, ...proven }
  // Both come from one document: `email_verified` in one says nothing about an address in the other.
  const { email, email_verified: verified } = proven.email === undefined ? more : proven
  return {
    issuer: proven.iss,
    subject: proven.sub,
    name: valid(personNameSchema, claims.name),
    mail: valid(mailSchema, email),
    // Some providers send a string.
    mailVerified: verified === true || verified === 'true',
    roles: roleClaim === undefined ? [] : rolesOf([proven, more], roleClaim),
  }
}

/** Returns the claim with exactly this name, which may contain dots, or else the claim at this path. */
function readClaim(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name
    .split('.')
    .reduce<unknown>((value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined), claims)
}

/** Returns the validated text; an invalid value counts as absent. */
function valid(schema: StringSchema, value: unknown): string | undefined {
  // The database cannot store U+0000.
  if (typeof value === 'string' && value.includes('\0')) return undefined
  const result = schema.validate(value)
  return result.error === undefined ? result.value : undefined
}

type Roles = readonly string[] | RolesMissing

/** Returns the roles from the first document that has them, or else the reason why they are missing. */
function rolesOf(documents: readonly Record<string, unknown>[], name: string): Roles {
  const found = documents.map((document) => readRoles(document, name))
  return found.find((roles) => typeof roles !== 'string') ?? found.find((roles) => roles !== 'absent') ?? 'absent'
}

/**
 * Reads the role claim. A missing claim says nothing about the person: Entra ID leaves out the groups of a person who
 * has more than 200, and refers to an address for them in `_claim_names` (or sends `hasgroups`, in the implicit
 * flow). A claim whose value names such a source is not a group.
 */
function readRoles(claims: Record<string, unknown>, name: string): Roles {
  const { _claim_names: elsewhere, _claim_sources: sources, hasgroups } = claims
  if (name === 'groups' && (hasgroups === true || hasgroups === 'true')) return 'elsewhere'
  if (isObject(elsewhere) && [name, name.split('.')[0]!].some((one) => Object.hasOwn(elsewhere, one)))
    return 'elsewhere'
  const value = readClaim(claims, name)
  // OpenID Connect (Core 5.3.2) allows null or empty for a claim without a value.
  if (value === undefined || value === null || value === '') return 'absent'
  if (typeof value === 'string' && isObject(sources) && Object.hasOwn(sources, value)) return 'elsewhere'
  const values: unknown[] = Array.isArray(value) ? value : [value]
  // If only the readable part of a list were used, the other roles would be removed.
  return values.every((one) => typeof one === 'string') ? values : 'malformed'
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
