import type { AudienceRevision } from '../../http/snapshot.js'

export type Encoding = 'identity' | 'gzip' | 'br'

/** Increased when the JSON of rows changes, so that pages in the old form become stale. */
const FORM = 1

/** Returns the strong ETag of a page: its revision, name and encoding. */
export function toPageEtag({ epoch, revision }: AudienceRevision, name: string, encoding: Encoding): string {
  const tag = `${FORM}-${epoch}-${revision}-${name}`
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`
}

/** Returns the ETag in If-None-Match that belongs to this page, in any encoding (RFC 9110, 13.1.2). */
export function findKnownEtag(
  ifNoneMatch: string | undefined,
  current: AudienceRevision,
  name: string,
): string | undefined {
  if (ifNoneMatch === undefined) return undefined
  if (ifNoneMatch.trim() === '*') return toPageEtag(current, name, 'identity')
  const tags: string[] = ifNoneMatch.match(/"[^"]*"/g) ?? []
  return ENCODINGS.map((encoding) => toPageEtag(current, name, encoding)).find((etag) => tags.includes(etag))
}

/** Returns the headers of a page, or of a 304, which has no encoding. */
export function pageHeaders(etag: string, encoding?: Encoding): Record<string, string> {
  return {
    ...(encoding === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    ...(encoding === undefined || encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    etag,
    vary: 'accept-encoding',
    // Personal data for one caller, revalidated at each use.
    'cache-control': 'private, no-cache',
  }
}

/** In order of our preference. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const

/**
 * Returns the encoding with the highest weight; among equals, the one that makes the smallest page (RFC 9110, 12.5.3). This
 * is our own because negotiator does not know `x-gzip` (RFC 9110, 8.4.1.3) and takes as long.
 */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  if (!acceptEncoding) return 'identity'
  const weights = new Map<string, number>()
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get('*') ?? 0
  let best: Encoding = 'identity'
  // Always acceptable, as a last resort.
  let bestWeight = Math.max(weights.get('identity') ?? 0, Number.MIN_VALUE)
  for (const encoding of ENCODINGS) {
    const weight = weightOf(encoding)
    if (weight > bestWeight || (weight === bestWeight && best === 'identity')) [best, bestWeight] = [encoding, weight]
  }
  return best
}
