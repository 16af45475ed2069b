import type { OidcConfig } from '../../config/oidc.js'
import { boundedFetch } from './bounded-fetch.js'

/** The findings of `greenroom doctor` about the provider. */
export type Examined =
  | { state: 'right' }
  /** `error` is what fetch threw. */
  | { state: 'away'; error: unknown }
  | { state: 'not-found'; status: number }
  | { state: 'no-provider' }
  | { state: 'other-issuer'; issuer: string }

const TIMEOUT_MS = 10_000
const PATH = '/.well-known/openid-configuration'

/** Reads the issuer's metadata, as a sign-in does first. Sends no credentials. */
export async function examineProvider({ issuer }: Pick<OidcConfig, 'issuer'>): Promise<Examined> {
  let response: Response
  try {
    response = await boundedFetch(`${issuer.replace(/\/$/, '')}${PATH}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch (error) {
    return { state: 'away', error }
  }
  if (response.status !== 200) return { state: 'not-found', status: response.status }
  const described: unknown = await response.json().catch(() => undefined)
  const { issuer: named } = (described ?? {}) as { issuer?: unknown }
  if (typeof named !== 'string' || !URL.canParse(named)) return { state: 'no-provider' }
  // A sign-in compares them as normalized URLs.
  return new URL(named).href === new URL(issuer).href ? { state: 'right' } : { state: 'other-issuer', issuer: named }
}
