import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '../../interface/generated/types.js'
import type { RelyingParty } from './relying-party.js'
import { findPasskey, type PasskeyRow, usePasskey } from './second-factors.store.js'

/** How long the browser waits for the person, and how long a challenge is valid. */
export const CHALLENGE_MS = 5 * 60_000

// Imported on first use: loading takes a while, and many servers have no passkeys.
const webauthn = () => import('@simplewebauthn/server')
const toBytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'))

/** Makes a challenge for one of these passkeys, or for any passkey that the person chooses if none are given. */
export async function makeRequestOptions(
  { id }: RelyingParty,
  challenge: string,
  passkeys: readonly PasskeyRow[],
): Promise<PasskeyRequestOptions> {
  const { generateAuthenticationOptions } = await webauthn()
  const options = await generateAuthenticationOptions({
    rpID: id,
    challenge: toBytes(challenge),
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials: passkeys.filter(({ rp_id }) => rp_id === id).map(toDescriptor),
  })
  return { allowCredentials: [], ...options } as PasskeyRequestOptions
}

/** Makes the options for creating a passkey. */
export async function makeCreationOptions(
  { id }: RelyingParty,
  challenge: string,
  person: { person_id: string; name: string; mail: string },
  passkeys: readonly PasskeyRow[],
): Promise<PasskeyCreationOptions> {
  const { generateRegistrationOptions } = await webauthn()
  const options = await generateRegistrationOptions({
    rpName: 'Greenroom',
    rpID: id,
    userID: new Uint8Array(Buffer.from(person.person_id)),
    userName: person.mail,
    userDisplayName: person.name,
    challenge: toBytes(challenge),
    timeout: CHALLENGE_MS,
    attestationType: 'none',
    excludeCredentials: passkeys.filter(({ rp_id }) => rp_id === id).map(toDescriptor),
    // The passkey must work without an email address and count as both factors.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return options as PasskeyCreationOptions
}

const toDescriptor = ({ credential_id: id, transports }: PasskeyRow) => ({ id, transports })

type NewCredential = Pick<PasskeyRow, 'credential_id' | 'public_key' | 'rp_id' | 'counter' | 'transports'>

/** Verifies and returns the credential that a browser created for the challenge. Throws passkey_refused. */
export async function readAttestation(
  response: PasskeyAttestation,
  { challenge, party }: { challenge: string; party: RelyingParty },
): Promise<NewCredential> {
  const { verifyRegistrationResponse } = await webauthn()
  try {
    await refuseCertificates(response)
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, clientExtensionResults: {} } as never,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    })
    if (!verified) throw new Error('the attestation is invalid')
    const { id, publicKey, counter } = registrationInfo.credential
    return {
      credential_id: id,
      public_key: Buffer.from(publicKey).toString('base64url'),
      rp_id: party.id,
      counter,
      transports: response.response.transports ?? [],
    }
  } catch (cause) {
    throw new ApiError('passkey_refused', { cause })
  }
}

/**
 * Refuses attestations with certificates, which we do not request, so that their chains and revocation lists are
 * never followed.
 */
async function refuseCertificates({ response }: PasskeyAttestation): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(toBytes(response.attestationObject))
  const format = attestation.get('fmt')
  const signsItself = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined
  if (format !== 'none' && !signsItself) throw new Error(`an attestation of the format ${format} was not asked for`)
}

/** Finds the passkey that an assertion names, if it belongs to the person; to any person if none is known yet. */
export async function findAsserted(
  database: Queryable,
  { id, response }: PasskeyAssertion,
  personId: string | undefined,
): Promise<PasskeyRow | undefined> {
  const passkey = await findPasskey(database, id)
  if (passkey === undefined || (personId ?? passkey.person_id) !== passkey.person_id) return undefined
  const { userHandle } = response
  // If no person is known yet, the authenticator must name one.
  if (userHandle === undefined) return personId === undefined ? undefined : passkey
  return Buffer.from(userHandle, 'base64url').toString() === passkey.person_id ? passkey : undefined
}

/** Verifies that the passkey signed the challenge, and records its use. The person must be locked. */
export async function takeAssertion(
  tx: Queryable,
  passkey: PasskeyRow,
  response: PasskeyAssertion,
  { challenge, party, at }: { challenge: string; party: RelyingParty; at: Date },
): Promise<boolean> {
  if (passkey.rp_id !== party.id) return false
  const { verifyAuthenticationResponse } = await webauthn()
  const found = await verifyAuthenticationResponse({
    response: { ...response, clientExtensionResults: {} } as never,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    credential: {
      id: passkey.credential_id,
      publicKey: toBytes(passkey.public_key),
      counter: passkey.counter,
    },
    // It throws for anything unexpected: another origin, a counter that went back, broken CBOR.
  }).catch(() => undefined)
  if (!found?.verified) return false
  return await usePasskey(tx, passkey.passkey_id, { counter: found.authenticationInfo.newCounter, at })
}
