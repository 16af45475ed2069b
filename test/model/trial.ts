import { setTimeout as wait } from 'node:timers/promises'
import { startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { type PostgresServer, startPostgres } from '../postgres-server.js'
import { act, broken, openPartlyOut, type Play } from './act.js'
import { Calls } from './calls.js'
import { checkAll } from './check.js'
import { fastClock } from './clock.js'
import { Nodes } from './nodes.js'
import { planSequence, type Sequence } from './plan.js'
import { planChannels } from './stage.js'
import { disturb, pageIdOf, type Violation, type World } from './world.js'

export type Engine = 'postgres' | 'embedded'

export interface TrialOptions {
  engine: Engine
  seed: number
  /** The factor by which the clocks are faster than the machine's. */
  speed: number
  /** The number of sequences that run side by side. */
  lanes: number
  /** No sequence begins after this time. */
  seconds: number
  /** The number of the only sequence to play; all by default. */
  only?: number | undefined
  /** The number of steps to play of each sequence; all by default. */
  steps?: number | undefined
}

export interface TrialResult {
  violations: Violation[]
  sequences: number
  steps: number
  posts: number
  published: number
  counts: Record<string, number>
}

/** Starts nodes, plays sequences, and checks the final state. */
export async function runTrial(options: TrialOptions): Promise<TrialResult> {
  const { engine, speed, lanes } = options
  const origin = Date.now()
  const clock = fastClock({ origin, speed })
  const channels = planChannels(lanes)
  const pages = channels.map((channel) => ({
    id: pageIdOf(channel),
    platform: channel.type === 'FB_PAGE' ? ('facebook' as const) : ('instagram' as const),
    name: channel.channelId,
    accessToken: channel.token,
    quotaTotal: 1_000_000,
  }))
  const sandbox = await startSandbox({ model: { tokens: {}, adAccounts: [], pages }, clock })
  let server: PostgresServer | undefined
  let nodes: Nodes | undefined
  try {
    server =
      engine === 'postgres' ? await startPostgres({ settings: { fsync: 'off', max_connections: 100 } }) : undefined
    const count = engine === 'postgres' ? 2 : 1
    nodes = new Nodes({ count, databaseUrl: server?.url, graphUrl: sandbox.url, origin, speed })
    const stage = await nodes.startAll(channels)
    const violations: Violation[] = []
    const calls = new Calls(nodes, stage, clock, (what) => {
      violations.push({ sequence: -1, steps: Number.MAX_SAFE_INTEGER, what })
    })
    const world: World = {
      ...{ nodes, calls, sandbox, clock, channels, violations, posts: [], inactive: [], counts: {} },
      switching: Promise.resolve(),
    }
    const { sequences, steps } = await playAll(world, options)
    await checkAll(world)
    Object.assign(world.counts, {
      ...nodes.counts,
      answers: calls.counts.answered,
      'lost responses': calls.counts.lost,
    })
    const { posts, counts } = world
    return { violations, sequences, steps, posts: posts.length, published: sandbox.published.length, counts }
  } finally {
    await nodes?.stop()
    await server?.stop()
    await sandbox.close()
  }
}

/** Each lane plays sequences one after another, until the time is over. */
async function playAll(world: World, options: TrialOptions): Promise<{ sequences: number; steps: number }> {
  const { lanes, seconds, seed, engine, only } = options
  const end = Date.now() + seconds * 1_000
  let next = 0
  let steps = 0
  async function playLane(lane: number): Promise<void> {
    while (Date.now() < end && world.violations.length === 0) {
      const sequence = planSequence(seed, next++, engine)
      const begun = await play(world, sequence, lane, options)
      steps += begun
    }
  }
  if (only === undefined) await Promise.all(Array.from({ length: lanes }, (_, lane) => playLane(lane)))
  else steps = await play(world, planSequence(seed, only, engine), 0, options)
  return { sequences: only === undefined ? next : 1, steps }
}

async function play(world: World, sequence: Sequence, lane: number, { steps: max }: TrialOptions): Promise<number> {
  const channels = world.channels.filter((one) => one.lane === lane && one.organization === sequence.organization)
  const playing: Play = { world, sequence, channels, posts: [], begun: 0 }
  if (sequence.isPartlyOut)
    await openPartlyOut(playing).catch((error: Error) => broken(playing, `the model itself failed: ${error.stack}`))
  let under: Promise<void> = Promise.resolve()
  for (const step of sequence.steps.slice(0, max)) {
    if (!step.isBeside) await under
    if (world.violations.some((violation) => violation.sequence === sequence.index)) break
    await wait(step.waitMs)
    playing.begun++
    if (step.disturbance !== undefined) await disturb(world, sequence, channels, step.disturbance)
    const done = act(playing, step).catch((error: Error) => broken(playing, `the model itself failed: ${error.stack}`))
    under = Promise.all([under, done]).then(() => {})
  }
  await under
  return playing.begun
}
