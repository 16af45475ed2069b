import type { StringSchema } from 'joi'
import type { ProviderIdentity, RolesUntold } from '../../http/context.js'
import { mailSchema } from '../people/mail-address.js'
import { personNameSchema } from '../people/person.js'

/** OpenID Connect allows no other subject (Core 2), and it becomes a key of the database. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/
class SubjectError extends Error {
  override name = 'SubjectError'
}

/** The claims of an ID token, whose signature holds. */
interface ProvenClaims {
  [claim: string]: unknown
  iss: string
  sub: string
}

/** Tells if the ID token has every claim that a sign-in reads. Many providers put only the subject into it. */
export const isComplete = (proven: ProvenClaims, roleClaim: string | undefined): boolean =>
  proven.email !== undefined && (roleClaim === undefined || typeof readRoles(proven, roleClaim) !== 'string')

/**
 * Reads who the person is from the ID token, and from what the provider says of them beside it. Throws for a
 * subject that is none.
 */
export function readIdentity(
  proven: ProvenClaims,
  more: Record<string, unknown>,
  roleClaim: string | undefined,
): Omit<ProviderIdentity, 'idToken'> {
  if (!SUBJECT.test(proven.sub)) throw new SubjectError()
  const claims: Record<string, unknown> = { ...more, ...proven }
  // From one document: a verified address of the one says nothing of an address in the other.
  const { email, email_verified: verified } = proven.email === undefined ? more : proven
  return {
    issuer: proven.iss,
    subject: proven.sub,
    name: valid(personNameSchema, claims.name),
    mail: valid(mailSchema, email),
    // Some providers write it as a text.
    mailVerified: verified === true || verified === 'true',
    roles: roleClaim === undefined ? [] : rolesOf([proven, more], roleClaim),
  }
}

/** The claim with this very name, which may hold dots, or else the one at this path. */
function readClaim(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name
    .split('.')
    .reduce<unknown>((value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined), claims)
}

/** A value that is no such text counts as absent. */
function valid(schema: StringSchema, value: unknown): string | undefined {
  // The database takes no U+0000.
  if (typeof value === 'string' && value.includes('\0')) return undefined
  const result = schema.validate(value)
  return result.error === undefined ? result.value : undefined
}

type Roles = readonly string[] | RolesUntold

/** The first document that tells the roles decides; otherwise what is wrong, as far as one of them says. */
function rolesOf(documents: readonly Record<string, unknown>[], name: string): Roles {
  const found = documents.map((document) => readRoles(document, name))
  return found.find((roles) => typeof roles !== 'string') ?? found.find((roles) => roles !== 'absent') ?? 'absent'
}

/**
 * Reads the claim for roles. A claim that is left out says nothing of the person: Entra ID leaves out the groups of one who
 * has more than 200, and names an address for them in `_claim_names` (or says `hasgroups`, in the implicit flow). A claim
 * that is the name of such an address is no group.
 */
function readRoles(claims: Record<string, unknown>, name: string): Roles {
  const { _claim_names: elsewhere, _claim_sources: sources, hasgroups } = claims
  if (name === 'groups' && (hasgroups === true || hasgroups === 'true')) return 'elsewhere'
  if (isObject(elsewhere) && [name, name.split('.')[0]!].some((one) => Object.hasOwn(elsewhere, one)))
    return 'elsewhere'
  const value = readClaim(claims, name)
  // OpenID Connect (Core 5.3.2) lets a claim without a value be null or empty in place of absent.
  if (value === undefined || value === null || value === '') return 'absent'
  if (typeof value === 'string' && isObject(sources) && Object.hasOwn(sources, value)) return 'elsewhere'
  const values: unknown[] = Array.isArray(value) ? value : [value]
  // If only the readable part of a list were used, the rest would count as removed.
  return values.every((one) => typeof one === 'string') ? values : 'malformed'
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
