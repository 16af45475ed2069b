import {
  ConflictError,
  ConnectionError,
  Greenroom,
  GreenroomApi,
  type GreenroomError,
  TimeoutError,
  type TransportOptions,
  ValidationError,
} from '../client/index.js'
import { type Runtime, systemRuntime } from '../client/runtime.js'
import { parseJson } from '../lib/json.js'
import { type Cli, CliError } from './io.js'
import { connectionFailed, notGreenroom, refused, tooLargeForProxy } from './refusal.js'
import { readTarget, type Target } from './settings.js'

/** A page of insights may need many calls to the platform. */
const TIMEOUT_MS = 120_000

/** Called with the headers of each response. */
type OnAnswer = (headers: Headers) => void

type Limits = Pick<TransportOptions, 'timeoutMs' | 'maxRetries'>

/** Returns the client of /v1, which uses the key of the settings. */
export function byKey(cli: Cli, onAnswer?: OnAnswer, limits: Limits = {}): Greenroom {
  const target = readTarget(cli)
  const { id, secret } = target.requireKey()
  const options = { baseUrl: `${target.url}/v1`, key: id, secret, ...transport(target, onAnswer), ...limits }
  return new Greenroom(options, runtime(cli))
}

/** Returns the client of /api, which uses the token of the settings, or the key if there is no token. */
export function api(cli: Cli, limits: Limits = {}): GreenroomApi {
  const target = readTarget(cli)
  const credential = target.requireCredential()
  return new GreenroomApi(
    { baseUrl: `${target.url}/api`, ...credential, ...transport(target), ...limits },
    runtime(cli),
  )
}

/** Passes the clock and the waits of the process to the client. */
export const runtime = ({ clock, wait }: Cli): Runtime => ({
  ...systemRuntime,
  now: () => clock.now(),
  ...(wait && { wait }),
})

const transport = (target: Target, onAnswer?: OnAnswer) => ({
  timeoutMs: TIMEOUT_MS,
  async fetch(url: string, init: RequestInit): Promise<Response> {
    const response = await fetch(url, init)
    onAnswer?.(response.headers)
    if (response.status < 400) return response
    const text = await response.text()
    if (parseJson(text) === undefined)
      throw response.status === 413 ? tooLargeForProxy(target) : notGreenroom(target, response.status)
    return new Response(text, { status: response.status, headers: response.headers })
  },
})

/** Returns the error to show for a failed call of the client. */
export function toCliError(cli: Cli, error: GreenroomError): CliError {
  const { status, code, requestId, message } = error
  const target = readTarget(cli)
  if (error instanceof ConnectionError) return connectionFailed(target, error.cause, perhaps(error))
  if (error instanceof TimeoutError) {
    return new CliError(
      3,
      `There was no complete answer from ${target.url} within ${TIMEOUT_MS / 1000} seconds.${perhaps(error)}`,
    )
  }
  if (status === undefined) return new CliError(1, message)
  if (status < 300) return notGreenroom(target, status)
  if (status < 400) return new CliError(3, `${target.url} redirects: set ${target.urlIsFrom} to where it leads.`)
  const details = error instanceof ValidationError ? error.details.map((detail) => detail.message) : []
  const conflicts = error instanceof ConflictError ? error.conflicts : []
  return refused({
    status,
    code,
    requestId,
    messages: [
      ...(details.length === 0 ? [message] : details),
      ...conflicts.map(({ mediumId, hashtag, reason }) => `${mediumId}: ${hashtag} is ${reason}.`),
    ],
  })
}

const perhaps = ({ operation }: GreenroomError): string =>
  /^(list|get)/.test(operation) ? '' : ' The change may have been made: check before you repeat it.'
