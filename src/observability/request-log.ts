import { type Logger, pino } from 'pino'
import type { Clock } from '../lib/clock.js'
import type { Meter } from './meter.js'

/** What is known of a request when it ends. */
export interface RequestFacts {
  operationId: string
  /** Undefined for a caller who was refused. */
  principal: RequestPrincipal | undefined
  meter: Meter
}

/** Without an organization: of a call about the server as a whole. */
interface RequestPrincipal {
  organizationId?: string
  actor: { type: string; id?: string }
}

/** How a request ended. */
export interface Outcome {
  status?: number
  errorCode?: string | undefined
  durationMs?: number
  aborted?: true
}

/** What pino.symbols exports for such integrations: the stream of a logger, and the fields of all its lines. */
type LoggerInternals = Logger & {
  [pino.symbols.streamSym]: pino.DestinationStream
  [pino.symbols.chindingsSym]: string
}

/**
 * Writes the one wide line of a request. Path and query stay out: ids are in the fields, and a query may be personal data.
 * The line has the form of pino's, but is built here: `log.info` costs 12 % of full 50 (bench/README.md). The ids of the
 * caller are the only values that may need an escape.
 */
export function createRequestLog(log: Logger, clock: Clock) {
  const { [pino.symbols.streamSym]: stream, [pino.symbols.chindingsSym]: bindings } = log as LoggerInternals
  const start = `{"level":${log.levels.values.info},"time":`

  return (requestId: string, state: RequestFacts | undefined, outcome: Outcome): void => {
    if (!log.isLevelEnabled('info')) return
    const { status, errorCode, durationMs, aborted } = outcome
    let line = `${start}${clock.now()}${bindings},"requestId":"${requestId}"`
    if (state !== undefined) line += `,"operation":"${state.operationId}"`
    if (state?.principal !== undefined) line += toCallerFields(state.principal)
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

function toCallerFields({ organizationId, actor }: RequestPrincipal): string {
  const organization = organizationId === undefined ? '' : `,"organization":${JSON.stringify(organizationId)}`
  const caller = actor.id === undefined ? `,"actor":"${actor.type}"` : `,"${actor.type}":${JSON.stringify(actor.id)}`
  return organization + caller
}

const round = (ms: number): number => Math.round(ms * 10) / 10
