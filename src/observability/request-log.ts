import { type Logger, pino } from 'pino'
import type { Clock } from '../lib/clock.js'
import type { Meter } from './meter.js'

/** What is known of a request when it ends. */
export interface RequestFacts {
  operationId: string
  /** Who called, as far as they came: undefined for one who was refused. */
  principal: RequestPrincipal | undefined
  meter: Meter
}

/** Without an organization: a call about the server as a whole. */
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

/** Where pino keeps the stream that its lines go to, and the fields that each of them has. */
type Inside = Logger & { [pino.symbols.streamSym]: pino.DestinationStream; [pino.symbols.chindingsSym]: string }

/**
 * Writes the one wide line of a request. Path and query stay out: ids are in the fields, and a query may hold what is
 * personal. The line looks like any other of the log, but is put together here: with pino going through its fields it
 * would cost as much as finding the page (bench/README.md). No value in it needs an escape but those of `callerFields`.
 */
export function createRequestLog(log: Logger, clock: Clock) {
  const { [pino.symbols.streamSym]: stream, [pino.symbols.chindingsSym]: bindings } = log as Inside
  const start = `{"level":${log.levels.values.info},"time":`
  const callerFields = new WeakMap<RequestPrincipal, string>()

  function fieldsOf(principal: RequestPrincipal): string {
    const known = callerFields.get(principal)
    if (known !== undefined) return known
    const { organizationId, actor } = principal
    const organization = organizationId === undefined ? '' : `,"organization":${JSON.stringify(organizationId)}`
    const caller = actor.id === undefined ? `,"actor":"${actor.type}"` : `,"${actor.type}":${JSON.stringify(actor.id)}`
    const fields = `${organization}${caller}`
    callerFields.set(principal, fields)
    return fields
  }

  return (requestId: string, state: RequestFacts | undefined, outcome: Outcome): void => {
    if (!log.isLevelEnabled('info')) return
    const { status, errorCode, durationMs, aborted } = outcome
    let line = `${start}${clock.now()}${bindings},"requestId":"${requestId}"`
    if (state !== undefined) line += `,"operation":"${state.operationId}"`
    if (state?.principal !== undefined) line += fieldsOf(state.principal)
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

const round = (ms: number): number => Math.round(ms * 10) / 10
