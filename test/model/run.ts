/**
 * `npm run test:model`: plays random stories of posts on the service as it runs (two nodes on PostgreSQL, one on the
 * embedded engine) with clocks ten times as fast, kills, stops and continues its nodes, breaks the stand-in platform,
 * and compares the outcome with what is known from outside: each post is published at most once, as it was approved;
 * no one approved what they wrote; every status, step and history is legal; no acknowledged change is lost; and nothing
 * failed without a cause. `--seed N` (or MODEL_SEED) plays the same stories again, `--engine postgres|embedded` plays on
 * one engine, and `--seconds N` plays longer. After a violation it searches for the shortest story that still breaks, for
 * up to eight minutes, and prints the command that repeats it. A race may need several tries.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type Engine, runTrial, type TrialOptions, type TrialResult } from './trial.js'

/** The time for shrinking. Each attempt takes at most a little more than a minute. */
const SHRINKING_MS = 8 * 60_000

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: process.env.MODEL_SEED },
    engine: { type: 'string', default: 'both' },
    seconds: { type: 'string', default: '75' },
    lanes: { type: 'string', default: '8' },
    speed: { type: 'string', default: '10' },
    only: { type: 'string' },
    steps: { type: 'string' },
    'no-shrink': { type: 'boolean', default: false },
  },
})
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed)
const engines: Engine[] = values.engine === 'both' ? ['postgres', 'embedded'] : [values.engine as Engine]
const say = (line: string): void => void process.stdout.write(`${line}\n`)

function optionsOf(engine: Engine): TrialOptions {
  const [seconds, lanes, speed] = [values.seconds, values.lanes, values.speed].map(Number)
  const [only, steps] = [values.only, values.steps].map((value) => (value === undefined ? undefined : Number(value)))
  // The embedded engine does one thing at a time.
  const own = engine === 'embedded' ? Math.ceil(lanes! / 2) : lanes!
  return { engine, seed, seconds: seconds!, lanes: only === undefined ? own : 1, speed: speed!, only, steps }
}

function report(engine: Engine, { sequences, steps, posts, published, counts, violations }: TrialResult): void {
  say(
    `${engine}: ${sequences} sequences, ${steps} steps, ${posts} posts, ${published} published, ${violations.length} violations`,
  )
  const entries = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))
  say(`  ${entries.map(([name, times]) => `${name} ${times}`).join(', ')}`)
}

/** Plays only the story of the violation, and the shortest beginning of it that still breaks something. */
async function shrink(options: TrialOptions, { sequence, steps }: { sequence: number; steps: number }): Promise<void> {
  const end = Date.now() + SHRINKING_MS
  const line = (max?: number): string =>
    `npm run test:model -- --seed ${seed} --engine ${options.engine} --only ${sequence}${max === undefined ? '' : ` --steps ${max}`}`
  let [low, high] = [0, Math.min(steps, 64)]
  let shortest: number | undefined
  const breaks = async (max: number): Promise<boolean> =>
    (await runTrial({ ...options, lanes: 1, only: sequence, steps: max })).violations.length > 0
  for (let tries = 0; tries < 3 && shortest === undefined && Date.now() < end; tries++) {
    if (await breaks(high)) shortest = high
  }
  while (shortest !== undefined && high - low > 1 && Date.now() < end) {
    const middle = Math.floor((low + high) / 2)
    if (await breaks(middle)) shortest = high = middle
    else low = middle
  }
  if (shortest === undefined) {
    say(
      `repeat with: npm run test:model -- --seed ${seed} --engine ${options.engine}   (no violation when played separately: ${line()})`,
    )
  } else say(`repeat with: ${line(shortest)}`)
}

async function run(engine: Engine): Promise<boolean> {
  const options = optionsOf(engine)
  const result = await runTrial(options)
  report(engine, result)
  for (const { sequence, what } of result.violations.slice(0, 20)) say(`  BROKEN in sequence ${sequence}: ${what}`)
  const first = result.violations.find(({ sequence }) => sequence >= 0)
  if (first !== undefined && !values['no-shrink']) await shrink(options, first)
  return result.violations.length === 0
}

say(`seed ${seed}`)
const startedAt = performance.now()
const outcomes = await Promise.all(engines.map(run))
say(
  `${Math.round((performance.now() - startedAt) / 1_000)} s, seed ${seed}: ${outcomes.every(Boolean) ? 'nothing broke' : 'broken'}`,
)
process.exit(outcomes.every(Boolean) ? 0 : 1)
