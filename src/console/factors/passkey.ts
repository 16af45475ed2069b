import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreation,
  PasskeyRequest,
} from '../../interface/generated/types.ts'
import { factors as words } from '../words.ts'

/** Browsers use passkeys over https and on localhost, and never where the address is an IP address. */
export const knowsPasskeys =
  typeof PublicKeyCredential === 'function' &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  !/^[\d.]+$|^\[/.test(location.hostname)

/** Asks the browser for a signature by a passkey, of what the service sends. */
export async function askForPasskey(request: Promise<PasskeyRequest>): Promise<PasskeyAssertion> {
  const [{ options }, { signWithPasskey }] = await Promise.all([request, import('./webauthn.ts')])
  return await signWithPasskey(options).catch(explain)
}

/** Lets the browser make a passkey. */
export async function makePasskey(request: Promise<PasskeyCreation>): Promise<PasskeyAttestation> {
  const [{ options }, { createPasskey }] = await Promise.all([request, import('./webauthn.ts')])
  return await createPasskey(options).catch(explain)
}

/** The browser's own texts name the specification, and are in its language. */
function explain(error: unknown): never {
  const name = error instanceof Error ? error.name : ''
  if (name === 'InvalidStateError') throw new Error(words.passkeyKnown)
  throw new Error(name === 'NotAllowedError' || name === 'AbortError' ? words.passkeyUnused : words.passkeyFailed)
}
