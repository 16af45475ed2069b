/** A response of the sandbox. An object is sent as JSON, a string as it is. */
export interface SandboxAnswer {
  status: number
  headers?: Record<string, string>
  body: Record<string, unknown> | string
}

export interface GraphErrorFields {
  status?: number
  message?: string
  code?: number
  subcode?: number
  userTitle?: string
  userMessage?: string
  isTransient?: boolean
  headers?: Record<string, string>
}

export const ok = (body: Record<string, unknown>): SandboxAnswer => ({ status: 200, body })

/** An error in the platform's format; fields that are not given are left out. */
export function graphError(fields: GraphErrorFields): SandboxAnswer {
  const { status = 400, headers, message, code, subcode, userTitle, userMessage, isTransient } = fields
  return {
    status,
    headers,
    body: {
      error: {
        message,
        type: subcode === 33 ? 'GraphMethodException' : 'OAuthException',
        code,
        error_subcode: subcode,
        is_transient: isTransient,
        error_user_title: userTitle,
        error_user_msg: userMessage,
        fbtrace_id: 'AsandboxTrace123',
      },
    },
  }
}

/** The platform has the same wording for a missing object and for one that the token may not see. */
export const notFound = (id: string, method = 'GET'): SandboxAnswer =>
  graphError({
    code: 100,
    subcode: 33,
    message: `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
  })

/** The platform does quote the token. */
export const malformed = (accessToken: string): SandboxAnswer =>
  graphError({ status: 401, code: 190, message: `Malformed access token ${accessToken}` })

export const tokenExpired = (): SandboxAnswer =>
  graphError({
    status: 401,
    code: 190,
    subcode: 463,
    message: 'Error validating access token: Session has expired',
  })

/** The account has used up its posts of the last 24 hours. */
export const quotaReached = (): SandboxAnswer =>
  graphError({
    code: 9,
    subcode: 2207042,
    message: 'Application request limit reached',
    userTitle: 'Too many posts',
    userMessage: 'You reached maximum number of posts that is allowed to be published by Content Publishing API.',
  })

/** A request that the platform rejects; thrown where the mistake is found. */
export class BadRequest extends Error {
  readonly answer: SandboxAnswer
  constructor(message: string, code = 100, answer = graphError({ code, message: `(#${code}) ${message}` })) {
    super(message)
    this.answer = answer
  }

  /** Makes one with its own form of response. */
  static with(answer: SandboxAnswer): BadRequest {
    return new BadRequest('refused', 100, answer)
  }
}

const PHRASE = "Please reduce the amount of data you're asking for, then retry your request"
const UNKNOWN = 'An unknown error occurred'

/** Every form in which the platform asks callers to request less data. */
export const TOO_MUCH_DATA_ANSWERS = {
  phrase: graphError({ status: 500, code: 1, message: PHRASE }),
  phraseInUserMessage: graphError({ status: 500, code: 1, subcode: 99, message: UNKNOWN, userMessage: PHRASE }),
  phraseInUserTitle: graphError({ status: 500, code: 1, subcode: 99, message: UNKNOWN, userTitle: PHRASE }),
  dataPerCall: graphError({ code: 100, subcode: 1487534, message: '(#100) Too much data was requested in one call' }),
  timedOut: graphError({ code: 100, subcode: 1504018, message: 'Your request timed out. Try a smaller date range' }),
  serviceTimedOut: graphError({ status: 500, code: 2, subcode: 1504038, message: 'Your request timed out' }),
  phraseOfService: graphError({ status: 500, code: 2, message: PHRASE }),
  phraseOfParameter: graphError({ code: 100, subcode: 2335012, message: PHRASE }),
  phraseWithoutCode: graphError({ status: 500, message: PHRASE }),
} as const
