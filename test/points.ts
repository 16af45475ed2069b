import type { AppContext } from '../src/context.js'
import type { Queryable } from '../src/database/database.js'
import type { GraphClient } from '../src/graph/graph-client.js'
import { createPublisher } from '../src/publisher/publisher.js'

/** Called at each moment at which a process may die or stall. What it throws is thrown at that point. */
export type OnPoint = (name: string) => void | Promise<void>

/** Returns the context, with `onPoint` called before and after everything that leaves the process. */
export function withPoints(context: AppContext, onPoint: OnPoint): AppContext {
  const { database } = context
  return {
    ...context,
    graph: pointedGraph(context.graph, onPoint),
    database: {
      ...database,
      ...pointedQueryable(database, onPoint),
      async transaction(work) {
        await onPoint('before begin')
        const result = await database.transaction(async (tx) => {
          const done = await work(pointedQueryable(tx, onPoint))
          await onPoint('before commit')
          return done
        })
        await onPoint('after commit')
        return result
      },
    },
  }
}

function pointedQueryable(queryable: Queryable, onPoint: OnPoint): Queryable {
  return {
    ...queryable,
    async query<Row>(text: string, values?: readonly unknown[]) {
      const name = text.trim().replace(/\s+/g, ' ').slice(0, 60)
      await onPoint(`before ${name}`)
      const result = await queryable.query<Row>(text, values)
      await onPoint(`after ${name}`)
      return result
    },
  }
}

function pointedGraph(graph: GraphClient, onPoint: OnPoint): GraphClient {
  return {
    async get(path, ...rest) {
      await onPoint(`before GET ${path}`)
      const answer = await graph.get(path, ...rest)
      await onPoint(`after GET ${path}`)
      return answer
    },
    async post(path, ...rest) {
      await onPoint(`before POST ${path}`)
      const answer = await graph.post(path, ...rest)
      await onPoint(`after POST ${path}`)
      return answer
    },
    platformNow: () => graph.platformNow(),
    forRequest: (request) => pointedGraph(graph.forRequest(request), onPoint),
  }
}

/** Far more rounds than the longest wait takes. */
const ROUNDS_MAX = 300

/** Runs a publisher for each context side by side, whenever work is due, until every post has ended. */
export async function runToEnd(
  contexts: AppContext | AppContext[],
  clock: { now(): number; advance(ms: number): void },
): Promise<void> {
  const all = [contexts].flat()
  const publishers = all.map((context) => createPublisher(context))
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
    await Promise.all(publishers.map((publisher) => publisher.tick()))
    const { rows } = await all[0]!.database.query<{ next: Date | null }>(
      `select min(coalesce(leased_until, next_attempt_at, scheduled_for)) as next
         from scheduled_posts where status in ('SCHEDULED', 'PUBLISHING')`,
    )
    const next = rows[0]?.next
    if (next == null) return
    clock.advance(Math.max(0, next.getTime() - clock.now()))
  }
  throw new Error('the posts do not end')
}
