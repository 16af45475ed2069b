export type Encoding = 'identity' | 'gzip' | 'br'

/** Raised when rows are written in another way, so that no caller goes on with a page in the old one. */
const FORM = 1

/** The strong ETag of a page: what it shows, at which revision, in which encoding. */
export function toEtag(revision: number, name: string, encoding: Encoding): string {
  const tag = `${FORM}-${revision}-${name}`
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`
}

/** The ETag of the page that If-None-Match names, in whatever encoding the caller got it (RFC 9110, 13.1.2). */
export function findKnownEtag(ifNoneMatch: string | undefined, revision: number, name: string): string | undefined {
  if (ifNoneMatch === undefined) return undefined
  if (ifNoneMatch.trim() === '*') return toEtag(revision, name, 'identity')
  const tags: string[] = ifNoneMatch.match(/"[^"]*"/g) ?? []
  return ENCODINGS.map((encoding) => toEtag(revision, name, encoding)).find((etag) => tags.includes(etag))
}

/** Of a page, or of a 304, which has no encoding. */
export function pageHeaders(etag: string, encoding?: Encoding): Record<string, string> {
  return {
    ...(encoding === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    ...(encoding === undefined || encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    etag,
    vary: 'accept-encoding',
    // Of persons, and for the one caller alone; every use asks whether it is still true.
    'cache-control': 'private, no-cache',
  }
}

/** In the order in which we prefer them. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const

/** The encoding that the caller likes best; of those it likes alike, the smaller one (RFC 9110, 12.5.3). */
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
  // Named or not, it is always there, and the last choice.
  let bestWeight = Math.max(weights.get('identity') ?? 0, Number.MIN_VALUE)
  for (const encoding of ENCODINGS) {
    const weight = weightOf(encoding)
    if (weight > bestWeight || (weight === bestWeight && best === 'identity')) [best, bestWeight] = [encoding, weight]
  }
  return best
}
