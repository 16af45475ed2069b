import type { ClientAuth, ServerMetadata } from 'openid-client'
import type { OidcConfig } from '../../config/oidc.js'

type Client = typeof import('openid-client')

/** The client secret is shown to the provider in the body of the request, or in its Authorization header. */
export type SecretPlace = 'post' | 'basic'

const OFFERED_AS: Readonly<Record<SecretPlace, string>> = { post: 'client_secret_post', basic: 'client_secret_basic' }

/**
 * The places to try, in this order. A provider lists what it can do, not what it has been told of this client, so
 * that there may be two. In the body comes first: many providers do not undo the percent-encoding that the header
 * takes.
 */
export function secretPlaces(
  { clientAuthentication }: Pick<OidcConfig, 'clientAuthentication'>,
  { token_endpoint_auth_methods_supported: offered }: Pick<ServerMetadata, 'token_endpoint_auth_methods_supported'>,
): SecretPlace[] {
  if (clientAuthentication !== 'auto') return [clientAuthentication]
  // A provider that lists nothing takes the header (OpenID Connect Discovery 1.0, 3).
  const places = (['post', 'basic'] as const).filter((place) =>
    (offered ?? [OFFERED_AS.basic]).includes(OFFERED_AS[place]),
  )
  return places.length > 0 ? places : ['basic']
}

export const showSecret = (client: Client, place: SecretPlace, clientSecret: string): ClientAuth =>
  place === 'post' ? client.ClientSecretPost(clientSecret) : showInHeader(clientSecret)

/**
 * Encodes as a form does (RFC 6749, 2.3.1), which leaves `-`, `.` and `_` as they are: a secret of those, letters
 * and digits is right for a provider that undoes the encoding and for one that does not. openid-client encodes them
 * too.
 */
const showInHeader =
  (clientSecret: string): ClientAuth =>
  (_server, { client_id: clientId }, _body, headers) => {
    const credentials = [clientId, clientSecret].map((text) => new URLSearchParams([['', text]]).toString().slice(1))
    headers.set('authorization', `Basic ${Buffer.from(credentials.join(':')).toString('base64')}`)
  }

/** Tells if the provider has refused the client itself, before it looked at the code. */
export function isClientRefused(client: Client, error: unknown): boolean {
  if (error instanceof client.WWWAuthenticateChallengeError) return true
  return error instanceof client.ResponseBodyError && ['invalid_client', 'unauthorized_client'].includes(error.error)
}
