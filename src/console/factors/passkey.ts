import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreation,
  PasskeyRequest,
} from '../../interface/generated/types.ts'
import { factors as words } from '../words.ts'

/** Browsers support passkeys over https and on localhost, but never for an IP address. */
export const knowsPasskeys =
  typeof PublicKeyCredential === 'function' &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  !/^[\d.]+$|^\[/.test(location.hostname)

/** Asks the browser to sign the service's challenge with a passkey. */
export async function askForPasskey(request: Promise<PasskeyRequest>): Promise<PasskeyAssertion> {
  const [{ options }, { signWithPasskey }] = await Promise.all([request, import('./webauthn.ts')])
  return await signWithPasskey(options).catch(explain)
}

/** Asks the browser to create a passkey. */
export async function makePasskey(request: Promise<PasskeyCreation>): Promise<PasskeyAttestation> {
  const [{ options }, { createPasskey }] = await Promise.all([request, import('./webauthn.ts')])
  return await createPasskey(options).catch(explain)
}

/** Replaces the browser's texts, which cite the specification and use the browser's language. */
function explain(error: unknown): never {
  const name = error instanceof Error ? error.name : ''
  if (name === 'InvalidStateError') throw new Error(words.passkeyKnown)
  throw new Error(name === 'NotAllowedError' || name === 'AbortError' ? words.passkeyUnused : words.passkeyFailed)
}
