import { createHmac } from 'node:crypto'
import { BadRequest, graphError, malformed, type SandboxAnswer, tokenExpired } from './answers.js'
import type { Fault } from './faults.js'
import type { Clock } from './lib/clock.js'
import type { SandboxModel } from './model.js'
import type { RecordedRequest, SandboxCall, SandboxRoute, SandboxToken } from './route.js'
import { ALL_SCOPES } from './scopes.js'
import { appTokenOf } from './token-routes.js'

interface Platform {
  model: SandboxModel
  clock: Clock
  url: string
  routes: readonly SandboxRoute[]
}

/**
 * Answers a call as the platform does: checks its token and proof, then gives the answer of the first route that has
 * one.
 */
export function answerCall(
  platform: Platform,
  request: RecordedRequest,
  accessToken: string,
  proof: string | undefined,
  fault: Fault | undefined,
): SandboxAnswer {
  const { model, clock, url } = platform
  const unknownPath = () => graphError({ code: 2500, message: `Unknown path components: ${request.path}` })
  if (request.version === '') return unknownPath()
  if (accessToken === '') {
    return graphError({ code: 104, message: 'An access token is required to request this resource.' })
  }
  const token = findToken(model, accessToken)
  if (token === undefined) return malformed(accessToken)
  const refusal = refuse(platform, token, proof)
  if (refusal !== undefined) return refusal
  const call: SandboxCall = {
    now: clock.now(),
    query: request.query,
    params: { ...request.query, ...request.body },
    token,
    findToken: (value) => findToken(model, value),
    answer(relativeUrl) {
      const { pathname, searchParams } = new URL(relativeUrl, 'http://sandbox.invalid/')
      const asked = { ...request, method: 'GET', path: pathname, query: Object.fromEntries(searchParams), body: {} }
      return answerCall(platform, asked, accessToken, proof, undefined)
    },
    spent: fault?.kind === 'spends-reply' ? fault.answer : undefined,
    processing:
      fault?.kind === 'processing' ? { polls: fault.polls, error: fault.error } : { polls: 0, error: undefined },
    pageUrl: (path, query) =>
      `${url}/${request.version}${path}?${new URLSearchParams({ access_token: accessToken, ...query })}`,
  }
  return findAnswer(platform, request, call) ?? unknownPath()
}

function findAnswer(
  { model, routes }: Platform,
  { path, method }: RecordedRequest,
  call: SandboxCall,
): SandboxAnswer | undefined {
  for (const route of routes) {
    const match = route.path.exec(path)
    if (match === null || route.method !== method) continue
    try {
      const answer = route.handle(call, model, match.slice(1))
      if (answer !== undefined) return answer
    } catch (error) {
      if (error instanceof BadRequest) return error.answer
      throw error
    }
  }
}

function findToken(model: SandboxModel, value: string): SandboxToken | undefined {
  const pages = (model.pages ?? []).filter((page) => page.accessToken === value)
  if (!Object.hasOwn(model.tokens, value) && pages.length === 0 && value !== appTokenOf(model)) return undefined
  const details = model.tokenDetails?.[value] ?? {}
  const { scopes = ALL_SCOPES, grantedFor = {}, expiresAt, isOfDeveloper = false } = details
  return { value, scopes, grantedFor, expiresAt, isOfDeveloper, pages, adAccountIds: model.tokens[value] ?? [] }
}

function refuse(
  { clock, model }: Platform,
  { value, expiresAt }: SandboxToken,
  proof: string | undefined,
): SandboxAnswer | undefined {
  if (expiresAt !== undefined && expiresAt <= clock.now()) return tokenExpired()
  if (model.appSecret === undefined) return undefined
  const expected = createHmac('sha256', model.appSecret).update(value).digest('hex')
  if (proof === expected) return undefined
  return proof === undefined
    ? graphError({ code: 104, message: 'API calls from the server require an appsecret_proof argument' })
    : graphError({ code: 100, message: 'Invalid appsecret_proof provided in the API argument' })
}
