import { createHmac } from 'node:crypto'
import { graphError, malformed, type SandboxAnswer, tokenExpired } from './answers.js'
import type { Host, TokenKind } from './edges.js'
import type { SandboxModel, SandboxPage } from './model.js'
import type { SandboxToken } from './route.js'
import { FACEBOOK_SCOPES, INSTAGRAM_SCOPES } from './scopes.js'

/** The app of every token of the sandbox. */
export const SANDBOX_APP_ID = '700000000000001'

/** The app's own token; undefined if the sandbox has no app secret. */
const appTokenOf = ({ appSecret }: SandboxModel): string | undefined =>
  appSecret === undefined ? undefined : `${SANDBOX_APP_ID}|${appSecret}`

/** The app-scoped id of an Instagram account, which the platform returns beside the real one. No call accepts it. */
export const appScopedIdOf = (accountId: string): string => `26${accountId.slice(-13).padStart(13, '0')}`

/** A token of the Instagram login is valid only on its own host, and every other token only on the other host. */
const hostOf = (token: string): Host => (token.startsWith('IG') ? 'graph.instagram.com' : 'graph.facebook.com')

/** The proof that comes with a token; a timed proof includes its seconds since the epoch. */
interface Proof {
  proof: string | undefined
  proofTime: string | undefined
  now: number
}
const PROOF_SECONDS = 300

/** Returns the token of a call, or its refusal. */
export function readToken(
  model: SandboxModel,
  { value, host, ...given }: { value: string; host: Host } & Proof,
): { token: SandboxToken } | { refusal: SandboxAnswer } {
  if (hostOf(value) !== host) return { refusal: UNREADABLE }
  const token = findToken(model, value)
  if (token === undefined) return { refusal: malformed(value) }
  const refusal = refuseToken(model, token, given)
  return refusal === undefined ? { token } : { refusal }
}

const UNREADABLE = graphError({ code: 190, message: 'Invalid OAuth access token - Cannot parse access token' })

export function findToken(model: SandboxModel, value: string): SandboxToken | undefined {
  const { tokens, tokenDetails = {} } = model
  const details = Object.hasOwn(tokenDetails, value) ? tokenDetails[value]! : {}
  const pages = pagesOf(model, value, details.accounts ?? [])
  const kind = kindOf(model, value, pages)
  if (kind === undefined) return undefined
  const { scopes = kind === 'instagram' ? INSTAGRAM_SCOPES : FACEBOOK_SCOPES } = details
  const { grantedFor = {}, issuedAt, expiresAt, isOfDeveloper = false } = details
  const adAccountIds = (Object.hasOwn(tokens, value) && tokens[value]) || []
  return { value, kind, scopes, grantedFor, issuedAt, expiresAt, isOfDeveloper, pages, adAccountIds }
}

function kindOf(model: SandboxModel, value: string, pages: readonly SandboxPage[]): TokenKind | undefined {
  if (hostOf(value) === 'graph.instagram.com') return pages.length > 0 ? 'instagram' : undefined
  if (Object.hasOwn(model.tokens, value)) return 'user'
  if (pages.length > 0) return 'page'
  return value === appTokenOf(model) ? 'app' : undefined
}

/** The pages of the token and, on Facebook, their linked Instagram accounts. */
function pagesOf({ pages = [] }: SandboxModel, value: string, accounts: readonly string[]): SandboxPage[] {
  const own = new Set(
    pages.filter(({ id, accessToken }) => accessToken === value || accounts.includes(id)).map(({ id }) => id),
  )
  const isLinked = ({ pageId }: SandboxPage): boolean =>
    hostOf(value) === 'graph.facebook.com' && pageId !== undefined && own.has(pageId)
  return pages.filter((page) => own.has(page.id) || isLinked(page))
}

function refuseToken(
  { appSecret }: SandboxModel,
  { value, kind, expiresAt }: SandboxToken,
  { proof, proofTime, now }: Proof,
): SandboxAnswer | undefined {
  if (expiresAt !== undefined && expiresAt <= now) return tokenExpired()
  // The Instagram login has another app secret, which the sandbox does not know.
  if (appSecret === undefined || kind === 'instagram') return undefined
  const signed = proofTime === undefined ? value : `${value}|${proofTime}`
  const isInTime = proofTime === undefined || Math.abs(now / 1000 - Number(proofTime)) <= PROOF_SECONDS
  if (isInTime && proof === createHmac('sha256', appSecret).update(signed).digest('hex')) return undefined
  return proof === undefined
    ? graphError({ code: 104, message: 'API calls from the server require an appsecret_proof argument' })
    : graphError({ code: 100, message: 'Invalid appsecret_proof provided in the API argument' })
}
