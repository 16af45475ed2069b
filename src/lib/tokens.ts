import { createHash, randomBytes, randomInt } from 'node:crypto'

/** Returns a new random token of 256 bits, for a cookie or the fragment of a link. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** Returns the stored form of a token. The token is random, so a plain digest is enough. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

export const newSalt = (): Buffer => randomBytes(16)

/** Consonants only, so that the code never spells a word (RFC 8628, 6.1). */
const USER_CODE_SIGNS = 'BCDFGHJKLMNPQRSTVWXZ'

/** Returns a new random code of 34 bits for people to type: two groups of four letters. */
export const newUserCode = (): string =>
  Array.from({ length: 8 }, () => USER_CODE_SIGNS[randomInt(USER_CODE_SIGNS.length)])
    .join('')
    .replace(/.{4}/, '$&-')

/** Without letters that look like digits. */
const CODE_SIGNS = 'abcdefghjkmnpqrstuvwxyz23456789'
const CODE_GROUPS = 4
const GROUP_SIGNS = 4

/** Returns a new random code of 79 bits for people to type: four groups of four characters. */
export function newRecoveryCode(): string {
  const group = (): string =>
    Array.from({ length: GROUP_SIGNS }, () => CODE_SIGNS[randomInt(CODE_SIGNS.length)]).join('')
  return Array.from({ length: CODE_GROUPS }, group).join('-')
}
