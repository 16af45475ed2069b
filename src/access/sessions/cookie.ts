import type { IncomingHttpHeaders } from 'node:http'

/** The prefix binds it to this very host and to https; browsers take it over plain http on localhost alone. */
const COOKIE = '__Host-greenroom'
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

/** The token of the session that a request carries. */
export function readSessionToken({ cookie = '' }: IncomingHttpHeaders): string | undefined {
  for (const part of cookie.split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === COOKIE) return value || undefined
  }
  return undefined
}

export const setCookie = (token: string, seconds: number): Record<string, string> => ({
  'set-cookie': `${COOKIE}=${token}; Max-Age=${seconds}; ${ATTRIBUTES}`,
})

export const clearCookie = (): Record<string, string> => ({ 'set-cookie': `${COOKIE}=; Max-Age=0; ${ATTRIBUTES}` })
