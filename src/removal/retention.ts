import type { Config } from '../config/index.js'
import { newRowBudget, type RowBudget } from '../database/batches.js'
import { DatabaseUnavailableError } from '../database/database.js'
import { type Loop, startLoop } from '../work/loop.js'
import { claimTask, noteTask } from './housekeeping.store.js'
import { removeOldEntries } from './remove-old-entries.js'
import { removePostContent, removeRevokedKeys } from './remove-rows.js'
import { removeUnusedMedia } from './remove-unused-media.js'
import type { RetentionContext, Task } from './task.js'

const LOOK_EVERY_MS = 60_000
const EVERY_MS = 24 * 3_600_000
/** A round takes minutes. If its node dies or loses the database, the task is blocked no longer than this. */
const CLAIM_MS = 3_600_000
/** A round that has used up its budget continues soon; requests are served in between. */
const GO_ON_AFTER_MS = 60_000
/** The wait after a failure, such as a full disk. */
const AGAIN_AFTER_MS = 15 * 60_000

export type TaskName = 'audit' | 'posts' | 'keys' | 'media'

/** Lists the configured tasks, each with how long it keeps data. */
export function tasksOf({ retention }: Pick<Config, 'retention'>): { name: TaskName; keepMs: number; task: Task }[] {
  const { audit, postContentMs, revokedKeysMs, unusedMediaMs } = retention
  // The content of posts is removed before the media that it uses.
  const all: [TaskName, number | undefined, Task][] = [
    ['audit', audit?.keepMs, removeOldEntries],
    ['posts', postContentMs, removePostContent],
    ['keys', revokedKeysMs, removeRevokedKeys],
    ['media', unusedMediaMs, removeUnusedMedia],
  ]
  return all.flatMap(([name, keepMs, task]) => (keepMs === undefined ? [] : [{ name, keepMs, task }]))
}

/** Runs each task once a day, on one of the nodes. Undefined if everything is kept forever. */
export function startRetention(context: RetentionContext): Pick<Loop, 'stop'> | undefined {
  if (tasksOf(context.config).length === 0) return undefined
  const budget = newRowBudget(0)
  const loop = startLoop((_reason, signal) => runDueTasks(context, budget, () => signal.aborted), {
    name: 'retention',
    log: context.log,
    everyMs: LOOK_EVERY_MS,
  })
  return {
    stop() {
      // The running batch is the last one.
      budget.rows = 0
      return loop.stop()
    },
  }
}

/** Runs the due tasks. A task that fails is retried later and does not hold up the others. */
export async function runDueTasks(
  context: RetentionContext,
  budget: RowBudget = newRowBudget(0),
  isStopping = (): boolean => false,
): Promise<void> {
  const { clock, config, database, log } = context
  for (const { name, keepMs, task } of tasksOf(config)) {
    if (isStopping()) return
    const startedAt = clock.now()
    const inMs = (ms: number): Date => new Date(clock.now() + ms)
    if (!(await claimTask(database, name, { now: new Date(startedAt), next: inMs(CLAIM_MS) }))) continue
    budget.rows = isStopping() ? 0 : newRowBudget().rows
    try {
      const { deleted: removed, done } = await task(context, new Date(startedAt - keepMs), budget)
      const next = inMs(done ? EVERY_MS : GO_ON_AFTER_MS)
      await noteTask(database, name, { next, endedAt: done ? new Date(clock.now()) : undefined, removed })
      if (removed > 0) log.info({ task: name, removed, done }, 'expired data removed')
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) {
        log.error({ err: error, task: name }, 'cannot remove expired data')
      }
      await noteTask(database, name, { next: inMs(AGAIN_AFTER_MS), endedAt: undefined, removed: 0 })
    }
  }
}
