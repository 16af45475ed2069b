import type { AuthorizationCodeGrantChecks, ClientAuth, Configuration, ServerMetadata } from 'openid-client'
import type { OidcConfig } from '../../config/oidc.js'
import type { Clock } from '../../lib/clock.js'
import { shared } from '../../lib/shared.js'
import { boundedFetch } from './bounded-fetch.js'

type Client = typeof import('openid-client')

const TIMEOUT_SECONDS = 10
/** How long the provider's metadata is cached. */
const KEPT_MS = 5 * 60_000

interface Connection {
  client: Client
  server: ServerMetadata
  places: SecretPlace[]
  configuration: Configuration
}

/** Connects to the provider. Makes no call before the first sign-in. */
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

  /** The place where the provider last accepted the client secret. */
  let taken: SecretPlace | undefined

  /**
   * Makes a new configuration for each use, which fetches the provider's signing keys again because they may have
   * changed. Throws the error of `onUnavailable` if the provider's metadata cannot be read.
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
    // Verifies the ID token's signature instead of trusting the connection it came over.
    client.enableNonRepudiationChecks(configuration)
    return configuration
  }

  /**
   * Exchanges a code for tokens. If the provider refuses the client with the secret in one place, tries the other
   * place.
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

/** Returns whether the provider did not answer, or not in the protocol. A refusal is a response. */
export function isAway(client: Client, error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) return error.status >= 500
  // Thrown by fetch.
  if (error instanceof TypeError) return true
  if (!(error instanceof client.ClientError)) return false
  return AWAY_CODES.includes(error.code ?? '') || error.cause instanceof TypeError
}

const AWAY_CODES = ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR']

/** The place of the client secret: the body of the request, or its Authorization header. */
type SecretPlace = 'post' | 'basic'

const OFFERED_AS: Readonly<Record<SecretPlace, string>> = { post: 'client_secret_post', basic: 'client_secret_basic' }

/**
 * Returns the places to try, in order. A provider lists what it supports in general, not what it expects of this
 * client, so there may be two. The body comes first, because many providers do not undo the percent-encoding that the
 * header requires.
 */
function secretPlaces(
  { clientAuthentication }: Pick<OidcConfig, 'clientAuthentication'>,
  { token_endpoint_auth_methods_supported: offered }: Pick<ServerMetadata, 'token_endpoint_auth_methods_supported'>,
): SecretPlace[] {
  if (clientAuthentication !== 'auto') return [clientAuthentication]
  // A provider that lists nothing expects the header (OpenID Connect Discovery 1.0, 3).
  const places = (['post', 'basic'] as const).filter((place) =>
    (offered ?? [OFFERED_AS.basic]).includes(OFFERED_AS[place]),
  )
  return places.length > 0 ? places : ['basic']
}

const showSecret = (client: Client, place: SecretPlace, clientSecret: string): ClientAuth =>
  place === 'post' ? client.ClientSecretPost(clientSecret) : showInHeader(clientSecret)

/**
 * Encodes as a form does (RFC 6749, 2.3.1), which leaves `-`, `.` and `_` unchanged, whereas openid-client encodes
 * them too. A secret of these, letters and digits thus works whether or not the provider undoes the encoding.
 */
const showInHeader =
  (clientSecret: string): ClientAuth =>
  (_server, { client_id: clientId }, _body, headers) => {
    const credentials = [clientId, clientSecret].map((text) => new URLSearchParams([['', text]]).toString().slice(1))
    headers.set('authorization', `Basic ${Buffer.from(credentials.join(':')).toString('base64')}`)
  }

/** Returns whether the provider refused the client itself, before it looked at the code. */
function isClientRefused(client: Client, error: unknown): boolean {
  if (error instanceof client.WWWAuthenticateChallengeError) return true
  return error instanceof client.ResponseBodyError && ['invalid_client', 'unauthorized_client'].includes(error.error)
}
