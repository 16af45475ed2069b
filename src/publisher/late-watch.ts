import type { Context } from '../http/context.js'
import { WAIT_TEXTS, type WaitReason } from '../interface/post-waits.js'
import type { Wait } from '../lib/wait.js'
import { countLatePosts } from '../posts/waits.js'
import { type Loop, startLoop } from '../work/loop.js'

const EVERY_MS = 60_000
/** How long until the log first repeats itself; each later interval is twice as long. */
const AGAIN_MS = 300_000

/** The waits that no publisher logs, because none has claimed the posts. */
const WATCHED: readonly WaitReason[] = ['publisher_off', 'queue']

interface Reported {
  since: number
  at: number
}

type WatchContext = Pick<Context, 'clock' | 'database' | 'log'>

/** Logs that posts are waiting for a publisher: when the wait begins, then less and less often, and when it ends. */
export const startLateWatch = (context: WatchContext, wait?: Wait): Loop => {
  const look = createLateWatch(context)
  return startLoop(look, {
    name: 'counting late posts',
    log: context.log,
    everyMs: EVERY_MS,
    ...(wait && { wait }),
  })
}

/** Looks once. */
export function createLateWatch({ clock, database, log }: WatchContext): () => Promise<void> {
  const reported = new Map<WaitReason, Reported>()
  return async () => {
    const now = clock.now()
    const { reasons, oldestDueAt } = await countLatePosts(database, new Date(now))
    for (const reason of WATCHED) {
      const posts = reasons[reason] ?? 0
      const before = reported.get(reason)
      if (posts === 0) {
        if (before !== undefined) log.info({ wait: reason, waitedMs: now - before.since }, 'posts wait no longer')
        reported.delete(reason)
        continue
      }
      const isDue = before === undefined || now - before.at >= Math.max(AGAIN_MS, before.at - before.since)
      if (!isDue) continue
      log.warn({ wait: reason, reason: WAIT_TEXTS[reason], posts, oldestDueAt }, 'posts wait')
      reported.set(reason, { since: before?.since ?? now, at: now })
    }
  }
}
