import type { FastifyReply } from 'fastify'
import type { GraphClient } from '../../graph/graph-client.js'
import { type Meter, MeteredDatabase } from '../../observability/meter.js'
import type { Context } from '../context.js'
import type { RequestState } from '../request-state.js'

/**
 * Makes the context for one request: its time is counted, and its upstream calls end with it. The rest of the context is its
 * prototype, because a copy costs 6.6 % of full 50 on PostgreSQL (bench/README.md).
 */
export function requestContext<Needs extends Context>(context: Needs, state: RequestState, reply: FastifyReply): Needs {
  const { meter } = state
  const own: Needs = Object.create(context)
  own.database = new MeteredDatabase(context.database, meter, () => state.principal?.organizationId)
  own.graph = new RequestGraph(context.graph, meter, reply)
  return own
}

/**
 * The platform client for one request. It is created at the first call, because most requests make none, and an AbortSignal
 * for each costs 27 % of full 50 (bench/README.md).
 */
class RequestGraph implements GraphClient {
  private made: GraphClient | undefined

  constructor(
    private readonly graph: GraphClient,
    private readonly meter: Meter,
    private readonly reply: FastifyReply,
  ) {}

  get(...args: Parameters<GraphClient['get']>): ReturnType<GraphClient['get']> {
    return this.client().get(...args)
  }

  post(...args: Parameters<GraphClient['post']>): ReturnType<GraphClient['post']> {
    return this.client().post(...args)
  }

  platformNow(): Date | undefined {
    return this.graph.platformNow()
  }

  forRequest(...args: Parameters<GraphClient['forRequest']>): GraphClient {
    return this.graph.forRequest(...args)
  }

  private client(): GraphClient {
    this.made ??= this.graph.forRequest({
      signal: abortedWithCaller(this.reply),
      onUpstreamMs: (ms) => {
        this.meter.upstreamMs += ms
      },
    })
    return this.made
  }
}

function abortedWithCaller({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const onClose = (): void => {
    if (!raw.writableFinished) controller.abort()
  }
  if (raw.closed) onClose()
  else raw.once('close', onClose)
  return controller.signal
}
