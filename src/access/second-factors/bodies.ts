import Joi from 'joi'
import { named, namedObject } from '../../http/named.js'
import { unrepeated } from '../../http/params.js'

const CODE_CHARS_MAX = 40
const WEBAUTHN_CHARS_MAX = 16_384
const TRANSPORTS_MAX = 10

/** A code of an authenticator app, or a recovery code. */
export const codeBody = namedObject('TotpCode', {
  code: unrepeated(Joi.string().max(CODE_CHARS_MAX)).required(),
})

const base64url = Joi.string()
  .max(WEBAUTHN_CHARS_MAX)
  .pattern(/^[\w-]+$/, 'base64url')

const credential = {
  id: base64url.required(),
  rawId: base64url.required(),
  type: Joi.string().valid('public-key').required(),
}

// Unknown fields are accepted, because browsers add some.

const assertionSchema = named(
  'PasskeyAssertion',
  Joi.object({
    ...credential,
    response: Joi.object({
      clientDataJSON: base64url.required(),
      authenticatorData: base64url.required(),
      signature: base64url.required(),
      userHandle: base64url,
    })
      .unknown()
      .required(),
  }).unknown(),
)

const attestationSchema = named(
  'PasskeyAttestation',
  Joi.object({
    ...credential,
    response: Joi.object({
      clientDataJSON: base64url.required(),
      attestationObject: base64url.required(),
      transports: Joi.array().items(Joi.string().max(CODE_CHARS_MAX)).max(TRANSPORTS_MAX),
    })
      .unknown()
      .required(),
  }).unknown(),
)

export const proofBody = namedObject('PasskeyProof', {
  response: assertionSchema.required().description('AuthenticationResponseJSON from WebAuthn.'),
})

export const newPasskeyBody = namedObject('NewPasskey', {
  name: Joi.string().trim().min(1).max(100).required().description('A name for the person, such as "Laptop".'),
  response: attestationSchema.required().description('RegistrationResponseJSON from WebAuthn.'),
})

const text = Joi.string().allow('').required()
const requirement = Joi.string().valid('required', 'preferred', 'discouraged').required()
const descriptors = Joi.array()
  .items(Joi.object({ id: text, type: credential.type, transports: Joi.array().items(Joi.string()) }))
  .required()

export const requestBody = namedObject('PasskeyRequest', {
  options: named(
    'PasskeyRequestOptions',
    Joi.object({
      challenge: text,
      rpId: text,
      timeout: Joi.number().required(),
      userVerification: requirement,
      allowCredentials: descriptors,
    }).unknown(),
  )
    .required()
    .description('PublicKeyCredentialRequestOptionsJSON for WebAuthn.'),
})

export const creationBody = namedObject('PasskeyCreation', {
  options: named(
    'PasskeyCreationOptions',
    Joi.object({
      challenge: text,
      rp: Joi.object({ id: text, name: text }).required(),
      user: Joi.object({ id: text, name: text, displayName: text }).required(),
      pubKeyCredParams: Joi.array()
        .items(Joi.object({ type: credential.type, alg: Joi.number().integer().required() }))
        .required(),
      timeout: Joi.number().required(),
      attestation: Joi.string().valid('none').required(),
      excludeCredentials: descriptors,
      authenticatorSelection: Joi.object({
        residentKey: requirement,
        requireResidentKey: Joi.boolean().required(),
        userVerification: requirement,
      })
        .unknown()
        .required(),
    }).unknown(),
  )
    .required()
    .description('PublicKeyCredentialCreationOptionsJSON for WebAuthn.'),
})

export const confirmationBody = namedObject('Confirmation', {
  confirmedAt: Joi.string().isoDate().required(),
})

export const recoveryCodesSchema = Joi.array()
  .items(Joi.string())
  .description('Each code works once as a second factor. Only this response contains them.')
