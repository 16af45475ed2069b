import { common } from '../words.ts'

const { number } = common

export const words = {
  stepTitle: 'One more step',
  stepSubmit: 'Continue',
  signOut: 'Sign out',
  stepImpossible:
    'This browser cannot use your passkeys. Use another browser, or ask an owner of this server for help.',
  ways: {
    passkey: 'Use a passkey',
    totp: 'Use a code from your app',
    'recovery-code': 'Use a recovery code',
  },
  passkeyLead: 'Your browser asks for your fingerprint, face, PIN or security key.',
  code: 'Code from your authenticator app',
  codeHint: 'Six digits.',
  recoveryCode: 'Recovery code',
  recoveryCodeHint: 'One of those that you kept when you set up your second factor. Each works once.',
  passkeyKnown: 'This device already has a passkey for your account.',
  passkeyFailed: (name: string): string =>
    name === 'NotAllowedError' || name === 'AbortError'
      ? 'The passkey was not used. Try again, or choose another way.'
      : 'This browser could not use a passkey for this address. Choose another way.',

  confirmTitle: 'Confirm that it is you',
  confirmLead: 'You signed in a while ago, and this change needs a new confirmation.',
  confirmSignIn: 'To make this change, sign out and sign in again. Nothing has been changed so far.',
  confirmBy: { passkey: 'Use a passkey', totp: 'Confirm', password: 'Confirm' },
  confirmWays: { passkey: 'Use a passkey', totp: 'Use a code from your app', password: 'Use your password' },

  toFactors: 'Go to your second factor',
  title: 'Second factor',
  lead: 'With a second factor, your password alone lets no one in.',
  passkeys: 'Passkeys',
  addPasskey: 'Add a passkey',
  passkeyName: 'Name',
  passkeyNameHint: 'You recognize it in this list by its name, such as “Laptop” or “Key ring”.',
  noPasskey: 'You have none. A passkey is kept by your device, password manager or security key.',
  noPasskeysHere:
    'Passkeys work only where the address of this page begins with https and has a name, such as example.com.',
  added: (day: string): string => `added ${day}`,
  lastUsed: (time: string | undefined): string => (time === undefined ? 'never used' : `last used ${time}`),
  passkeyAdded: 'The passkey is added. You are signed out on your other devices.',
  remove: 'Remove',
  removePasskey: (name: string): string => `Remove the passkey ${name}?`,
  removeText: 'It no longer lets you in.',
  removeLast: 'This is your only second factor: your recovery codes are removed with it.',
  removed: 'Removed.',
  totp: 'Authenticator app',
  noTotp: 'You have none. An app on your phone shows a new code every 30 seconds.',
  setUpTotp: 'Set up an app',
  setUpSince: (day: string): string => `set up ${day}`,
  removeTotp: 'Remove the authenticator app?',
  scan: 'Scan this picture with the app, or type the secret into it.',
  qr: 'QR code for the authenticator app',
  secret: 'Secret',
  totpAdded: 'The authenticator app is set up. You are signed out on your other devices.',
  finish: 'Finish',
  recovery: 'Recovery codes',
  recoveryLead: 'Use one if you have lost the device of your second factor.',
  codesLeft: (many: number): string => (many === 0 ? 'None left.' : `${number(many)} left.`),
  newCodes: 'Create new codes',
  newCodesTitle: 'Create new recovery codes?',
  newCodesText: 'The current ones stop working.',
  codesMade: 'You have new recovery codes.',
  codesTitle: 'Keep your recovery codes',
  codesReady: 'Each lets you in once when you have lost your second factor. They are shown only once.',
  downloadCodes: 'Download',
  codesFile: 'greenroom-recovery-codes.txt',
  codesHead: 'Recovery codes of Greenroom, each to be used once',

  requiredTitle: 'This organization asks for a second factor',
  required: (organization: string): string =>
    `${organization} admits only people who have signed in with a second factor, such as a passkey or an authenticator app. It takes a minute to set up.`,
  requiredAgain: (organization: string): string =>
    `${organization} admits only people who have signed in with their second factor. Sign out, and sign in with yours.`,
}
