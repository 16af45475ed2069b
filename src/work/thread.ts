import { once } from 'node:events'
import { setTimeout as timeout } from 'node:timers/promises'
import v8 from 'node:v8'
import { type Transferable, Worker } from 'node:worker_threads'
import type { Program } from '../lib/program.js'
import type { Wait } from '../lib/wait.js'

/**
 * A thread for work on untrusted input. It does one job at a time, and takes neither time nor memory from the thread that
 * answers requests. A job that takes too much of either is ended together with its thread, and the next job gets a new one.
 * On two busy processors a round trip of a small job takes 0.2 ms, one with 4 MiB copied takes 6 ms, and starting a thread
 * takes 80 ms.
 *
 * tinypool counts the time a job waits for its turn as the job's own, and leaves the jobs behind an aborted one waiting for
 * the next; piscina needs a native module (docs/decisions/intake.md).
 */
export interface Thread<Job, Result> {
  /** Throws ThreadError, or what the job throws: an Error with the same message and code. `transfer` moves buffers. */
  run(job: Job, options?: { transfer?: readonly Transferable[]; timeoutMs?: number }): Promise<Result>
  /** Ends the thread. Remaining jobs fail. */
  stop(): Promise<void>
}

export interface ThreadOptions {
  /** The time limit of one job, counted from its start in the thread. */
  timeoutMs: number
  /** The memory limit for all objects of the thread, without buffers. */
  memoryMb: number
  /** The number of jobs that may wait, including the running one. */
  jobsMax: number
  /** How long the thread stays without a job. */
  idleMs?: number
  wait?: Wait
}

/** Why a job returned no result. */
export type ThreadFailure = 'timeout' | 'memory' | 'ended' | 'start' | 'full' | 'stopped'

export class ThreadError extends Error {
  constructor(
    readonly failure: ThreadFailure,
    options?: ErrorOptions,
  ) {
    super(FAILURES[failure], options)
    this.name = 'ThreadError'
  }
}

const FAILURES: Readonly<Record<ThreadFailure, string>> = {
  timeout: 'the job took too long',
  memory: 'the job took too much memory',
  ended: 'the thread ended during the job',
  start: 'the thread did not start',
  full: 'too many jobs are waiting for the thread',
  stopped: 'the thread is stopped',
}

/** The thread's answer to a job (thread-program.ts). */
export type ThreadAnswer = { result: unknown } | { error: { message: string; code: string | undefined } }

interface Waiting {
  job: unknown
  transfer: readonly Transferable[]
  timeoutMs: number
  resolve(result: unknown): void
  reject(error: unknown): void
}

const IDLE_MS = 60_000
/** A suspended process has at most one step counted, and a job that ended in the meantime has answered before the next. */
const STEPS = 5

/**
 * A young generation of the size that V8 chooses. The process's flags, as `npm start` sets them, take precedence over a new
 * thread's limits, and with 64 MB a thread that reaches its limit while many objects are promoted ends the whole process.
 * The heap of this thread already exists.
 */
const YOUNG_FLAGS = ['--min-semi-space-size=0', '--max-semi-space-size=0']

const waitUnref: Wait = (ms, signal) => timeout(ms, undefined, { signal, ref: false })

/**
 * Creates the thread of a program (thread-program.ts). It starts with the first job, and does not keep the process alive.
 */
export function createThread<Job, Result>(program: Program, options: ThreadOptions): Thread<Job, Result> {
  const { memoryMb, jobsMax, idleMs = IDLE_MS, wait = waitUnref } = options
  const waiting: Waiting[] = []
  let current: Waiting | undefined
  let worker: Worker | undefined
  let isStopped = false
  let idle: NodeJS.Timeout | undefined

  /** Abandons a worker, and fails its job. */
  function abandon(gone: Worker, error: unknown): void {
    if (worker !== gone) return
    worker = undefined
    current?.reject(error)
  }

  async function start(): Promise<Worker> {
    for (const flag of YOUNG_FLAGS) v8.setFlagsFromString(flag)
    const started = new Worker(program.threadUrl, {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    })
    started.unref()
    worker = started
    let isReady = false
    const fail = (cause?: NodeJS.ErrnoException): void => {
      const ofJob = cause?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'ended'
      abandon(started, new ThreadError(isReady ? ofJob : 'start', { cause }))
    }
    started.on('error', fail)
    started.on('exit', () => fail())
    // It reports that it is ready.
    await once(started, 'message')
    isReady = true
    started.on('message', (answer: ThreadAnswer) => {
      if (worker !== started) return
      if ('result' in answer) current?.resolve(answer.result)
      else current?.reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }))
    })
    return started
  }

  async function limitTime(own: Worker, ms: number, signal: AbortSignal): Promise<void> {
    for (let step = 0; step < STEPS; step++) await wait(ms / STEPS, signal)
    abandon(own, new ThreadError('timeout'))
    await own.terminate()
  }

  /** Settles the job. */
  async function runOne(next: Waiting): Promise<void> {
    const bound = new AbortController()
    await new Promise<void>((resolve) => {
      const settle =
        <T>(how: (value: T) => void) =>
        (value: T): void => {
          how(value)
          resolve()
        }
      current = { ...next, resolve: settle(next.resolve), reject: settle(next.reject) }
      void begin(current, bound.signal)
    })
    current = undefined
    bound.abort()
  }

  async function begin(own: Waiting, signal: AbortSignal): Promise<void> {
    try {
      const ready = worker ?? (await start())
      if (signal.aborted) return
      ready.postMessage(own.job, own.transfer)
      await limitTime(ready, own.timeoutMs, signal)
    } catch (error) {
      // A failed start has already rejected the job.
      if (!signal.aborted) own.reject(error)
    }
  }

  async function runAll(): Promise<void> {
    clearTimeout(idle)
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      await runOne(next)
      waiting.shift()
    }
    idle = setTimeout(() => void end(), idleMs).unref()
  }

  async function end(): Promise<void> {
    const last = worker
    worker = undefined
    await last?.terminate()
  }

  return {
    run(job, { transfer = [], timeoutMs = options.timeoutMs } = {}) {
      if (isStopped) return Promise.reject(new ThreadError('stopped'))
      if (waiting.length >= jobsMax) return Promise.reject(new ThreadError('full'))
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ job, transfer, timeoutMs, resolve: resolve as Waiting['resolve'], reject })
        if (waiting.length === 1) void runAll()
      })
    },
    async stop() {
      isStopped = true
      clearTimeout(idle)
      const error = new ThreadError('stopped')
      for (const { reject } of waiting.splice(1)) reject(error)
      current?.reject(error)
      await end()
    },
  }
}
