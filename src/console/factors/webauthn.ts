// It is imported when a passkey is used, so that no other page loads it.
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '../../interface/generated/types.ts'

let waiting: AbortController | undefined

/** A browser asks for one passkey at a time: the one that it asked for before is given up. */
function nextSignal(): AbortSignal {
  waiting?.abort()
  waiting = new AbortController()
  return waiting.signal
}

/** Asks for a signature. An empty list of passkeys stands for any of this address. */
export async function signWithPasskey(options: PasskeyRequestOptions): Promise<PasskeyAssertion> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
  const credential = await navigator.credentials.get({ publicKey, signal: nextSignal() })
  return (credential as PublicKeyCredential).toJSON() as PasskeyAssertion
}

export async function createPasskey(options: PasskeyCreationOptions): Promise<PasskeyAttestation> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
  const credential = await navigator.credentials.create({ publicKey, signal: nextSignal() })
  return (credential as PublicKeyCredential).toJSON() as PasskeyAttestation
}
