import { graphError, notFound, quotaReached, type SandboxAnswer, tokenExpired } from './answers.js'
import type { Fault } from './faults.js'
import { missingPermission, type Scope } from './scopes.js'

export type { Fault }

const answerWith = (answer: SandboxAnswer): Fault => ({ kind: 'answer', answer })

export const graphErrorFault = (...fields: Parameters<typeof graphError>): Fault => answerWith(graphError(...fields))

export const tokenExpiredFault = (): Fault => answerWith(tokenExpired())

export const missingPermissionFault = (scope: Scope): Fault => answerWith(missingPermission(scope).answer)

const LIMIT_CODES = {
  ...{ ads_management: 80004, ads_insights: 80000, pages: 80001, instagram: 80002, messenger: 80006 },
} as const

export const LIMIT_TYPES = Object.keys(LIMIT_CODES) as (keyof typeof LIMIT_CODES)[]

/** A business use case limit of an ad account, page or Instagram account, with the header that says when it ends. */
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

/** The request is carried out, but answered with the HTML of a gateway. */
export const acceptedThenBadGatewayFault = (): Fault => ({ kind: 'accepted-then-answer', answer: BAD_GATEWAY })

export const pageGoneFault = (id: string): Fault => answerWith(notFound(id, 'POST'))

export const quotaReachedFault = (): Fault => answerWith(quotaReached())

/** A refusal with a message for people, in the platform's wording. */
export const refusedFault = (userMessage: string): Fault =>
  graphErrorFault({ code: 100, subcode: 1366046, message: 'Invalid parameter', userTitle: 'Not posted', userMessage })

export const emptyBodyFault = (status = 200): Fault => answerWith({ status, body: '' })
export const invalidJsonFault = (status = 200): Fault => answerWith({ status, body: '{"data":[{"id":"1"' })

/** The platform sends these for too much data and for temporary failures, and nothing distinguishes the two. */
export const UNKNOWN_ERROR_ANSWERS = {
  bare: graphError({ status: 500, code: 1, message: 'An unknown error occurred' }),
  subcode99: graphError({ status: 500, code: 1, subcode: 99, message: 'An unknown error occurred' }),
} as const

/** The codes are from the platform's list of errors: .../instagram-graph-api/reference/error-codes, 2026-06-02. */
const MEDIA_REFUSALS = {
  notFetched: { code: 9004, subcode: 2207052, userMessage: 'The media could not be fetched from this URI.' },
  uploadFailed: { code: -1, subcode: 2207053, userMessage: 'unknown upload error' },
  createFailed: { code: -1, subcode: 2207032, userMessage: 'Create media fail, please try to re-create media' },
  fetchTimedOut: { code: -2, subcode: 2207003, userMessage: 'It takes too long to download the media.' },
} as const

export const MEDIA_REASONS = Object.keys(MEDIA_REFUSALS) as (keyof typeof MEDIA_REFUSALS)[]

export const containerRefusedFault = (reason: keyof typeof MEDIA_REFUSALS): Fault =>
  graphErrorFault({ message: 'Media could not be created', ...MEDIA_REFUSALS[reason] })

/** The app lacks an edge even if it has the permission. */
export const noCapabilityFault = (): Fault =>
  graphErrorFault({ code: 3, message: '(#3) Application does not have the capability to make this API call.' })

export const photoRefusedFault = (): Fault =>
  graphErrorFault({
    ...{ code: 324, subcode: 2069019, message: '(#324) Missing or invalid image file' },
    userMessage: 'Your photos could not be uploaded. Photos should be less than 4 MB and saved as JPG or PNG files.',
  })

const VIDEO_REFUSALS = {
  notFetched: { code: 389, message: '(#389) Unable to fetch video file from URL.' },
  notRead: { code: 6000, message: '(#6000) There was a problem uploading your video file.' },
} as const

export const VIDEO_REASONS = Object.keys(VIDEO_REFUSALS) as (keyof typeof VIDEO_REFUSALS)[]

export const videoRefusedFault = (reason: keyof typeof VIDEO_REFUSALS): Fault => graphErrorFault(VIDEO_REFUSALS[reason])

/** This happened for days from 2026-05-23: the container exists and can be published. */
export const containerHiddenFault = (reason: (typeof HIDDEN_REASONS)[number]): Fault => ({
  kind: 'answer-for',
  answer: ({ path }) =>
    reason === 'notFound'
      ? notFound(path.slice(1))
      : graphError({ code: 10, message: '(#10) Application does not have permission for this action' }),
})
export const HIDDEN_REASONS = ['notFound', 'notAllowed'] as const

/** Nothing is published, and the container remains. */
export const publishNotYetFault = (): Fault =>
  graphErrorFault({
    ...{ code: 24, subcode: 2207008, message: 'The requested resource does not exist' },
    userMessage: 'The media builder with this creation id does not exist or has expired.',
  })

/** The post is published, but only the list of media shows it. */
export const publishedThenFailsFault = (): Fault => ({
  kind: 'accepted-then-answer',
  answer: graphError({ status: 500, code: 2, message: '(#2) Service temporarily unavailable', isTransient: true }),
  forgets: true,
})

export const pageRestrictedFault = (): Fault =>
  graphErrorFault({ code: 10, subcode: 1893063, message: '(#10) This Page is restricted from publishing' })

export const duplicateFault = (): Fault =>
  graphErrorFault({ code: 506, subcode: 1455006, message: '(#506) Duplicate status message' })

/** The comment is posted anyway. */
export const commentedThenFailsFault = (): Fault => ({
  kind: 'accepted-then-answer',
  answer: graphError({ code: 20, subcode: 1772107, message: '(#20) Your comment could not be posted' }),
})
