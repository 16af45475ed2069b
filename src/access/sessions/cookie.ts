import type { IncomingHttpHeaders } from 'node:http'
import { trimEnd } from '../../interface/trim.js'
import { limit } from '../../lib/limits.js'
import { deriveKey, KeyRing, type Sealer, UnsealError } from '../../lib/seal.js'

/** The prefix binds the cookie to this host and to https; browsers accept it over plain http only on localhost. */
const COOKIE = '__Host-greenroom'
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

/** Returns the session token of a request. */
export const readSessionToken = (headers: IncomingHttpHeaders): string | undefined => readCookie(headers, COOKIE)

function readCookie({ cookie = '' }: IncomingHttpHeaders, wanted: string): string | undefined {
  // Not trim(): it would also remove a no-break space before the name, and so accept a cookie that lacks the prefix's
  // protection.
  for (const part of cookie.split(';')) {
    const pair = part.replace(/^[ \t]+/, '')
    if (pair.startsWith(`${wanted}=`)) return trimEnd(pair.slice(wanted.length + 1), ' \t') || undefined
  }
  return undefined
}

const toSetCookie = (name: string, value: string, seconds: number): string =>
  `${name}=${value}; Max-Age=${seconds}; ${ATTRIBUTES}`

export const setCookie = (token: string, seconds: number): Record<string, string> => ({
  'set-cookie': toSetCookie(COOKIE, token, seconds),
})

/**
 * Ends the session in the browser and clears its cache, which may contain answers of an earlier version. `"storage"`
 * is kept, because it holds drafts of the person, who may sign in again.
 */
export const clearSession = (): Record<string, string> => ({ ...setCookie('', 0), 'clear-site-data': '"cache"' })

/**
 * A cookie that only this server can read or write. It keeps in the browser what the server would otherwise have to
 * store for a stranger.
 */
export class SealedCookie<Content extends object> {
  constructor(
    private readonly name: string,
    /** Binds the seal to one purpose. */
    private readonly context: string,
    private readonly keptMs: number,
  ) {}

  /** Returns the value of a Set-Cookie header. */
  write(sealer: Sealer, content: Content, now: number): string {
    const sealed = sealer.seal(JSON.stringify({ ...content, expiresAt: now + this.keptMs }), this.context)
    return toSetCookie(this.name, sealed, this.keptMs / 1000)
  }

  /** Returns undefined if the cookie is missing, expired or sealed under a master key that is no longer in use. */
  read(sealer: Sealer, headers: IncomingHttpHeaders, now: number): (Content & { expiresAt: number }) | undefined {
    const sealed = readCookie(headers, this.name)
    if (sealed === undefined) return undefined
    try {
      const content = JSON.parse(sealer.open(sealed, this.context)) as Content & { expiresAt: number }
      return now < content.expiresAt ? content : undefined
    } catch (error) {
      if (error instanceof UnsealError) return undefined
      throw error
    }
  }
}

/** The ID token goes into a URL when its session ends, and servers limit URLs. */
const CHARS_MAX = limit('idTokenChars')

/**
 * Encrypts an ID token under a key derived from the session's token. The ID token contains a name and an email address
 * and is needed only to end the session. The database has only the digest of the session token, so once the cookie is
 * gone, no one can read the ID token, not even in backups.
 */
const sealerOf = (sessionToken: string): KeyRing =>
  new KeyRing([deriveKey(Buffer.from(sessionToken), 'greenroom id token of a session')])

const contextOf = (personId: string): string => `id token ${personId}`

/** Returns null for an ID token that is too long for a URL. */
export const lockIdToken = (idToken: string | undefined, personId: string, sessionToken: string): string | null =>
  idToken === undefined || idToken.length > CHARS_MAX ? null : sealerOf(sessionToken).seal(idToken, contextOf(personId))

/** Returns undefined if there is no ID token or the request does not belong to its session. */
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
