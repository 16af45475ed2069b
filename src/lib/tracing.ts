import type { IncomingHttpHeaders } from 'node:http'

/** Attributes of a span: never a secret, never the names or texts of people. */
export type SpanAttributes = Record<string, string | number | boolean>

/** Makes spans. It exists only when something takes them (observability/traces.ts). */
export interface Tracing {
  /** Begins the span of a request, in the trace that its headers name or in a new one. */
  beginRequest(headers: IncomingHttpHeaders): RequestSpan
  /**
   * Runs the work as a part of the request or the turn that is under way, or plainly where neither is. `note` tells
   * more of it. `client`: it waits for another system.
   */
  part<T>(
    name: string,
    kind: 'client' | 'internal',
    attributes: SpanAttributes,
    work: (note: (attributes: SpanAttributes) => void) => Promise<T>,
  ): Promise<T>
  /** Runs a turn at what takes several: all turns with this key are one trace, whichever process takes them. */
  turn<T>(
    name: string,
    key: string,
    attributes: SpanAttributes,
    work: (note: (attributes: SpanAttributes) => void) => Promise<T>,
  ): Promise<T>
  /** Gives the id of the trace that is under way. */
  traceId(): string | undefined
  /** Headers that carry the trace into another system: no baggage. */
  headers(): Record<string, string>
  /** Sends what is left, for some seconds at most. */
  close(): Promise<void>
}

export interface RequestSpan {
  traceId: string
  /** Calls `next` so that all it starts belongs to the request. */
  run(next: () => void): void
  /** Ends the span; further calls do nothing. */
  end(name: string, attributes: SpanAttributes, isFault: boolean): void
}
