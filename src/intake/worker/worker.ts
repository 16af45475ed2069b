import { eraseBodies } from '../../audience/live/erase-bodies.js'
import { createAnalyzer } from '../../database/analyze.js'
import { limit } from '../../lib/limits.js'
import { letOthersWork } from '../../lib/turns.js'
import type { Wait } from '../../lib/wait.js'
import { createLiveness, createLoneLiveness, type Liveness, LOOK_MS } from '../../work/liveness.js'
import { startLoop } from '../../work/loop.js'
import { listOrganizationsWithWork } from '../inbox/inbox.store.js'
import type { Intake } from '../intake.js'
import { type Attempts, createAttempts } from './attempts.js'
import { trimKeptBytes } from './kept-bytes.js'
import { applyStep, type Batch, LARGE_BYTES, readBatch, type Step, type Turn, type TurnContext } from './turn.js'
import { deleteOld, listLiveOrganizations } from './worker.store.js'

/** Applies what waits in the inbox. Any number of workers may share one database. */
export interface IntakeWorker {
  /** Applies everything that is waiting. */
  tick(): Promise<void>
  stop(): Promise<void>
}

const POLL_MS = 500
/**
 * Deliveries are gathered, because a round makes a revision of every channel that it changes. Rounds begin `ms` apart, or
 * earlier if this process has stored `bytes`, about 500 events, since the last one began. The median time until an event is
 * visible is 160 ms at 4,500 events per second; with a pause of 200 ms after each round it was 720 ms (bench:intake).
 */
const GATHER = { ms: 400, bytes: 100_000 }
/**
 * Another process may commit a delivery with a lower number after one with a higher number, so marks advance with a delay.
 */
const MARK_DELAY_MS = 2_000
/**
 * The whole inbox is examined only this often, because it may contain deleted rows that a long-running reader of the
 * database keeps.
 */
const FULL_LOOK_MS = 10_000
const CLEAN_MS = 3_600_000
/**
 * The tables in which the worker and the hooks look up rows by key. Without `analyze` the first 40,000 events are applied at
 * 512 and 517 per second, with it at 8,186 and 8,296. Without it, a separate process for the hooks answers 450 per second
 * instead of 2,900, because it compares each delivery with all kept ones (bench:intake, PostgreSQL).
 */
const KEYED_TABLES = ['conversations', 'person_ids', 'person_fields', 'purchases', 'refunds', 'kept_deliveries']
const CLEAN_ROWS = 5_000
/** Each is a transaction with a few hundred bodies, so an erasure delays incoming deliveries only briefly. */
const ERASURES_PER_ROUND = 2

/** The number of batches with a large delivery that are held at once: the facts of one may take 50 MB. */
const LARGE_BATCHES = 2

/** An organization that takes turns, one step at a time. */
interface Entry {
  organizationId: string
  /** How far its inbox was read. */
  mark: number
  /** The steps that were read but not applied yet. */
  batch: Batch | undefined
  /** True if more may be waiting after the mark. */
  isFull: boolean
  /** A worker may have died while it processed a delivery up to this one, so each of them is processed separately. */
  lastSuspect: number | undefined
}

/** Starts at once, polls twice a second, and is woken when this process stores deliveries. */
export function startIntakeWorker(
  context: TurnContext & { intake: Pick<Intake, 'decoding' | 'onStored'> },
  options: { wait?: Wait; liveness?: Liveness } = {},
): IntakeWorker {
  const { log, database, intake } = context
  const { wait, liveness = startLiveness(context) } = options
  const worker = createIntakeWorker(context, liveness)
  const gathering = createGathering()
  const loop = startLoop(
    async (_reason, signal) => {
      do gathering.begin()
      while ((await worker.applyRound(signal)) && (await gathering.end(signal)))
    },
    { name: 'applying deliveries', log, everyMs: POLL_MS, ...(wait && { wait }) },
  )
  // No other process uses the embedded database, so nobody needs a heartbeat.
  const heartbeat =
    database.engine === 'pglite'
      ? undefined
      : startLoop(() => liveness.keepAlive(), {
          ...{ name: 'the heartbeat of the intake worker', log, everyMs: LOOK_MS },
          ...(wait && { wait }),
        })
  intake.onStored((bytes) => {
    gathering.note(bytes)
    loop.nudge()
  })
  return {
    async tick() {
      while (await worker.applyRound());
    },
    async stop() {
      await Promise.all([loop.stop(), heartbeat?.stop()])
      await worker.stop().catch((error) => {
        // Other workers will find this one dead, and process deliveries one at a time for a while.
        log.error({ err: error }, 'could not record that the intake worker stopped')
      })
    },
  }
}

