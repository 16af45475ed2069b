import { createHmac, timingSafeEqual } from 'node:crypto'

/** The encoding of a signature: `hex` for Meta, whose header begins with `sha256=`; `base64` for the shops. */
type Encoding = 'hex' | 'base64'

/** Returns whether a signature is the HMAC-SHA256 of these bytes under one of the secrets, in constant time. */
export function isSigned(
  bytes: Buffer,
  signature: string | undefined,
  secrets: readonly string[],
  encoding: Encoding,
): boolean {
  const text = signature ?? ''
  const given = Buffer.from(encoding === 'hex' ? text.replace(/^sha256=/, '') : text, encoding)
  let isOne = false
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(bytes).digest()
    if (given.length === expected.length && timingSafeEqual(given, expected)) isOne = true
  }
  return isOne
}

/** Reads Meta's `signed_request`: `<signature>.<payload>` in base64url. Undefined unless one of the secrets signed it. */
export function readSignedRequest(signedRequest: string, secrets: readonly string[]): Buffer | undefined {
  const [signature = '', payload = '', ...more] = signedRequest.split('.')
  // A signed webhook is not a payload: decoding would skip characters that are not base64.
  const isSound =
    more.length === 0 &&
    /^[\w-]+=?=?$/.test(payload) &&
    isSigned(Buffer.from(payload), Buffer.from(signature, 'base64url').toString('base64'), secrets, 'base64')
  return isSound ? Buffer.from(payload, 'base64url') : undefined
}

/** Compares a string with a secret one in constant time. */
export function isSameText(given: string, secret: string): boolean {
  const mac = (text: string): Buffer => createHmac('sha256', 'compare').update(text).digest()
  return timingSafeEqual(mac(given), mac(secret))
}
