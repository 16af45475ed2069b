import { createHash } from 'node:crypto'
import {
  type Context,
  context,
  DiagLogLevel,
  diag,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Log } from '../database/database.js'
import type { Tracing } from '../lib/tracing.js'
import { programVersion } from '../lib/version.js'
import { type AbortableWait, waitUntilAborted, within } from './answer-within.js'

/** The part of @opentelemetry/sdk-node that is used. The operator installs it (docs/decisions/observability.md). */
export interface Sdk {
  NodeSDK: new (options: Record<string, unknown>) => { start(): void; shutdown(): Promise<void> }
  resources: { resourceFromAttributes(attributes: Record<string, string>): unknown }
}

const PACKAGE = '@opentelemetry/sdk-node'
/** How long an unavailable collector may delay a stop. */
const CLOSE_MS = 3_000
const SERVICE = 'greenroom'

/**
 * Opens tracing with the SDK that is already registered (`NODE_OPTIONS=--import …`), or with the installed one if
 * OpenTelemetry's variables ask for traces. Undefined if there is neither: nothing is traced.
 */
export async function openTracing(
  isAskedFor: boolean,
  log: Log,
  {
    load = () => import(PACKAGE as string),
    wait = waitUntilAborted,
  }: { load?(): Promise<Sdk>; wait?: AbortableWait } = {},
): Promise<Tracing | undefined> {
  const registered = findTracer()
  if (registered !== undefined) return createTracing(registered)
  if (!isAskedFor) return undefined
  let sdk: Sdk
  try {
    sdk = await load()
  } catch (error) {
    log.warn(
      { reason: (error as Error).message.split('\n')[0] },
      `no traces are sent: OTEL_ variables request them, but ${PACKAGE} cannot be loaded; install it beside greenroom`,
    )
    return undefined
  }
  const node = new sdk.NodeSDK({
    // The environment's own name for the service takes precedence.
    resource: sdk.resources.resourceFromAttributes({ 'service.name': SERVICE, 'service.version': programVersion() }),
    // Only our own spans: others would contain whole paths and statements. Metrics are at /metrics, the log is on standard
    // output.
    instrumentations: [],
    metricReaders: [],
    logRecordProcessors: [],
  })
  const say = (reason: string): void => log.warn({ reason }, 'traces could not be sent')
  const quiet = (): void => {}
  diag.setLogger(
    { error: say, warn: say, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  node.start()
  const tracer = findTracer()
  if (tracer === undefined) {
    await node.shutdown()
    return undefined
  }
  log.info('traces are sent')
  return createTracing(tracer, async () => {
    const shutdown = node.shutdown().catch((error) => log.warn({ err: error }, 'the last traces could not be sent'))
    await within(CLOSE_MS, shutdown, () => {}, wait)
  })
}

/** Returns undefined if no SDK is registered. */
function findTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider()
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer(SERVICE, programVersion())
    : provider.getTracer(SERVICE, programVersion())
}

function createTracing(tracer: Tracer, close: () => Promise<void> = async () => {}): Tracing {
  async function runIn<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
    try {
      return await context.with(trace.setSpan(parent, span), work)
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      // Not the message, which may contain what people wrote.
      span.setAttribute('error.type', typeOf(error))
      throw error
    } finally {
      span.end()
    }
  }

  return {
    beginRequest(headers) {
      // A malformed header counts as absent. Baggage from callers is of no use here.
      const parent = propagation.deleteBaggage(propagation.extract(ROOT_CONTEXT, headers))
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parent)
      const own = trace.setSpan(parent, span)
      let isOver = false
      return {
        traceId: span.spanContext().traceId,
        run: (next) => context.with(own, next),
        end(name, attributes, isFault) {
          if (isOver) return
          isOver = true
          span.updateName(name).setAttributes(attributes)
          if (isFault) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
    part(name, kind, attributes, work) {
      const parent = context.active()
      // Work outside a request or turn, such as the poll for due posts each second, is not traced.
      if (trace.getSpan(parent) === undefined) return work(() => {})
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent)
      return runIn(span, parent, () => work((more) => span.setAttributes(more)))
    },
    turn(name, key, attributes, work) {
      const parent = trace.setSpanContext(ROOT_CONTEXT, toSpanContext(key))
      const span = tracer.startSpan(name, { attributes }, parent)
      return runIn(span, parent, () => work((more) => span.setAttributes(more)))
    },
    traceId: () => trace.getActiveSpan()?.spanContext().traceId,
    headers() {
      const headers: Record<string, string> = {}
      propagation.inject(context.active(), headers)
      return headers
    },
    close,
  }
}

const KINDS = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

/** The same in every process, so that work that one of them abandoned continues in its trace. */
function toSpanContext(key: string) {
  const digest = createHash('sha256').update(key).digest('hex')
  return {
    traceId: digest.slice(0, 32),
    spanId: digest.slice(32, 48),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  }
}

/** The kind of a failed call, an SQLSTATE or error code, or the class of the error. */
function typeOf(error: unknown): string {
  const { kind, code, name } = (error ?? {}) as Record<'kind' | 'code' | 'name', unknown>
  const known = [kind, code, name].find((value) => typeof value === 'string' && /^[\w-]{1,60}$/.test(value))
  return (known as string | undefined) ?? 'unknown'
}
