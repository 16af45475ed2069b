import type { IncomingHttpHeaders } from 'node:http'

/** The prefix binds it to this very host and to https; browsers take it over plain http on localhost alone. */
const COOKIE = '__Host-greenroom'
/** A sign-in that is under way at the identity provider. */
const VISIT_COOKIE = '__Host-greenroom-visit'
/** The challenge of a sign-in by passkey that is under way. */
const PASSKEY_COOKIE = '__Host-greenroom-passkey'
/** A browser that signed in here before; no credential (device.ts). */
const DEVICE_COOKIE = '__Host-greenroom-device'
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

/** The token of the session that a request carries. */
export const readSessionToken = (headers: IncomingHttpHeaders): string | undefined => readCookie(headers, COOKIE)
export const readVisitCookie = (headers: IncomingHttpHeaders): string | undefined => readCookie(headers, VISIT_COOKIE)
export const readPasskeyCookie = (headers: IncomingHttpHeaders): string | undefined =>
  readCookie(headers, PASSKEY_COOKIE)

export const readDeviceCookie = (headers: IncomingHttpHeaders): string | undefined => readCookie(headers, DEVICE_COOKIE)

function readCookie({ cookie = '' }: IncomingHttpHeaders, wanted: string): string | undefined {
  // Byte by byte: trim() would drop a no-break space before the name, and so take a cookie that lacks the prefix's
  // protection.
  for (const part of cookie.split(';')) {
    const pair = part.replace(/^[ \t]+/, '')
    if (pair.startsWith(`${wanted}=`)) return pair.slice(wanted.length + 1).replace(/[ \t]+$/, '') || undefined
  }
  return undefined
}

const toSetCookie = (name: string, value: string, seconds: number): string =>
  `${name}=${value}; Max-Age=${seconds}; ${ATTRIBUTES}`
const toHeaders = (name: string, value: string, seconds: number): Record<string, string> => ({
  'set-cookie': toSetCookie(name, value, seconds),
})

export const setCookie = (token: string, seconds: number): Record<string, string> => toHeaders(COOKIE, token, seconds)

/**
 * Ends the session in the browser. Its cache goes as well: an earlier version's answers may be in it. `"storage"`
 * stays, because drafts are kept there for the person who typed them, who may sign in again.
 */
export const clearSession = (): Record<string, string> => ({
  ...toHeaders(COOKIE, '', 0),
  'clear-site-data': '"cache"',
})
export const setVisitCookie = (sealed: string, seconds: number): Record<string, string> =>
  toHeaders(VISIT_COOKIE, sealed, seconds)
export const setPasskeyCookie = (sealed: string, seconds: number): Record<string, string> =>
  toHeaders(PASSKEY_COOKIE, sealed, seconds)

/** Beside another cookie: the value of a Set-Cookie of its own. */
export const toDeviceCookie = (sealed: string, seconds: number): string => toSetCookie(DEVICE_COOKIE, sealed, seconds)
