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

/** How long the browser waits for the person, and a challenge for its answer. */
export const CHALLENGE_MS = 5 * 60_000

// Loaded when the first passkey is used: it takes a while, and many servers have none.
const webauthn = () => import('@simplewebauthn/server')
const toBytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'))

/**
 * Gives the browser a challenge to sign: with one of these passkeys, or, where none is given, with one that the
 * person chooses.
 */
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

/** Gives the browser the options to make a passkey for the person. */
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
    // Found by the authenticator without a mail address, and counting as both factors.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return options as PasskeyCreationOptions
}

const toDescriptor = ({ credential_id: id, transports }: PasskeyRow) => ({ id, transports })

type NewCredential = Pick<PasskeyRow, 'credential_id' | 'public_key' | 'rp_id' | 'counter' | 'transports'>

/** The credential that a browser has made for the challenge. Throws passkey_refused. */
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
    if (!verified) throw new Error('the attestation does not hold')
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
 * No attestation was asked for: the chains and revocation lists of one that is sent all the same are never
 * followed.
 */
async function refuseCertificates({ response }: PasskeyAttestation): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(toBytes(response.attestationObject))
  const format = attestation.get('fmt')
  const signsItself = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined
  if (format !== 'none' && !signsItself) throw new Error(`an attestation of the format ${format} was not asked for`)
}

/** The passkey that an answer names, if it may be one of the person; of any person where none is known yet. */
export async function findAsserted(
  database: Queryable,
  { id, response }: PasskeyAssertion,
  personId: string | undefined,
): Promise<PasskeyRow | undefined> {
  const passkey = await findPasskey(database, id)
  if (passkey === undefined || (personId ?? passkey.person_id) !== passkey.person_id) return undefined
  const { userHandle } = response
  // Without a person who was named before, the authenticator has to name one.
  if (userHandle === undefined) return personId === undefined ? undefined : passkey
  return Buffer.from(userHandle, 'base64url').toString() === passkey.person_id ? passkey : undefined
}

/** Tells if the passkey signed the challenge, and notes its use. The person is locked. */
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
    // It throws for everything that is not as it should be: another origin, a counter that went back, broken CBOR.
  }).catch(() => undefined)
  if (!found?.verified) return false
  return await usePasskey(tx, passkey.passkey_id, { counter: found.authenticationInfo.newCounter, at })
}
