import { ApiError } from '../errors.js'

export const FIRST_VERSION = 1

/** The header of every operation that changes a post. */
export const ifMatchHeader = {
  'If-Match': 'The ETag of the post that you read. Returns 412 and changes nothing if the post has changed since.',
}

/** The header of a decision about what the caller has read. */
export const ifMatchRequired = {
  'If-Match':
    'Required: the ETag of the post that the approver saw. Returns 428 without it, and 412 if the post has changed since.',
}

/** The parts of a post's ETag. */
interface Versioned {
  version: number
  updated_at: Date
}

/** The ETag of a new post: its id is random, so no other history has a first version of it. */
export const FIRST_ETAG = '"1"'

/**
 * Returns the ETag of a post: its version, and when that was made. A database restored to an earlier state gives the same
 * number to another change, but not at the same time.
 */
export const toEtag = ({ version, updated_at }: Versioned): string =>
  version === FIRST_VERSION ? FIRST_ETAG : `"${version}-${updated_at.getTime().toString(36)}"`

/**
 * Returns whether If-Match allows the post: it is absent, `*`, or a list that names the post's version. A weak tag never
 * matches (RFC 9110, 13.1.1).
 */
export function matchesIfMatch(ifMatch: string | undefined, post: Versioned): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true
  const tags: string[] = ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.includes(toEtag(post))
}

/** Throws post_changed unless If-Match allows the post. */
export function checkIfMatch(ifMatch: string | undefined, post: Versioned): void {
  if (!matchesIfMatch(ifMatch, post)) throw new ApiError('post_changed')
}

/** Throws precondition_required unless If-Match names a version; `*` names any version. */
export function requireIfMatch(ifMatch: string | undefined): void {
  if (ifMatch === undefined || !/"[^"]*"/.test(ifMatch)) throw new ApiError('precondition_required')
}