/** It ends no leases: intake_attempts shows what an earlier worker was doing. */
function startLiveness(context: TurnContext): Liveness {
  const noLeases = async (): Promise<void> => {}
  return context.database.engine === 'pglite'
    ? createLoneLiveness(context, noLeases, 'intake')
    : createLiveness(context, noLeases, 'intake')
}

function createGathering() {
  let startedAt = 0
  let bytes = 0
  let wake = (): void => {}
  return {
    begin(): void {
      startedAt = performance.now()
      bytes = 0
    },
    note(stored: number): void {
      bytes += stored
      if (bytes >= GATHER.bytes) wake()
    },
    /** Waits until the next round is due. Returns false if the worker is stopped. */
    async end(signal: AbortSignal): Promise<boolean> {
      const left = startedAt + GATHER.ms - performance.now()
      if (left <= 0 || bytes >= GATHER.bytes || signal.aborted) return !signal.aborted
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
        signal.addEventListener('abort', wake, { once: true })
      })
      signal.removeEventListener('abort', wake)
      return !signal.aborted
    },
  }
}

/** Creates an intake worker without its loops. */
function createIntakeWorker(context: TurnContext, liveness: Liveness) {
  const { database, clock } = context
  const marks = createMarks(clock.now.bind(clock))
  const analyze = createAnalyzer(database, clock, KEYED_TABLES)
  const attempts = createAttempts(context, liveness)
  const clean = createCleaning(context)

  async function applyNow(signal?: AbortSignal): Promise<boolean> {
    await clean()
    const isErased = await eraseBodies(database, { transactions: ERASURES_PER_ROUND })
    const current = marks.current()
    const organizations = await listOrganizationsWithWork(database, current)
    if (organizations.length === 0) return !isErased
    await analyze()
    const suspects = await attempts.look(organizations)
    const entries = organizations.map((organizationId): Entry => {
      const lastSuspect = suspects.get(organizationId)
      const mark = lastSuspect === undefined ? (current.get(organizationId) ?? -1) : -1
      return { organizationId, mark, batch: undefined, isFull: true, lastSuspect }
    })
    const isChanged = await applyInTurns({ context, marks, attempts }, entries, signal)
    return isChanged || !isErased
  }

  let last: Promise<boolean> = Promise.resolve(false)
  return {
    /**
     * Applies what is waiting now. Returns true if there was something, because more may have arrived in the meantime.
     * Rounds run one after the other: two with the same holder would mistake each other's attempts for their own, and skip
     * the organizations that the other one is processing.
     */
    applyRound(signal?: AbortSignal): Promise<boolean> {
      last = last.catch(() => false).then(() => applyNow(signal))
      return last
    },
    stop: () => attempts.stop(),
  }
}

/** Returns a function that removes expired data, at most once an hour. */
function createCleaning({ database, clock, config }: TurnContext): () => Promise<void> {
  let cleanedAt = Number.NEGATIVE_INFINITY
  return async () => {
    const now = clock.now()
    if (Math.abs(now - cleanedAt) < CLEAN_MS) return
    cleanedAt = now
    const applied = new Date(now - config.intake.keepMs)
    const problems = new Date(now - limit('problemsMs'))
    const requests = new Date(now - limit('dataDeletionsMs'))
    for (const organizationId of await listLiveOrganizations(database)) {
      for (;;) {
        const { deleted } = await database.transaction((tx) =>
          deleteOld(tx, organizationId, { applied, problems, requests, limit: CLEAN_ROWS }),
        )
        if (deleted < CLEAN_ROWS) break
      }
    }
  }
}

/** The parts of a worker that its steps share. */
interface Round {
  context: TurnContext
  marks: ReturnType<typeof createMarks>
  attempts: Attempts
}

/**
 * Applies one step of each organization in turn, until none has more. Returns true if something was applied. While the
 * database applies a step, the next one is read and decoded.
 */
