import { graphError, notFound, quotaReached, type SandboxAnswer, tokenExpired } from './answers.js'
import type { Fault } from './faults.js'
import { missingPermission, type Scope } from './scopes.js'

export type { Fault }

const answerWith = (answer: SandboxAnswer): Fault => ({ kind: 'answer', answer })

export const graphErrorFault = (...fields: Parameters<typeof graphError>): Fault => answerWith(graphError(...fields))

export const tokenExpiredFault = (): Fault => answerWith(tokenExpired())

export const missingPermissionFault = (scope: Scope): Fault => answerWith(missingPermission(scope).answer)

const LIMIT_CODES = { ads_management: 80004, pages: 80001, instagram: 80002 } as const

export const LIMIT_TYPES = Object.keys(LIMIT_CODES) as (keyof typeof LIMIT_CODES)[]

/** A business use case limit of an ad account, page or Instagram account, with the header that tells when it ends. */
export function accountLimitFault(
  id: string,
  regainMinutes: number,
  type: keyof typeof LIMIT_CODES = 'ads_management',
): Fault {
  const code = LIMIT_CODES[type]
  const useCase = {
    type,
    call_count: 100,
    total_cputime: 25,
    total_time: 30,
    estimated_time_to_regain_access: regainMinutes,
    ads_api_access_tier: 'standard_access',
  }
  return graphErrorFault({
    code,
    subcode: 2446079,
    message: `(#${code}) There have been too many calls to this account. Wait a bit and try again.`,
    headers: { 'x-business-use-case-usage': JSON.stringify({ [id]: [useCase] }) },
  })
}

export const appLimitFault = (): Fault =>
  graphErrorFault({
    code: 4,
    message: '(#4) Application request limit reached',
    isTransient: true,
    headers: { 'x-app-usage': JSON.stringify({ call_count: 104, total_time: 12, total_cputime: 9 }) },
  })

const BAD_GATEWAY: SandboxAnswer = {
  status: 502,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!DOCTYPE html><html><head><title>Error</title></head><body>Sorry, something went wrong.</body></html>',
}

export const badGatewayFault = (): Fault => answerWith(BAD_GATEWAY)

/** The request is carried out, and answered with the HTML of a gateway. */
export const acceptedThenBadGatewayFault = (): Fault => ({ kind: 'accepted-then-answer', answer: BAD_GATEWAY })

export const pageGoneFault = (id: string): Fault => answerWith(notFound(id, 'post'))

export const quotaReachedFault = (): Fault => answerWith(quotaReached())

/** A refusal with a text for people, as the platform words what it does not accept. */
export const refusedFault = (userMessage: string): Fault =>
  graphErrorFault({ code: 100, subcode: 1366046, message: 'Invalid parameter', userTitle: 'Not posted', userMessage })

export const emptyBodyFault = (status = 200): Fault => answerWith({ status, body: '' })
export const invalidJsonFault = (status = 200): Fault => answerWith({ status, body: '{"data":[{"id":"1"' })

/** Answered for too much data as well as for a passing failure: nothing tells which. */
export const UNKNOWN_ERROR_ANSWERS = {
  bare: graphError({ status: 500, code: 1, message: 'An unknown error occurred' }),
  subcode99: graphError({ status: 500, code: 1, subcode: 99, message: 'An unknown error occurred' }),
} as const
