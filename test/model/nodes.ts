import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Child, startChild } from '../child.js'
import { NO_RATE_LIMITS } from '../harness.js'
import type { ChannelPlan, Stage } from './stage.js'

export const OPERATOR_TOKEN = 'operator-token-of-the-model'
const MASTER_KEY = 'a7'.repeat(32)
const KILL_EVERY_MS = 6_000
/** A call to the platform is aborted after this real time. */
const GRAPH_TIMEOUT_MS = 1_000

export interface NodesOptions {
  /** Must be 1 if the database is embedded. */
  count: number
  /** Undefined for the embedded engine. */
  databaseUrl: string | undefined
  graphUrl: string
  origin: number
  speed: number
}

/** The processes of the service, which are killed, paused and resumed. */
export class Nodes {
  private readonly children: (Child | undefined)[] = []
  private readonly urls: string[] = []
  /** The last disturbance of each node; its disturbances run one after another. */
  private readonly busy: Promise<void>[] = []
  private readonly dataDir = mkdtempSync(join(tmpdir(), 'greenroom-model-'))
  readonly counts = { kills: 0, pauses: 0 }
  private killsFrom = 0
  /** The intervals in which a node was killed or paused, in milliseconds of real time. */
  readonly disturbed: { from: number; to: number }[] = []

  constructor(private readonly options: NodesOptions) {}

  get count(): number {
    return this.options.count
  }

  url(node: number): string {
    return this.urls[node % this.options.count]!
  }

  async startAll(channels: ChannelPlan[]): Promise<Stage> {
    const stage = await this.start(0, channels)
    for (let node = 1; node < this.options.count; node++) await this.start(node)
    return stage!
  }

  /**
   * Kills the node with -9 and starts it again. Does nothing soon after another kill, so that one node usually answers.
   */
  async kill(node: number): Promise<void> {
    if (Date.now() < this.killsFrom) return
    this.killsFrom = Number.POSITIVE_INFINITY
    return this.disturb(node, async () => {
      this.counts.kills++
      const child = this.children[node]!
      child.process.kill('SIGKILL')
      await child.ended
      await this.start(node)
      this.killsFrom = Date.now() + KILL_EVERY_MS
    })
  }

  /** Pauses the node, as if its machine had no processor time, and resumes it. */
  pause(node: number, ms: number): Promise<void> {
    return this.disturb(node, async () => {
      this.counts.pauses++
      const child = this.children[node]!
      child.process.kill('SIGSTOP')
      await wait(ms)
      child.process.kill('SIGCONT')
    })
  }

  /** Waits until no node is being disturbed. */
  async settled(): Promise<void> {
    await Promise.all(this.busy)
  }

  async stop(): Promise<void> {
    await this.settled().catch(() => {})
    for (const child of this.children) child?.process.kill('SIGKILL')
    await Promise.all(this.children.map((child) => child?.ended))
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  private disturb(node: number, work: () => Promise<void>): Promise<void> {
    const next = (this.busy[node] ?? Promise.resolve()).then(async () => {
      const from = Date.now()
      await work()
      this.disturbed.push({ from, to: Date.now() })
    })
    this.busy[node] = next
    return next
  }

  private async start(node: number, channels?: ChannelPlan[]): Promise<Stage | undefined> {
    const { databaseUrl, graphUrl, origin, speed } = this.options
    const env = {
      ...NO_RATE_LIMITS,
      ...(databaseUrl === undefined ? { DATA_DIR: this.dataDir } : { DATABASE_URL: databaseUrl }),
      ...{ MASTER_KEY, OPERATOR_TOKEN, HOST: '127.0.0.1', PORT: '0', DRAIN_MS: '0', LOG_LEVEL: 'silent' },
      ...{ GRAPH_BASE_URL: graphUrl, GRAPH_TIMEOUT_MS: String(GRAPH_TIMEOUT_MS) },
    }
    const child = startChild(PROGRAM, [JSON.stringify({ env, origin, speed, channels })])
    this.children[node] = child
    const { value, done } = await child.lines.next()
    if (done) throw new Error(`a node did not start: ${child.errors().slice(-2_000)}`)
    const { url, stage } = JSON.parse(value) as { url: string; stage?: Stage }
    this.urls[node] = url
    return stage
  }
}

const PROGRAM = new URL('./node.ts', import.meta.url)
