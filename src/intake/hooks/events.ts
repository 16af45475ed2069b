import type { IncomingHttpHeaders } from 'node:http'

// The addresses of the SDKs that speak Segment's protocol (docs/intake.md).

/** The types of single events, by the letters of the short addresses. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ b: 'batch', t: 'track', i: 'identify', p: 'page', s: 'screen', g: 'group', a: 'alias' },
}
const LONG = Object.values(TYPES)

/** Returns the type of a delivery by its path below /ingest; undefined for another path. */
export function typeOfPath(path: string): string | undefined {
  const [, beacon, name = ''] = /^\/(?:(beacon)\/)?(?:v1\/)?(\w+)\/?$/.exec(path) ?? []
  if (beacon !== undefined) return name === 'batch' ? 'batch' : undefined
  return TYPES[name] ?? (LONG.includes(name) ? name : undefined)
}

/** Paths below /ingest, each with the type of its events. */
export const EVENT_PATHS: readonly string[] = [
  ...Object.keys(TYPES).flatMap((letter) => [`/${letter}`, `/v1/${letter}`]),
  ...LONG.map((name) => `/v1/${name}`),
  '/beacon/v1/batch',
]

/** Returns the key that a request has before its body: in Basic authentication or in the query. */
export function findKeyOfHead(headers: IncomingHttpHeaders, query: URLSearchParams): string | undefined {
  const [, credentials] = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (credentials !== undefined) {
    const key = Buffer.from(credentials, 'base64').toString('utf8').split(':')[0]
    if (key) return key
  }
  return query.get('writeKey') || undefined
}

/** Returns the key that a request has only in its body. */
export function findKeyOfBody(body: unknown): string | undefined {
  const named = (body as { writeKey?: unknown } | null | undefined)?.writeKey
  return typeof named === 'string' && named !== '' ? named : undefined
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns whether the same bytes are a repeat, because each event has an id or a time. Otherwise, the same bytes may mean
 * that something happened again, such as an app being opened on another day.
 */
export function isToldApart(body: Fields): boolean {
  const events: unknown[] = Array.isArray(body.batch) ? body.batch : [body]
  const names = ['messageId', 'timestamp', 'originalTimestamp', 'sentAt']
  const isNamed = (value: unknown): boolean =>
    names.some((name) => ((value as Fields | null)?.[name] ?? undefined) !== undefined)
  return isNamed(body) || events.every(isNamed)
}

const ALLOWED_HEADER = /^(authorization|content-type|x-retry-count|anonymousid|sentat|rsa-[a-z0-9-]{1,40})$/

/** Returns headers for the response to a page of any origin: the key is in the page, so no origin is more trusted. */
export function corsHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  if (headers.origin === undefined) return {}
  const asked = headers['access-control-request-headers']?.toLowerCase().split(',') ?? []
  const allowed = asked.map((name) => name.trim()).filter((name) => ALLOWED_HEADER.test(name))
  return {
    'access-control-allow-origin': '*',
    // A page's script can read only these headers, and waits as long as they say.
    'access-control-expose-headers': 'retry-after',
    ...(asked.length > 0 && {
      'access-control-allow-headers': allowed.join(', '),
      'access-control-allow-methods': 'POST',
      'access-control-max-age': '7200',
    }),
  }
}