async function applyInTurns(round: Round, entries: Entry[], signal: AbortSignal | undefined): Promise<boolean> {
  let isChanged = false
  for (let entry = entries.shift(); entry !== undefined && !signal?.aborted; entry = entries.shift()) {
    const held = [entry, ...entries].filter(({ batch }) => batch?.isLarge).length
    const turn =
      entry.lastSuspect === undefined
        ? await applyNext(round, entry, { next: entries[0], mayHoldLarge: held < LARGE_BATCHES })
        : await applySuspect(round, entry, signal)
    isChanged ||= turn.applied > 0 || turn.isRevaluing
    if (!turn.isLeft && (entry.batch !== undefined || entry.isFull)) entries.push(entry)
  }
  return isChanged && !signal?.aborted
}

/**
 * Applies a step of an organization. In the meantime it reads the next step of the same organization, or else of the next
 * one.
 */
async function applyNext(
  round: Round,
  entry: Entry,
  { next, mayHoldLarge }: { next: Entry | undefined; mayHoldLarge: boolean },
): Promise<Turn> {
  if (entry.batch === undefined) await read(round, entry, mayHoldLarge)
  const { organizationId } = entry
  const batch = entry.batch!
  const step = batch.steps.shift()
  if (batch.steps.length === 0) entry.batch = undefined
  const ahead = [next, entry].find((each) => each?.batch === undefined && each?.isFull)
  const [turn] = await Promise.all([
    step === undefined ? NOTHING : apply(round.context, organizationId, step),
    ahead !== undefined && ahead.lastSuspect === undefined && read(round, ahead, mayHoldLarge),
  ])
  const isEnd = batch.steps.length === 0
  if (turn.applied > 0 && isEnd && batch.last !== undefined) {
    round.marks.note(organizationId, batch.last)
    await trimKeptBytes(round.context.database, organizationId)
  }
  return turn
}

async function read({ context, attempts }: Round, entry: Entry, mayHoldLarge: boolean): Promise<void> {
  const { organizationId, mark } = entry
  await attempts.begin(organizationId)
  const batch = await readBatch(context, organizationId, {
    mark,
    ...(!mayHoldLarge && { bytesOfOne: LARGE_BYTES }),
  })
  entry.batch = batch
  entry.mark = batch.last ?? mark
  // If large deliveries had to wait, one may follow the mark.
  entry.isFull = batch.isFull || !mayHoldLarge
}

/** Applies a step, then gives other callers of the database a turn before the next step. */
async function apply(context: TurnContext, organizationId: string, step: Step): Promise<Turn> {
  const startedAt = performance.now()
  const turn = await applyStep(context, organizationId, step)
  await letOthersWork(performance.now() - startedAt)
  return turn
}

/** Processes one delivery separately, and nothing else: if the process dies, this delivery caused it. */
async function applySuspect(
  { context, attempts }: Round,
  entry: Entry,
  signal: AbortSignal | undefined,
): Promise<Turn> {
  const { organizationId, mark, lastSuspect } = entry
  const deliveryId = await attempts.beginNext(organizationId, { after: mark, until: lastSuspect! })
  if (deliveryId === undefined) {
    entry.isFull = attempts.clear(organizationId)
    entry.lastSuspect = undefined
    return NOTHING
  }
  const { steps } = await readBatch(context, organizationId, { mark: deliveryId - 1, until: deliveryId })
  let turn = NOTHING
  for (const step of steps) {
    turn = await apply(context, organizationId, step)
    if (turn.isLeft || signal?.aborted) break
  }
  await attempts.end(organizationId)
  entry.mark = deliveryId
  return turn
}

const NOTHING: Turn = { applied: 0, isRevaluing: false, isLeft: false }

/** Tracks how far each organization's inbox was read, with a delay. From time to time it forgets, to force a full look. */
function createMarks(now: () => number) {
  const noted = new Map<string, { at: number; last: number }[]>()
  const reached = new Map<string, number>()
  let fullLookAt = now()
  return {
    note(organizationId: string, last: number): void {
      const list = noted.get(organizationId) ?? []
      list.push({ at: now(), last })
      noted.set(organizationId, list)
    },
    current(): ReadonlyMap<string, number> {
      if (Math.abs(now() - fullLookAt) >= FULL_LOOK_MS) {
        fullLookAt = now()
        noted.clear()
        reached.clear()
      }
      for (const [organizationId, list] of noted) {
        const index = list.findLastIndex(({ at }) => now() - at >= MARK_DELAY_MS)
        if (index < 0) continue
        reached.set(organizationId, list[index]!.last)
        list.splice(0, index + 1)
      }
      return reached
    },
  }
}
