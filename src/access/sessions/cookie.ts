import type { IncomingHttpHeaders } from 'node:http'
import { trimEnd } from '../../interface/trim.js'
import { limit } from '../../lib/limits.js'
import { deriveKey, KeyRing, type Sealer, UnsealError } from '../../lib/seal.js'

/** The prefix binds it to this very host and to https; browsers take it over plain http on localhost alone. */
const COOKIE = '__Host-greenroom'
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

/** The token of the session that a request carries. */
export const readSessionToken = (headers: IncomingHttpHeaders): string | undefined => readCookie(headers, COOKIE)

function readCookie({ cookie = '' }: IncomingHttpHeaders, wanted: string): string | undefined {
  // Byte by byte: trim() would drop a no-break space before the name, and so take a cookie that lacks the prefix's
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
 * Ends the session in the browser. Its cache goes as well: an earlier version's answers may be in it. `"storage"`
 * stays, because drafts are kept there for the person who typed them, who may sign in again.
 */
export const clearSession = (): Record<string, string> => ({ ...setCookie('', 0), 'clear-site-data': '"cache"' })

/**
 * A cookie that no one but this server reads or writes. It keeps with the browser what the server would otherwise
 * store for a stranger.
 */
export class SealedCookie<Content extends object> {
  constructor(
    private readonly name: string,
    /** Binds the seal to this use. */
    private readonly context: string,
    private readonly keptMs: number,
  ) {}

  /** The value of a Set-Cookie. */
  write(sealer: Sealer, content: Content, now: number): string {
    const sealed = sealer.seal(JSON.stringify({ ...content, expiresAt: now + this.keptMs }), this.context)
    return toSetCookie(this.name, sealed, this.keptMs / 1000)
  }

  /** Undefined for none, one that is over, and one that is sealed under a master key that is out of use. */
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

/** It stands in an address when its session ends, which servers bound. */
const CHARS_MAX = limit('idTokenChars')

/**
 * The ID token of a session holds a name and a mail address, and is needed only to end that session. So it is encrypted
 * under a key that is derived from the session's token. The database has only the digest of the token: once the cookie is
 * gone, no one can read the ID token, in backups either.
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
