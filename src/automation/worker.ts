import { setTimeout } from 'node:timers/promises'
import { createAnalyzer } from '../database/analyze.js'
import type { Wait } from '../lib/wait.js'
import { startLoop } from '../work/loop.js'
import { type DecideContext, decideWaiting } from './decide.js'
import { type EffectsContext, makeEffects } from './effects.js'
import { type PollsContext, pollComments } from './polls.js'
import { type DrawContext, drawRaffles } from './raffles/draw.js'
import { planMessages } from './raffles/plan-messages.js'

export type AutomationContext = DecideContext & EffectsContext & PollsContext & DrawContext

const DECIDE_MS = 500
/** There are at most four likes per second. */
const EFFECTS_MS = 250
const POLL_MS = 2_000
const DRAW_MS = 2_000

/**
 * The tables that grow with the comments of one post, and in which rows are looked up by key. Without an analysis the
 * embedded engine takes 3,642 ms to insert the effects of the first 2,500 comments, with it 1,190 ms (bench:comments).
 */
const LEDGER = ['incoming_comments', 'automation_comments', 'automation_effects', 'automation_people']

/**
 * Decides comments, makes their effects, reads the comments of posts, and draws raffles. Any number of workers may share one
 * database.
 */
export function startAutomation(context: AutomationContext, options: { wait?: Wait } = {}): { stop(): Promise<void> } {
  const { log, database, clock } = context
  const analyze = createAnalyzer(database, clock, LEDGER)
  // Remaining work continues at once; a loop's poll is for new work.
  const whileThere = (work: (signal: AbortSignal) => Promise<number>) => async (_: string, signal: AbortSignal) => {
    while ((await work(signal)) > 0 && !signal.aborted);
  }
  const effects = startLoop(
    whileThere((stopping) =>
      makeEffects(context, { stopping, tick: () => setTimeout(EFFECTS_MS, undefined, { ref: false }) }),
    ),
    { name: 'making effects', log, everyMs: EFFECTS_MS, ...options },
  )
  const loops = [
    effects,
    startLoop(
      whileThere(async () => {
        const decided = await decideWaiting(context)
        if (decided > 0) {
          effects.nudge()
          await analyze()
        }
        return decided
      }),
      { name: 'deciding comments', log, everyMs: DECIDE_MS, ...options },
    ),
    startLoop(
      whileThere((signal) => pollComments(context, signal)),
      { name: 'reading comments', log, everyMs: POLL_MS, ...options },
    ),
    startLoop(
      whileThere(async (signal) => {
        const worked = (await drawRaffles(context, signal)) + (await planMessages(context))
        if (worked > 0) effects.nudge()
        return worked
      }),
      { name: 'drawing raffles', log, everyMs: DRAW_MS, ...options },
    ),
  ]
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
