import type { NewPasskey, PasskeyProof, PasswordProof, RecoveryCode, TotpCode } from '../../interface/second-factors.ts'
import { call, type Options } from '../api.ts'

// These calls are the only ones of a session that has passed the first factor alone.

export const getSecondFactorChoice = (options?: Options) => call('getSecondFactor', {}, options)
export const passByTotp = (body: TotpCode) => call('passTotp', { body })
export const passByRecoveryCode = (body: RecoveryCode) => call('passRecoveryCode', { body })
export const beginPasskeyStep = () => call('beginPassPasskey', {})
export const finishPasskeyStep = (body: PasskeyProof) => call('finishPassPasskey', { body })

// These calls are about one's own second factors.

export const getSecondFactors = (options?: Options) => call('getOwnSecondFactors', {}, options)
export const beginTotp = () => call('beginOwnTotp', {})
export const finishTotp = (body: TotpCode) => call('finishOwnTotp', { body })
export const removeTotp = (): Promise<unknown> => call('removeOwnTotp', {})
export const beginPasskey = () => call('beginOwnPasskey', {})
export const finishPasskey = (body: NewPasskey) => call('finishOwnPasskey', { body })
export const removePasskey = (passkeyId: string): Promise<unknown> => call('removeOwnPasskey', { passkeyId })
export const makeRecoveryCodes = () => call('replaceOwnRecoveryCodes', {})

// Step-up: the person proves themselves again before a call that the service names `confirmation_needed`.

export const getConfirmationChoice = (options?: Options) => call('getConfirmation', {}, options)
export const confirmByPassword = (body: PasswordProof) => call('confirmByPassword', { body })
export const confirmByTotp = (body: TotpCode) => call('confirmByTotp', { body })
export const beginPasskeyConfirmation = () => call('beginConfirmByPasskey', {})
export const finishPasskeyConfirmation = (body: PasskeyProof) => call('finishConfirmByPasskey', { body })
