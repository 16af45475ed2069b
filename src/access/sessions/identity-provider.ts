import type { StringSchema } from 'joi'
import type { AuthorizationCodeGrantChecks, Configuration, ServerMetadata } from 'openid-client'
import type { Logger } from 'pino'
import type { OidcConfig } from '../../config/oidc.js'
import { ApiError } from '../../errors.js'
import type { IdentityProvider } from '../../http/context.js'
import type { Clock } from '../../lib/clock.js'
import { shared } from '../../lib/shared.js'
import { mailSchema } from '../people/mail-address.js'
import { personNameSchema } from '../people/person.js'
import { boundedFetch } from './bounded-fetch.js'
import { isClientRefused, type SecretPlace, secretPlaces, showSecret } from './client-authentication.js'

/** OpenID Connect allows no other subject (Core 2), and it becomes a key of the database. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/
class SubjectError extends Error {
  override name = 'SubjectError'
}

type Client = typeof import('openid-client')

/** Codes and addresses; nothing that a browser or a provider could have made up at will. */
const LOGGED = /^[\w:/.-]{1,200}$/
const TIMEOUT_SECONDS = 10
/** How long the provider's own description of itself is kept. */
const KEPT_MS = 5 * 60_000
const RETRY_SECONDS = 5

/**
 * Speaks to the OpenID Connect provider: authorization code with PKCE, state and nonce. Nothing is asked before the first sign-in.
 * `root`: our own address with a slash at its end.
 */
export function createIdentityProvider(
  config: OidcConfig,
  root: string,
  { clock, log }: { clock: Clock; log: Logger },
): IdentityProvider {
  const { issuer, clientId, clientSecret, scopes, roleClaim } = config
  // As a URL writes itself: the provider compares it letter by letter with the one that comes with the code.
  const redirectUri = new URL('sign-in/callback', root).href
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

  /** A configuration of its own for each use: it reads the provider's signing keys again, which may have changed. */
  async function connect() {
    const { client, server } = await discover().catch((error: unknown) => {
      throw unavailable(error)
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

  /** Asks for the tokens of a code. A client that is refused with its secret in one place is tried with it in the other. */
  async function exchange(
    { client, server, places, configuration }: Awaited<ReturnType<typeof connect>>,
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

  /** The error's own text and cause stay out of the log: they may hold what the provider or the browser has sent. */
  function describe(error: unknown): Record<string, unknown> {
    const { name, code, error: refusal, cause } = (error ?? {}) as Record<string, unknown>
    const inner = (cause as { code?: unknown } | undefined)?.code
    const texts = { issuer, error: name, code, refusal, cause: inner }
    return Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === 'string' && LOGGED.test(text)))
  }

  function unavailable(error: unknown): ApiError {
    log.warn(describe(error), 'the identity provider does not answer as it should')
    return new ApiError('oidc_unavailable', { retryAfterSeconds: RETRY_SECONDS })
  }

  return {
    async begin() {
      const { client, configuration } = await connect()
      const visit = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: scopes,
        state: visit.state,
        nonce: visit.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(visit.codeVerifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, visit }
    },

    async finish(query, { state, nonce, codeVerifier }) {
      const connected = await connect()
      const { client, configuration, server } = connected
      try {
        const url = new URL(redirectUri)
        url.search = query
        const tokens = await exchange(connected, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
        })
        const proven = tokens.claims()!
        const isComplete =
          proven.email !== undefined && (roleClaim === undefined || readClaim(proven, roleClaim) !== undefined)
        // Many providers put only the subject into the ID token.
        const more: Record<string, unknown> =
          isComplete || server.userinfo_endpoint === undefined
            ? {}
            : await client.fetchUserInfo(configuration, tokens.access_token, proven.sub)
        const claims: Record<string, unknown> = { ...more, ...proven }
        if (!SUBJECT.test(proven.sub)) throw new SubjectError()
        // From one document: a verified address of the one says nothing of an address in the other.
        const { email, email_verified: verified } = proven.email === undefined ? more : proven
        return {
          issuer: proven.iss,
          subject: proven.sub,
          name: valid(personNameSchema, claims.name),
          mail: valid(mailSchema, email),
          // Some providers write it as a text.
          mailVerified: verified === true || verified === 'true',
          roles: roleClaim === undefined ? [] : valuesOf(readClaim(claims, roleClaim)),
          idToken: tokens.id_token!,
        }
      } catch (error) {
        if (isAway(client, error)) throw unavailable(error)
        log.warn(describe(error), 'the identity provider did not confirm a sign-in')
        throw new ApiError('oidc_refused')
      }
    },

    async endSessionUrl(idToken) {
      const { client, configuration, server } = await connect()
      if (server.end_session_endpoint === undefined) return undefined
      const parameters: Record<string, string> = { post_logout_redirect_uri: root }
      if (idToken !== undefined) parameters.id_token_hint = idToken
      return client.buildEndSessionUrl(configuration, parameters).href
    },
  }
}

/** Whether no answer came, or none of the protocol; a refusal is one. */
function isAway(client: Client, error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) return error.status >= 500
  // What fetch throws.
  if (error instanceof TypeError) return true
  if (!(error instanceof client.ClientError)) return false
  return AWAY_CODES.includes(error.code ?? '') || error.cause instanceof TypeError
}

const AWAY_CODES = ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR']

/** The claim with this very name, which may hold dots, or else the one at this path. */
function readClaim(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined,
      claims,
    )
}

/** What is no such text counts as absent. */
function valid(schema: StringSchema, value: unknown): string | undefined {
  // The database takes no U+0000.
  if (typeof value === 'string' && value.includes('\0')) return undefined
  const result = schema.validate(value)
  return result.error === undefined ? result.value : undefined
}

const valuesOf = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string')
