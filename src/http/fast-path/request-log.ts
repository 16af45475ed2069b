import { type Logger, pino } from 'pino'
import type { LogFormat } from '../../config/observability.js'
import type { Clock } from '../../lib/clock.js'
import type { RequestState } from '../request-state.js'

/** The client's address and the ids of a call that people ask about later. */
export interface Origin {
  /** The address of the client. */
  address: string
  /** The ids that the path names. */
  params: Readonly<Record<string, string>>
}

/** How a request ended. */
export interface Outcome {
  status?: number
  errorCode?: string | undefined
  durationMs?: number
  /** The trace of the request. */
  traceId?: string | undefined
  aborted?: true
}

/** The parts of a logger that pino.symbols exports for integrations: its stream, and the fields of all its lines. */
type LoggerInternals = Logger & {
  [pino.symbols.streamSym]: pino.DestinationStream
  [pino.symbols.chindingsSym]: string
}

/**
 * Writes the one wide line of a request. Path and query are left out: fields have the ids, and a query may contain personal
 * data. The line has pino's format, but is built here: `log.info` costs 12 % of full 50 (bench/README.md). The caller's ids
 * are the only values that may need escaping.
 */
export function createRequestLog(
  log: Logger,
  clock: Clock,
  { level, format }: { level: 'info' | 'debug'; format: LogFormat },
) {
  const { [pino.symbols.streamSym]: stream, [pino.symbols.chindingsSym]: bindings } = log as LoggerInternals
  const isWords = format === 'words'
  const start = `{"level":${isWords ? `"${level}"` : log.levels.values[level]},"time":`
  const time = isWords ? (): string => `"${new Date(clock.now()).toISOString()}"` : (): number => clock.now()

  return (requestId: string, state: RequestState | undefined, outcome: Outcome, origin?: Origin): void => {
    if (!log.isLevelEnabled(level)) return
    const { status, errorCode, durationMs, traceId, aborted } = outcome
    let line = `${start}${time()}${bindings},"requestId":"${requestId}"`
    if (traceId !== undefined) line += `,"traceId":"${traceId}"`
    if (state !== undefined) line += `,"operation":"${state.operationId}"`
    if (state?.principal !== undefined) line += toCallerFields(state.principal)
    if (origin !== undefined) line += toOriginFields(origin, state?.principal)
    if (status !== undefined) line += `,"status":${status}`
    if (errorCode !== undefined) line += `,"errorCode":"${errorCode}"`
    if (durationMs !== undefined) line += `,"durationMs":${round(durationMs)}`
    if (aborted) line += ',"aborted":true'
    if (state !== undefined) {
      const { rows, databaseMs, upstreamMs } = state.meter
      if (rows !== undefined) line += `,"rows":${rows}`
      line += `,"databaseMs":${round(databaseMs)},"upstreamMs":${round(upstreamMs)}`
    }
    stream.write(`${line},"msg":"request"}\n`)
  }
}

/** A call about the server as a whole has no organization. */
interface Caller {
  organizationId?: string
  actor: { type: string; id?: string }
}

function toCallerFields({ organizationId, actor }: Caller): string {
  const organization = organizationId === undefined ? '' : `,"organization":${JSON.stringify(organizationId)}`
  const caller = actor.id === undefined ? `,"actor":"${actor.type}"` : `,"${actor.type}":${JSON.stringify(actor.id)}`
  return organization + caller
}

/** Ids of people and conversations are personal data, and are left out. */
const TARGET_PARAMS = [
  'workspaceId',
  'channelId',
  'adAccountId',
  'keyId',
  'scheduledPostId',
  'creativeTemplateId',
  'personId',
  'invitationId',
  'sessionId',
  'linkId',
]

/** Our ids are shorter, but a path may contain anything. */
const ID_CHARS_MAX = 200

function toOriginFields({ address, params }: Origin, principal: Caller | undefined): string {
  const { organizationId } = params
  const fields: Record<string, unknown> = { client: address }
  // For a refused caller this is the id in the path, which need not exist.
  if (principal?.organizationId === undefined && organizationId !== undefined)
    fields.organization = organizationId.slice(0, ID_CHARS_MAX)
  const target = TARGET_PARAMS.filter((name) => params[name] !== undefined).map((name) => [
    name,
    params[name]!.slice(0, ID_CHARS_MAX),
  ])
  if (target.length > 0) fields.target = Object.fromEntries(target)
  return `,${JSON.stringify(fields).slice(1, -1)}`
}

const round = (ms: number): number => Math.round(ms * 10) / 10
