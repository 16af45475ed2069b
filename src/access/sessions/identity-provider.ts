import type { Logger } from 'pino'
import type { OidcConfig } from '../../config/oidc.js'
import { ApiError } from '../../errors.js'
import type { IdentityProvider } from '../../http/context.js'
import type { Clock } from '../../lib/clock.js'
import { isComplete, readIdentity } from './provider-claims.js'
import { connectProvider, isAway } from './provider-connection.js'

/** Allows codes and URLs in the log, and nothing that a browser or a provider could make up freely. */
const LOGGED = /^[\w:/.-]{1,200}$/
const RETRY_SECONDS = 5

/**
 * Talks to the OpenID Connect provider: authorization code flow with PKCE, state and nonce. Makes no call before the
 * first sign-in. `root` is our own base URL with a trailing slash.
 */
export function createIdentityProvider(
  config: OidcConfig,
  root: string,
  { clock, log }: { clock: Clock; log: Logger },
): IdentityProvider {
  const { issuer, scopes, roleClaim } = config
  // Normalized, because the provider compares it character by character with the one sent along with the code.
  const redirectUri = new URL('sign-in/callback', root).href
  const unavailable = (error: unknown): ApiError => {
    log.warn(describe(issuer, error), 'the identity provider does not answer, or not as expected')
    return new ApiError('oidc_unavailable', { retryAfterSeconds: RETRY_SECONDS })
  }
  const { connect, exchange } = connectProvider(config, clock, unavailable)

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
        const more: Record<string, unknown> =
          isComplete(proven, roleClaim) || server.userinfo_endpoint === undefined
            ? {}
            : await client.fetchUserInfo(configuration, tokens.access_token, proven.sub)
        return { ...readIdentity(proven, more, roleClaim), idToken: tokens.id_token! }
      } catch (error) {
        if (isAway(client, error)) throw unavailable(error)
        log.warn(describe(issuer, error), 'the identity provider did not confirm a sign-in')
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

/**
 * Returns log fields for an error. Leaves out its message and cause, which may contain what the provider or the
 * browser sent.
 */
function describe(issuer: string, error: unknown): Record<string, unknown> {
  const { name, code, error: refusal, cause } = (error ?? {}) as Record<string, unknown>
  const inner = (cause as { code?: unknown } | undefined)?.code
  const texts = { issuer, error: name, code, refusal, cause: inner }
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === 'string' && LOGGED.test(text)))
}
