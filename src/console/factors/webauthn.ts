// This is imported when a passkey is used, so that no other page loads the library.
export { startAuthentication, startRegistration } from '@simplewebauthn/browser'
