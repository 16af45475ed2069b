import { HOTP, Secret, TOTP } from 'otpauth'

/** Every authenticator app supports these: RFC 6238 with SHA-1, six digits, 30 seconds. */
const DIGITS = 6
const PERIOD_SECONDS = 30
const ALGORITHM = 'SHA1'
/** A clock may be one step off in either direction. */
const STEPS_OFF = 1
/** The size of the hash: RFC 4226, section 4. */
const SECRET_BYTES = 20

/** Returns a new random secret, in base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

/** Returns the address that an authenticator app reads from a QR code. */
export const totpUri = (secret: string, { issuer, label }: { issuer: string; label: string }): string =>
  new TOTP({
    issuer,
    label,
    algorithm: ALGORITHM,
    digits: DIGITS,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  }).toString()

/** Returns the step, close to the current one, that the code belongs to; undefined for a wrong code. */
export function findTotpStep(secret: string, code: string, nowMs: number): number | undefined {
  const present = Math.floor(nowMs / 1000 / PERIOD_SECONDS)
  const delta = HOTP.validate({
    token: code,
    secret: Secret.fromBase32(secret),
    algorithm: ALGORITHM,
    digits: DIGITS,
    counter: present,
    window: STEPS_OFF,
  })
  return delta === null ? undefined : present + delta
}
