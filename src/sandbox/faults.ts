import { graphError, notFound, quotaReached, type SandboxAnswer } from './answers.js'
import type { RecordedRequest } from './route.js'

/** What goes wrong with one answer. */
export type Fault =
  /** This answer in place of the right one. */
  | { kind: 'answer'; answer: SandboxAnswer }
  /** The right answer with further headers. */
  | { kind: 'headers'; headers: Record<string, string> }
  /** The right answer, not before the promise is fulfilled. */
  | { kind: 'slow'; until: Promise<void> }
  /** The right answer, but its cursor is the one that was sent, and there is always a next page. */
  | { kind: 'stuck-cursor' }
  /** No answer until the client goes or the sandbox closes. */
  | { kind: 'hang' }
  /** The connection is reset in place of an answer. */
  | { kind: 'reset' }
  /** The connection is reset in the middle of the right answer. */
  | { kind: 'reset-in-body' }
  /** The request is carried out, and then the connection is reset in place of the answer. */
  | { kind: 'accepted-then-reset' }
  /** The request is carried out, and answered so. */
  | { kind: 'accepted-then-answer'; answer: SandboxAnswer }
  /** The request is carried out at once, and answered when the promise is fulfilled. */
  | { kind: 'accepted-then-slow'; until: Promise<void> }
  /**
   * The right answer, but the container or video that the request makes is still being processed the first `looks` times
   * that somebody asks, and then has failed with `error` where there is one.
   */
  | { kind: 'processing'; looks: number; error?: string }

export interface FaultRule {
  /** Which requests it hits: by path, or as told; every one when left out. */
  match?: RegExp | ((request: RecordedRequest) => boolean)
  /** How many requests it hits before it is used up; 1 when left out. */
  times?: number
  fault: Fault
}

/** The script of what goes wrong: for each request the oldest rule that matches and is not used up. */
export interface Faults {
  add(rule: FaultRule): void
  clear(): void
}

export function createFaults(): Faults & { next(request: RecordedRequest): Fault | undefined } {
  let rules: (FaultRule & { left: number })[] = []
  return {
    add: (rule) => void rules.push({ ...rule, left: rule.times ?? 1 }),
    clear: () => {
      rules = []
    },
    next(request) {
      const rule = rules.find(
        ({ left, match }) =>
          left > 0 && (match === undefined || (match instanceof RegExp ? match.test(request.path) : match(request))),
      )
      if (rule !== undefined) rule.left--
      return rule?.fault
    },
  }
}

const answerWith = (answer: SandboxAnswer): Fault => ({ kind: 'answer', answer })

export const graphErrorFault = (...fields: Parameters<typeof graphError>): Fault => answerWith(graphError(...fields))

export const tokenExpiredFault = (): Fault =>
  graphErrorFault({
    status: 401,
    code: 190,
    subcode: 463,
    message: 'Error validating access token: Session has expired',
  })

/** A business use case limit of the account, with the header that tells when it ends. */
export function accountLimitFault(adAccountId: string, regainMinutes: number): Fault {
  const useCase = {
    type: 'ads_management',
    call_count: 100,
    total_cputime: 25,
    total_time: 30,
    estimated_time_to_regain_access: regainMinutes,
    ads_api_access_tier: 'standard_access',
  }
  return graphErrorFault({
    code: 80004,
    subcode: 2446079,
    message: '(#80004) There have been too many calls to this ad-account. Wait a bit and try again.',
    headers: { 'x-business-use-case-usage': JSON.stringify({ [adAccountId]: [useCase] }) },
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
