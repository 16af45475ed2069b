import type { StringSchema } from 'joi'
import type { ProviderIdentity } from '../../http/context.js'
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
  proven.email !== undefined && (roleClaim === undefined || readClaim(proven, roleClaim) !== undefined)

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
    roles: roleClaim === undefined ? [] : valuesOf(readClaim(claims, roleClaim)),
  }
}

/** The claim with this very name, which may hold dots, or else the one at this path. */
function readClaim(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined,
      claims,
    )
}

/** A value that is no such text counts as absent. */
function valid(schema: StringSchema, value: unknown): string | undefined {
  // The database takes no U+0000.
  if (typeof value === 'string' && value.includes('\0')) return undefined
  const result = schema.validate(value)
  return result.error === undefined ? result.value : undefined
}

const valuesOf = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string')
