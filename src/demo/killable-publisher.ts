import type { Database, Queryable } from '../database/database.js'
import type { GraphClient } from '../graph/graph-client.js'
import { type Wait, waitJittered } from '../lib/wait.js'
import { type Publisher, startPublisher } from '../publisher/publisher.js'

type StartPublisher = typeof startPublisher
type PublisherContext = Parameters<StartPublisher>[0]

/** The time until a supervisor would restart the publisher. Until then nothing is published. */
const RESTART_MS = 5_000

/**
 * A publisher that can be killed at any moment, and the code that starts the next one. Only one process can open the
 * embedded database, so the publisher is not a separate process. Instead `kill` cuts it off: its pending requests may still
 * be carried out, but it gets no answers and sends no further requests, and everything it holds stays as it was.
 */
export function createKillablePublisher(wait: Wait = waitJittered): { start: StartPublisher; kill(): void } {
  let kill = (): void => {}
  return {
    kill: () => kill(),
    start(context, options) {
      const stopped = new AbortController()
      let present: Publisher
      let next: Promise<void> = Promise.resolve()
      const begin = (): void => {
        const { cutOff, cut } = makeCuttable(context)
        present = startPublisher(cutOff, options)
        kill = () => {
          kill = () => {}
          cut()
          context.log.warn('publisher killed; the next one starts in a few seconds')
          next = wait(RESTART_MS, stopped.signal).then(begin, () => {})
        }
      }
      begin()
      return {
        tick: () => present.tick(),
        status: () => present.status(),
        async stop() {
          stopped.abort()
          kill = () => {}
          await next
          await present.stop()
        },
      }
    },
  }
}

/** Returns the same context, and a function that cuts off everything the context provides. */
function makeCuttable(context: PublisherContext): { cutOff: PublisherContext; cut(): void } {
  let isCut = false
  const never = new Promise<never>(() => {})
  /** Drops the result of work that finishes after the cut. */
  async function reach<T>(work: () => Promise<T>): Promise<T> {
    if (isCut) return never
    try {
      const result = await work()
      return isCut ? await never : result
    } catch (error) {
      if (isCut) return never
      throw error
    }
  }
  const { database, graph } = context
  return {
    cutOff: { ...context, database: cuttableDatabase(database), graph: cuttableGraph(graph) },
    cut() {
      isCut = true
    },
  }

  function cuttableDatabase(target: Database): Database {
    return {
      ...target,
      query: (text, values) => reach(() => target.query(text, values)),
      execute: (text) => reach(() => target.execute(text)),
      transaction: (work, organizationId) =>
        reach(() => target.transaction((tx) => work(cuttableTransaction(tx)), organizationId)),
      readInSnapshot: (read) => reach(() => target.readInSnapshot((tx) => read(cuttableTransaction(tx)))),
      readAside: (read) => reach(() => target.readAside((tx) => read(cuttableTransaction(tx)))),
    }
  }

  /** A cut transaction is rolled back, as if its connection had ended, so that it does not wait forever. */
  function cuttableTransaction(tx: Queryable): Queryable {
    const check = (): void => {
      if (isCut) throw new Error('the publisher was killed')
    }
    return {
      async query(text, values) {
        check()
        return tx.query(text, values)
      },
      async execute(text) {
        check()
        return tx.execute(text)
      },
    }
  }

  function cuttableGraph(target: GraphClient): GraphClient {
    return {
      get: (...call) => reach(() => target.get(...call)),
      post: (...call) => reach(() => target.post(...call)),
      platformNow: () => target.platformNow(),
      forRequest: (request) => cuttableGraph(target.forRequest(request)),
    }
  }
}
