import { createHmac } from 'node:crypto'

/** Returns the signature of interface 5: HMAC-SHA256 of the x-date string under the secret, in lowercase hex. */
export function signDate(secret: string, date: string): string {
  return createHmac('sha256', secret).update(date).digest('hex')
}
