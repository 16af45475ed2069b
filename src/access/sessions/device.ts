import type { IncomingHttpHeaders } from 'node:http'
import type { Context, PasswordCaller } from '../../http/context.js'
import type { Call } from '../../http/operation.js'
import type { KnownDevice, ServerPrincipal } from '../../http/principal.js'
import { newId } from '../../lib/ids.js'
import type { Sealer } from '../../lib/seal.js'
import { hashToken } from '../../lib/tokens.js'
import { foldMail } from '../people/mail-address.js'
import { SealedCookie } from './cookie.js'
import type { BegunHalfSession, BegunSession } from './session.js'

/** A browser stays known for 180 days after its last sign-in. The cookie is not a credential. */
const DEVICE = new SealedCookie<KnownDevice>('__Host-greenroom-device', 'known device', 180 * 86_400_000)

/**
 * Returns the identifier of an account for counting places and devices. It is a digest, so that neither memory nor
 * cookies contain email addresses.
 */
export const accountOf = (mail: string): string => hashToken(foldMail(mail))

/** Returns the known device that sends these headers; undefined for any other browser. */
export function findDevice(sealer: Sealer, headers: IncomingHttpHeaders, now: number): KnownDevice | undefined {
  const device = DEVICE.read(sealer, headers, now)
  return device && { id: device.id, account: device.account }
}

/**
 * Returns the headers of a response that begins a session: the session's own, and the cookie that makes the browser
 * known. A half session does not make a browser known.
 */
export function signedInHeaders(
  begun: BegunSession | BegunHalfSession,
  given: IncomingHttpHeaders,
  { sealer, clock }: Pick<Context, 'sealer' | 'clock'>,
): Record<string, string | string[]> {
  const { headers } = begun
  if ('needs' in begun) return headers
  const now = clock.now()
  const account = accountOf(begun.person.mail)
  const known = findDevice(sealer, given, now)
  const id = known?.account === account ? known.id : newId('device')
  return { ...headers, 'set-cookie': [headers['set-cookie']!, DEVICE.write(sealer, { id, account }, now)] }
}

/**
 * Returns the caller of a password computation for this email address. A device that is known for another account is a
 * stranger to this one: throws too_many_failures while its address must wait.
 */
export function passwordCaller(
  mail: string,
  {
    principal,
    caller: { ip: address },
  }: Pick<Call<unknown, unknown, unknown, ServerPrincipal>, 'principal' | 'caller'>,
  { failedAttempts }: Pick<Context, 'failedAttempts'>,
): PasswordCaller {
  const account = accountOf(mail)
  const { device, sessionId } = principal
  if (device !== undefined && device.account !== account) failedAttempts.check(address)
  return { address, account, isKnown: sessionId !== undefined || device?.account === account }
}
