import { randomBytes } from 'node:crypto'

/** A new random identifier: a prefix for its kind and 128 random bits. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('base64url')}`

/** A new secret of 256 bits, as 64 lowercase hex digits. */
export const newSecret = (): string => randomBytes(32).toString('hex')
