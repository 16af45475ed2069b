import type { IncomingHttpHeaders } from 'node:http'
import { limit } from '../../lib/limits.js'
import { deriveKey, KeyRing, UnsealError } from '../../lib/seal.js'
import { readSessionToken } from './cookie.js'

/** It stands in an address when its session ends, which servers bound. */
const CHARS_MAX = limit('idTokenChars')

/**
 * The ID token of a session. It holds a name and a mail address and is good for nothing but the end of that
 * session, so that it is encrypted under a key that follows from the session's token: of that the database has the
 * digest alone, and with the cookie the last way to read it is gone, in backups too.
 */
const sealerOf = (sessionToken: string): KeyRing =>
  new KeyRing([deriveKey(Buffer.from(sessionToken), 'greenroom id token of a session')])

const contextOf = (personId: string): string => `id token ${personId}`

/** Null for one that is too long to be shown again. */
export const lockIdToken = (idToken: string | undefined, personId: string, sessionToken: string): string | null =>
  idToken === undefined || idToken.length > CHARS_MAX ? null : sealerOf(sessionToken).seal(idToken, contextOf(personId))

/** Undefined where there is none, or the request is not that of its session. */
export function unlockIdToken(
  locked: string | null | undefined,
  personId: string,
  headers: IncomingHttpHeaders,
): string | undefined {
  const sessionToken = readSessionToken(headers)
  if (locked === null || locked === undefined || sessionToken === undefined) return undefined
  try {
    return sealerOf(sessionToken).open(locked, contextOf(personId))
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}
