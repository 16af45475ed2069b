import type { IncomingHttpHeaders } from 'node:http'

/** The attributes of a span: never a secret, never names or texts of people. */
export type SpanAttributes = Record<string, string | number | boolean>

/** Makes spans. It exists only if something receives them (observability/traces.ts). */
export interface Tracing {
  /** Begins the span of a request, in the trace that its headers name or in a new one. */
  beginRequest(headers: IncomingHttpHeaders): RequestSpan
  /**
   * Runs the work as part of the current request or turn, or without a span if there is neither. `note` adds attributes.
   * `client` means that the work waits for another system.
   */
  part<T>(
    name: string,
    kind: 'client' | 'internal',
    attributes: SpanAttributes,
    work: (note: (attributes: SpanAttributes) => void) => Promise<T>,
  ): Promise<T>
  /** Runs one turn of work that takes several: all turns with this key share a trace, whichever process runs them. */
  turn<T>(
    name: string,
    key: string,
    attributes: SpanAttributes,
    work: (note: (attributes: SpanAttributes) => void) => Promise<T>,
  ): Promise<T>
  /** Returns the id of the current trace. */
  traceId(): string | undefined
  /** Headers that carry the trace to another system, without baggage. */
  headers(): Record<string, string>
  /** Sends the remaining spans, for a few seconds at most. */
  close(): Promise<void>
}

export interface RequestSpan {
  traceId: string
  /** Calls `next` so that everything it starts belongs to the request. */
  run(next: () => void): void
  /** Ends the span; further calls do nothing. */
  end(name: string, attributes: SpanAttributes, isFault: boolean): void
}
