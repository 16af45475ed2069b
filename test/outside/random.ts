import { randomBytes } from 'node:crypto'

/** Random letters and digits. */
export const randomToken = (length: number): string =>
  randomBytes(length * 2)
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .padEnd(length, '0')
    .slice(0, length)
