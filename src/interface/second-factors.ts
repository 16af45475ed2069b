/** A way to pass the second factor. A recovery code stands in for a factor that was lost, once. */
export type SecondFactorMethod = 'passkey' | 'totp' | 'recovery-code'

/** The answer of a sign-in, in place of Me, when the person still has to pass a second factor. */
export interface SecondFactorNeeded {
  secondFactor: SecondFactorChoice
}

/** The methods that the person of a half session has. */
export interface SecondFactorChoice {
  methods: SecondFactorMethod[]
}

/** Six digits of an authenticator app. */
export interface TotpCode {
  code: string
}

/** One of the ten codes that were shown once; upper and lower case, spaces and hyphens count as the same. */
export interface RecoveryCode {
  code: string
}

/** A reference to a credential, as WebAuthn writes it in JSON; ids are base64url. */
export interface PasskeyDescriptor {
  id: string
  type: 'public-key'
  transports?: string[]
}

/** PublicKeyCredentialRequestOptionsJSON of WebAuthn. */
export interface PasskeyRequestOptions {
  challenge: string
  rpId: string
  timeout: number
  userVerification: 'required' | 'preferred' | 'discouraged'
  allowCredentials: PasskeyDescriptor[]
}

/** PublicKeyCredentialCreationOptionsJSON of WebAuthn. */
export interface PasskeyCreationOptions {
  challenge: string
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  pubKeyCredParams: { type: 'public-key'; alg: number }[]
  timeout: number
  attestation: 'none'
  excludeCredentials: PasskeyDescriptor[]
  authenticatorSelection: {
    residentKey: 'required' | 'preferred' | 'discouraged'
    requireResidentKey: boolean
    userVerification: 'required' | 'preferred' | 'discouraged'
  }
}

export interface PasskeyRequest {
  options: PasskeyRequestOptions
}

export interface PasskeyCreation {
  options: PasskeyCreationOptions
}

interface PasskeyAnswer {
  id: string
  rawId: string
  type: 'public-key'
}

/** AuthenticationResponseJSON of WebAuthn; further fields are ignored. */
export interface PasskeyAssertion extends PasskeyAnswer {
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string }
}

/** RegistrationResponseJSON of WebAuthn; further fields are ignored. */
export interface PasskeyAttestation extends PasskeyAnswer {
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] }
}

export interface PasskeyProof {
  response: PasskeyAssertion
}

export interface NewPasskey {
  /** For the person: "Laptop", "Key on the ring". */
  name: string
  response: PasskeyAttestation
}

export interface Passkey {
  id: string
  name: string
  createdAt: string
  /** Absent while it was never used. */
  lastUsedAt?: string
}

/** The second factors of the person who asks. */
export interface OwnSecondFactors {
  passkeys: Passkey[]
  /** Null without an authenticator app. */
  totp: { createdAt: string } | null
  recoveryCodesLeft: number
}

/** An authenticator app is set up with this. Nothing counts before it is finished with a code. */
export interface TotpSetup {
  /** Base32. */
  secret: string
  /** `otpauth://…`, to be shown as a QR code. */
  uri: string
}

export interface RecoveryCodes {
  recoveryCodes: string[]
}

/** `recoveryCodes`: shown once, when this is the person's first factor. */
export type AddedTotp = Partial<RecoveryCodes>

export interface AddedPasskey extends Partial<RecoveryCodes> {
  passkey: Passkey
}

/** A way to confirm a session; `sign-in`: the person has no other way than to sign in again. */
export type ConfirmationMethod = 'passkey' | 'totp' | 'password' | 'sign-in'

export interface ConfirmationChoice {
  methods: ConfirmationMethod[]
}

export interface PasswordProof {
  password: string
}

export interface Confirmation {
  /** When the person last proved themselves in this session. */
  confirmedAt: string
}

/** The answer of `DELETE /api/server/people/{personId}/second-factors`: how many passkeys and authenticator apps went. */
export interface SecondFactorReset {
  removed: number
}
