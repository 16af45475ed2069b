// Imported when a passkey is used, so that other pages do not load it.
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '../../interface/generated/types.ts'

let waiting: AbortController | undefined

/** Browsers allow one passkey request at a time, so this aborts the previous one. */
function nextSignal(): AbortSignal {
  waiting?.abort()
  waiting = new AbortController()
  return waiting.signal
}

/** Asks for a signature. An empty list of passkeys allows any for this address. */
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
