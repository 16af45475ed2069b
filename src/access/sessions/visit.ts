import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../errors.js'
import type { ProviderVisit } from '../../http/context.js'
import { type Sealer, UnsealError } from '../../lib/seal.js'
import { readVisitCookie, setVisitCookie } from './cookie.js'

/** How long a person may be at the provider. */
const VISIT_MS = 10 * 60_000
const SEAL_CONTEXT = 'visit at the identity provider'

/** A sign-in under way, which the browser keeps sealed (docs/decisions/0029). */
export interface Visit extends ProviderVisit {
  /** SHA-256 of the token of the invitation that it takes up. */
  invitationHash?: string
  expiresAt: number
}

/** The headers that leave the visit with the browser, in place of an earlier one. */
export function keepVisit(sealer: Sealer, visit: Omit<Visit, 'expiresAt'>, now: number): Record<string, string> {
  const kept: Visit = { ...visit, expiresAt: now + VISIT_MS }
  return setVisitCookie(sealer.seal(JSON.stringify(kept), SEAL_CONTEXT), VISIT_MS / 1000)
}

/** The visit that this browser began. Throws oidc_state_wrong for none, one that is over, and another state. */
export function requireVisit(sealer: Sealer, headers: IncomingHttpHeaders, query: string, now: number): Visit {
  const sealed = readVisitCookie(headers)
  const visit = sealed === undefined ? undefined : open(sealer, sealed)
  if (visit === undefined || now >= visit.expiresAt || new URLSearchParams(query).get('state') !== visit.state) {
    throw new ApiError('oidc_state_wrong')
  }
  return visit
}

function open(sealer: Sealer, sealed: string): Visit | undefined {
  try {
    return JSON.parse(sealer.open(sealed, SEAL_CONTEXT)) as Visit
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}
