import { eraseBodies } from '../../audience/live/erase-bodies.js'
import { createAnalyzer } from '../../database/analyze.js'
import { limit } from '../../lib/limits.js'
import type { Wait } from '../../lib/wait.js'
import { startLoop } from '../../work/loop.js'
import { listOrganizationsWithWork } from '../inbox/inbox.store.js'
import type { Intake } from '../intake.js'
import { trimKeptBytes } from './kept-bytes.js'
import { applyBatch, type Batch, readBatch, type TurnContext } from './turn.js'
import { deleteOld, listLiveOrganizations } from './worker.store.js'

/** Applies what waits in the inbox. Any number of workers may share one database. */
export interface IntakeWorker {
  /** Applies all that waits. */
  tick(): Promise<void>
  stop(): Promise<void>
}

const POLL_MS = 500
/**
 * Deliveries gather, because a round is a revision of every channel that it touches: rounds begin so far apart, unless this
 * process has stored so many bytes since the last one began, about 500 events. With a pause of 200 ms after each round the
 * median until an event is visible was 720 ms at 4,500 events a second, and it is 160 (bench:intake).
 */
const GATHER = { ms: 400, bytes: 100_000 }
/** A delivery with a lower number may be committed after one with a higher number, by another process: marks follow late. */
const MARK_DELAY_MS = 2_000
/** Rows that a long reader of the database keeps are walked again this often only. */
const FULL_LOOK_MS = 10_000
const CLEAN_MS = 3_600_000
/**
 * The tables in which rows are looked up by key, here and by the hooks. Without an analysis the first 40,000 events are
 * applied at 512 and 517 a second, with it at 8,186 and 8,296; and where another process answers the hooks, it answers 450
 * a second and not 2,900, because it compares each delivery with all that are kept (bench:intake, PostgreSQL).
 */
const KEYED_TABLES = ['conversations', 'person_ids', 'person_fields', 'purchases', 'refunds', 'kept_deliveries']
const CLEAN_ROWS = 5_000
/** Transactions of a few hundred bodies each: an erasure holds up what comes in for a moment only. */
const ERASURES_PER_ROUND = 2

/** An organization, and how far its inbox was read. */
interface Waiting {
  organizationId: string
  mark: number
}

/** Begins at once, polls twice a second, and is woken by what this process stores. */
export function startIntakeWorker(
  context: TurnContext & { intake?: Pick<Intake, 'onStored'> },
  options: { wait?: Wait } = {},
): IntakeWorker {
  const worker = createIntakeWorker(context)
  const gathering = createGathering()
  const loop = startLoop(
    async (_reason, signal) => {
      do gathering.begin()
      while ((await worker.applyRound(signal)) && (await gathering.end(signal)))
    },
    { name: 'applying what came in', log: context.log, everyMs: POLL_MS, ...options },
  )
  context.intake?.onStored((bytes) => {
    gathering.note(bytes)
    loop.nudge()
  })
  return {
    async tick() {
      while (await worker.applyRound());
    },
    stop: () => loop.stop(),
  }
}

function createGathering() {
  let startedAt = 0
  let bytes = 0
  let wake = (): void => {}
  return {
    /** A round begins. */
    begin(): void {
      startedAt = performance.now()
      bytes = 0
    },
    note(stored: number): void {
      bytes += stored
      if (bytes >= GATHER.bytes) wake()
    },
    /** Waits for the time of the next round. False when the worker is stopped. */
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

/** The same without its loop. */
function createIntakeWorker(context: TurnContext) {
  const { database, clock } = context
  const marks = createMarks(clock.now.bind(clock))
  let cleanedAt = Number.NEGATIVE_INFINITY
  const analyze = createAnalyzer(database, clock, KEYED_TABLES)

  /** Applies what waits now; true if that was something, and more may have come. */
  async function applyRound(signal?: AbortSignal): Promise<boolean> {
    await clean()
    const isErased = await eraseBodies(database, { transactions: ERASURES_PER_ROUND })
    const current = marks.current()
    const organizations = await listOrganizationsWithWork(database, current)
    if (organizations.length === 0) return !isErased
    await analyze()
    const isChanged = await applyOf(
      organizations.map((id): Waiting => ({ organizationId: id, mark: current.get(id) ?? -1 })),
      signal,
    )
    return isChanged || !isErased
  }

  /**
   * One batch of each organization after the other, until none of them has a full one; true if something was applied. The
   * next batch is read and decoded while the database applies one.
   */
  async function applyOf(waiting: Waiting[], signal: AbortSignal | undefined): Promise<boolean> {
    const readNext = async (): Promise<Batch | undefined> => {
      const next = waiting.shift()
      return next && (await readBatch(context, next.organizationId, next.mark))
    }
    let isChanged = false
    let batch = await readNext()
    while (batch !== undefined && !signal?.aborted) {
      const { organizationId, last, isFull } = batch
      if (isFull) waiting.push({ organizationId, mark: last! })
      const [ahead, { applied, isRevaluing }] = await Promise.all([readNext(), applyBatch(context, batch)])
      if (applied > 0) {
        marks.note(organizationId, last!)
        await trimKeptBytes(database, organizationId)
      }
      isChanged ||= applied > 0 || isRevaluing
      batch = ahead
    }
    return isChanged && !signal?.aborted
  }

  /** Removes what was kept long enough, once an hour. */
  async function clean(): Promise<void> {
    const now = clock.now()
    if (Math.abs(now - cleanedAt) < CLEAN_MS) return
    cleanedAt = now
    const applied = new Date(now - context.config.intake.keepMs)
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

  return { applyRound }
}

/** How far each organization's inbox was read, a little late; from time to time not at all, for a full look. */
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
