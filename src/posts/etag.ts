import { ApiError } from '../errors.js'

/** The header of every operation that changes a post. */
export const ifMatchHeader = {
  'If-Match': 'The ETag of the post as it was read: answers 412 and changes nothing when it has changed since.',
}

/** The header of a decision about what the caller has read. */
export const ifMatchRequired = {
  'If-Match':
    'Required: the ETag of the post as the approver saw it. Answers 428 without it, and 412 when the post has changed since.',
}

/** The ETag of a post: its version. */
export const toEtag = (version: number): string => `"${version}"`

/**
 * Throws post_changed unless If-Match lets the version through: absent, `*`, or a list that names it. A weak tag never
 * matches (RFC 9110, 13.1.1).
 */
export function checkIfMatch(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const tags: string[] = ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? []
  if (!tags.includes(toEtag(version))) throw new ApiError('post_changed')
}

/** Throws precondition_required unless If-Match names a version: `*` stands for any. */
export function requireIfMatch(ifMatch: string | undefined): void {
  if (ifMatch === undefined || !/"[^"]*"/.test(ifMatch)) throw new ApiError('precondition_required')
}
