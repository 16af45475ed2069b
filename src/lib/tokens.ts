import { createHash, randomBytes, randomInt } from 'node:crypto'

/** A new random token of 256 bits, which stands in a cookie or in the fragment of a link. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** Gives the stored form of a token. The token is random, so that a plain digest is enough. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

export const newSalt = (): Buffer => randomBytes(16)

/** Consonants only, so that no word comes out of it (RFC 8628, 6.1). */
const USER_CODE_SIGNS = 'BCDFGHJKLMNPQRSTVWXZ'

/** A new random code of 34 bits that a person types: two groups of four letters. */
export const newUserCode = (): string =>
  Array.from({ length: 8 }, () => USER_CODE_SIGNS[randomInt(USER_CODE_SIGNS.length)])
    .join('')
    .replace(/.{4}/, '$&-')

/** Without letters that look like a digit. */
const CODE_SIGNS = 'abcdefghjkmnpqrstuvwxyz23456789'
const CODE_GROUPS = 4
const GROUP_SIGNS = 4

/** A new random code of 79 bits that a person types: four groups of four signs. */
export function newRecoveryCode(): string {
  const group = (): string =>
    Array.from({ length: GROUP_SIGNS }, () => CODE_SIGNS[randomInt(CODE_SIGNS.length)]).join('')
  return Array.from({ length: CODE_GROUPS }, group).join('-')
}
