import type { Me } from '../../interface/people.ts'
import type {
  AddedPasskey,
  AddedTotp,
  Confirmation,
  ConfirmationChoice,
  NewPasskey,
  OwnSecondFactors,
  PasskeyCreation,
  PasskeyProof,
  PasskeyRequest,
  PasswordProof,
  RecoveryCode,
  RecoveryCodes,
  SecondFactorChoice,
  TotpCode,
  TotpSetup,
} from '../../interface/second-factors.ts'
import { bodyOf, type Options, send } from '../api.ts'

// These calls are the only ones of a session that has passed the first factor alone.

export const getSecondFactorChoice = (options?: Options): Promise<SecondFactorChoice> =>
  send<SecondFactorChoice>('GET', '/second-factor', options).then(bodyOf)
export const passByTotp = (body: TotpCode): Promise<Me> =>
  send<Me>('POST', '/second-factor/totp', { body }).then(bodyOf)
export const passByRecoveryCode = (body: RecoveryCode): Promise<Me> =>
  send<Me>('POST', '/second-factor/recovery-code', { body }).then(bodyOf)
export const beginPasskeyStep = (): Promise<PasskeyRequest> =>
  send<PasskeyRequest>('POST', '/second-factor/passkey/begin').then(bodyOf)
export const finishPasskeyStep = (body: PasskeyProof): Promise<Me> =>
  send<Me>('POST', '/second-factor/passkey/finish', { body }).then(bodyOf)

// These calls are about one's own second factors.

const FACTORS = '/me/second-factors'
export const getSecondFactors = (options?: Options): Promise<OwnSecondFactors> =>
  send<OwnSecondFactors>('GET', FACTORS, options).then(bodyOf)
export const beginTotp = (): Promise<TotpSetup> => send<TotpSetup>('POST', `${FACTORS}/totp/begin`).then(bodyOf)
export const finishTotp = (body: TotpCode): Promise<AddedTotp> =>
  send<AddedTotp>('POST', `${FACTORS}/totp/finish`, { body }).then(bodyOf)
export const removeTotp = (): Promise<unknown> => send('DELETE', `${FACTORS}/totp`)
export const beginPasskey = (): Promise<PasskeyCreation> =>
  send<PasskeyCreation>('POST', `${FACTORS}/passkeys/begin`).then(bodyOf)
export const finishPasskey = (body: NewPasskey): Promise<AddedPasskey> =>
  send<AddedPasskey>('POST', `${FACTORS}/passkeys/finish`, { body }).then(bodyOf)
export const removePasskey = (id: string): Promise<unknown> =>
  send('DELETE', `${FACTORS}/passkeys/${encodeURIComponent(id)}`)
export const makeRecoveryCodes = (): Promise<RecoveryCodes> =>
  send<RecoveryCodes>('POST', `${FACTORS}/recovery-codes`).then(bodyOf)

// Step-up: the person proves themselves again before a call that the service names `confirmation_needed`.

export const getConfirmationChoice = (options?: Options): Promise<ConfirmationChoice> =>
  send<ConfirmationChoice>('GET', '/me/confirmation', options).then(bodyOf)
export const confirmByPassword = (body: PasswordProof): Promise<Confirmation> =>
  send<Confirmation>('POST', '/me/confirmation/password', { body }).then(bodyOf)
export const confirmByTotp = (body: TotpCode): Promise<Confirmation> =>
  send<Confirmation>('POST', '/me/confirmation/totp', { body }).then(bodyOf)
export const beginPasskeyConfirmation = (): Promise<PasskeyRequest> =>
  send<PasskeyRequest>('POST', '/me/confirmation/passkey/begin').then(bodyOf)
export const finishPasskeyConfirmation = (body: PasskeyProof): Promise<Confirmation> =>
  send<Confirmation>('POST', '/me/confirmation/passkey/finish', { body }).then(bodyOf)
