// Its own file of the build: the library is loaded when a passkey is used for the first time.
export { startAuthentication, startRegistration } from '@simplewebauthn/browser'
