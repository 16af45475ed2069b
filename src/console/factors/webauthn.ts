// This is imported when a passkey is used, so that no other page loads it.
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyDescriptor,
  PasskeyRequestOptions,
} from '../../interface/second-factors.ts'

/** Bytes travel as base64url (WebAuthn, section 5.1.8). */
const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))

const toText = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const toDescriptor = ({ id, ...descriptor }: PasskeyDescriptor): PublicKeyCredentialDescriptor => ({
  ...(descriptor as Omit<PublicKeyCredentialDescriptor, 'id'>),
  id: toBytes(id),
})

let waiting: AbortController | undefined

/** A browser asks for one passkey at a time: the one that it asked for before is given up. */
function nextSignal(): AbortSignal {
  waiting?.abort()
  waiting = new AbortController()
  return waiting.signal
}

/** Asks for a signature. An empty list of passkeys is left out: any of this address will do. */
export async function signWithPasskey(options: PasskeyRequestOptions): Promise<PasskeyAssertion> {
  const { challenge, allowCredentials, ...rest } = options
  const allowed = allowCredentials.length === 0 ? {} : { allowCredentials: allowCredentials.map(toDescriptor) }
  const publicKey = { ...rest, ...allowed, challenge: toBytes(challenge) }
  const credential = (await navigator.credentials.get({ publicKey, signal: nextSignal() })) as PublicKeyCredential
  const { clientDataJSON, authenticatorData, signature, userHandle } =
    credential.response as AuthenticatorAssertionResponse
  return {
    ...toAnswer(credential),
    response: {
      clientDataJSON: toText(clientDataJSON),
      authenticatorData: toText(authenticatorData),
      signature: toText(signature),
      ...(userHandle === null ? {} : { userHandle: toText(userHandle) }),
    },
  }
}

export async function createPasskey(options: PasskeyCreationOptions): Promise<PasskeyAttestation> {
  const { challenge, user, excludeCredentials, ...rest } = options
  const publicKey = {
    ...rest,
    challenge: toBytes(challenge),
    user: { ...user, id: toBytes(user.id) },
    excludeCredentials: excludeCredentials.map(toDescriptor),
  }
  const credential = (await navigator.credentials.create({ publicKey, signal: nextSignal() })) as PublicKeyCredential
  const response = credential.response as AuthenticatorAttestationResponse
  return {
    ...toAnswer(credential),
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      attestationObject: toText(response.attestationObject),
      transports: response.getTransports(),
    },
  }
}

const toAnswer = ({ id, rawId }: PublicKeyCredential) => ({ id, rawId: toText(rawId), type: 'public-key' as const })
