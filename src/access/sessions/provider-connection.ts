import type { AuthorizationCodeGrantChecks, ClientAuth, Configuration, ServerMetadata } from 'openid-client'
import type { OidcConfig } from '../../config/oidc.js'
import type { Clock } from '../../lib/clock.js'
import { shared } from '../../lib/shared.js'
import { boundedFetch } from './bounded-fetch.js'

type Client = typeof import('openid-client')

const TIMEOUT_SECONDS = 10
/** How long the provider's own description of itself is kept. */
const KEPT_MS = 5 * 60_000

interface Connection {
  client: Client
  server: ServerMetadata
  places: SecretPlace[]
  configuration: Configuration
}

/** The calls of the provider. Nothing is asked before the first sign-in. */
export function connectProvider(config: OidcConfig, clock: Clock, onUnavailable: (error: unknown) => Error) {
  const { issuer, clientId, clientSecret } = config
  const isPlain = issuer.startsWith('http:')

  const discover = shared(
    async () => {
      const client = await import('openid-client')
      const execute = isPlain ? [client.allowInsecureRequests] : []
      const options = { timeout: TIMEOUT_SECONDS, execute, [client.customFetch]: boundedFetch }
      const found = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, options)
      return { client, server: found.serverMetadata() }
    },
    () => clock.now(),
    KEPT_MS,
  )

  /** The place in which the provider last accepted the secret. */
  let taken: SecretPlace | undefined

  /**
   * Makes a configuration of its own for each use: it reads the provider's signing keys again, which may have changed.
   * Throws the error of `onUnavailable` while the provider cannot be asked for its description.
   */
  async function connect(): Promise<Connection> {
    const { client, server } = await discover().catch((error: unknown) => {
      throw onUnavailable(error)
    })
    const places = secretPlaces(config, server)
    if (taken !== undefined) places.sort((a, b) => Number(b === taken) - Number(a === taken))
    return { client, server, places, configuration: configure(client, server, places[0]!) }
  }

  function configure(client: Client, server: ServerMetadata, place: SecretPlace): Configuration {
    const authenticate = showSecret(client, place, clientSecret)
    const configuration = new client.Configuration(server, clientId, clientSecret, authenticate)
    configuration.timeout = TIMEOUT_SECONDS
    configuration[client.customFetch] = boundedFetch
    if (isPlain) client.allowInsecureRequests(configuration)
    // Without it the ID token is believed for the connection it came on.
    client.enableNonRepudiationChecks(configuration)
    return configuration
  }

  /**
   * Asks for the tokens of a code. A client that is refused with its secret in one place is tried with it in the
   * other.
   */
  async function exchange(
    { client, server, places, configuration }: Connection,
    url: URL,
    checks: AuthorizationCodeGrantChecks,
  ) {
    for (const [index, place] of places.entries()) {
      const used = index === 0 ? configuration : configure(client, server, place)
      try {
        const tokens = await client.authorizationCodeGrant(used, url, checks)
        taken = place
        return tokens
      } catch (error) {
        if (index + 1 === places.length || !isClientRefused(client, error)) throw error
      }
    }
    throw new TypeError('there is no place for the client secret')
  }

  return { connect, exchange }
}

/** Tells if no answer came, or none of the protocol; a refusal is one. */
export function isAway(client: Client, error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) return error.status >= 500
  // Thrown by fetch.
  if (error instanceof TypeError) return true
  if (!(error instanceof client.ClientError)) return false
  return AWAY_CODES.includes(error.code ?? '') || error.cause instanceof TypeError
}

const AWAY_CODES = ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR']

/** The client secret is shown to the provider in the body of the request, or in its Authorization header. */
type SecretPlace = 'post' | 'basic'

const OFFERED_AS: Readonly<Record<SecretPlace, string>> = { post: 'client_secret_post', basic: 'client_secret_basic' }

/**
 * The places to try, in this order. A provider lists what it can do, not what it has been told of this client, so
 * that there may be two. In the body comes first: many providers do not undo the percent-encoding that the header
 * takes.
 */
function secretPlaces(
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

const showSecret = (client: Client, place: SecretPlace, clientSecret: string): ClientAuth =>
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
function isClientRefused(client: Client, error: unknown): boolean {
  if (error instanceof client.WWWAuthenticateChallengeError) return true
  return error instanceof client.ResponseBodyError && ['invalid_client', 'unauthorized_client'].includes(error.error)
}
