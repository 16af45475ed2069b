import { createHash, randomBytes } from 'node:crypto'

/** A new random token of 256 bits, which stands in a cookie or in the fragment of a link. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** What is stored of a token. The token is random, so that a plain digest is enough. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

export const newSalt = (): Buffer => randomBytes(16)
