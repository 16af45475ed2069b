import { CliError } from './io.js'
import { onOneLine } from './text.js'

/** A response that refuses a call. */
interface Refusal {
  status: number
  /** The value of the `x-error-code` header. */
  code?: string | undefined
  /** The value of the `x-request-id` header. */
  requestId?: string | undefined
  messages: string[]
}

const HINTS: Record<string, string> = {
  operator_token_wrong: 'Set GREENROOM_OPERATOR_TOKEN to the OPERATOR_TOKEN of the server.',
  metrics_token_wrong: 'Set GREENROOM_METRICS_TOKEN to the METRICS_TOKEN of the server.',
  metrics_local: 'Then set GREENROOM_METRICS_TOKEN to the same value.',
  permission_missing: 'Issue a key with other permissions: greenroom keys issue ORGANIZATION --permissions …',
  route_not_found:
    'Only a server with the role api has this route, and routes for the operator also need an OPERATOR_TOKEN.',
}

/** Returns an error with the messages and a hint, then the status, error code and request id. */
export function refused({ messages, ...refusal }: Refusal): CliError {
  const hint = HINTS[refusal.code ?? '']
  const lines = [...messages.map(onOneLine), ...(hint === undefined ? [] : [hint]), `(${describeStatus(refusal)})`]
  return new CliError(1, lines.join('\n'))
}

/** Returns a string like `404 organization_not_found, request req_…`. */
export function describeStatus({ status, code, requestId }: Omit<Refusal, 'messages'>): string {
  const text = code === undefined ? String(status) : `${status} ${code}`
  return onOneLine(requestId === undefined ? text : `${text}, request ${requestId}`)
}

/** Returns why `fetch` failed. The reason is in the cause of its error. */
export function describeFailure(error: unknown): string {
  const { code = '', message } = causeOf(error)
  const reasons: Record<string, string> = {
    ECONNREFUSED: 'connection refused',
    ECONNRESET: 'connection reset',
    UND_ERR_SOCKET: 'connection closed',
    EPIPE: 'connection closed',
    ENOTFOUND: 'no such host',
    EAI_AGAIN: 'the host name cannot be looked up',
    ETIMEDOUT: 'connecting took too long',
    UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
    UND_ERR_HEADERS_TIMEOUT: 'nothing came for 300 seconds',
    UND_ERR_BODY_TIMEOUT: 'nothing came for 300 seconds',
  }
  return reasons[code] ?? (message || code)
}

const causeOf = (error: unknown): NodeJS.ErrnoException =>
  (error as { cause?: NodeJS.ErrnoException }).cause ?? (error as NodeJS.ErrnoException)

/**
 * Failures of an open connection: the server may have received something. All other failures come before: host, port,
 * certificate.
 */
const CONNECTED = /^(ECONNRESET|EPIPE|UND_ERR_(SOCKET|HEADERS_|BODY_|RES)|HPE_|Z_)/

/** Returns true if `fetch` failed after it had connected. */
export const wasConnected = (error: unknown): boolean => CONNECTED.test(causeOf(error).code ?? '')

/** Returns the error for a failed `fetch`. `advice` is appended if the server may have received something. */
export function connectionFailed(
  { url, urlIsFrom }: { url: string; urlIsFrom: string },
  error: unknown,
  advice = '',
): CliError {
  const cause = causeOf(error)
  // The cause may be our own error, for example if a file became unreadable while it was sent.
  if (cause instanceof CliError) return cause
  const reason = describeFailure(error)
  return new CliError(
    3,
    wasConnected(error)
      ? `The connection to ${url} was lost before a response arrived (${reason}).${advice}`
      : `There is no response from ${url} (${reason}): is the server running, and is ${urlIsFrom} correct?`,
  )
}

/** Returns the error for a 413 of a proxy, which rejects an import or a medium as too large. */
export const tooLargeForProxy = ({ url }: { url: string }): CliError =>
  new CliError(
    1,
    `A proxy in front of ${url} rejected the body as too large (413); Greenroom itself did not.\nRaise the proxy's limit for bodies, for example client_max_body_size 0; in nginx.`,
  )

/** Returns the error for a response that is not from the service, for example a proxy's error page. */
export const notGreenroom = ({ url, urlIsFrom }: { url: string; urlIsFrom: string }, status: number): CliError =>
  new CliError(3, `${url} answered ${status} without JSON: is ${urlIsFrom} the address of a Greenroom server?`)
