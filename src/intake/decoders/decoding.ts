import { limit } from '../../lib/limits.js'
import { programAt } from '../../lib/program.js'
import { createThread, type Thread, ThreadError } from '../../work/thread.js'
import { type DecodedInParts, NO_FACTS, toItemProblems, type Undecoded } from './in-parts.js'

/** Decodes deliveries in a separate thread, so that untrusted input takes no time from the thread that answers. */
export interface Decoding {
  /** Returns one result per delivery, in order. Throws if the thread cannot work at all. */
  decode(deliveries: readonly Undecoded[], partWeight: number): Promise<DecodedOrNot[]>
  stop(): Promise<void>
}

export interface DecodeJob {
  deliveries: readonly Undecoded[]
  partWeight: number
}

/** `failure` means that the decoder itself failed. */
export type DecodedOrNot = DecodedInParts | { failure: string }

const MS_MAX = limit('decodeMs')
const MEMORY_MAX = limit('decodeBytes')
/** Small deliveries share a job, because a round trip takes 0.2 ms. Counted in base64. */
const JOB_CHARS = 350_000

const startDecodeThread = (): Thread<DecodeJob, DecodedOrNot[]> =>
  createThread(programAt(new URL('./decode-thread.js', import.meta.url)), {
    ...{ timeoutMs: MS_MAX, memoryMb: MEMORY_MAX / 2 ** 20 },
    // The worker decodes one batch after the other.
    jobsMax: 1_000,
  })

export function createDecoding(thread = startDecodeThread()): Decoding {
  async function run(deliveries: readonly Undecoded[], partWeight: number): Promise<DecodedOrNot[]> {
    try {
      return await thread.run({ deliveries, partWeight })
    } catch (error) {
      const reason = error instanceof ThreadError ? REASONS[error.failure] : undefined
      if (reason === undefined) throw error
      if (deliveries.length === 1) return [toUnread(reason)]
      // One of them caused it; the others are still valid.
      const single: DecodedOrNot[] = []
      for (const delivery of deliveries) single.push(...(await run([delivery], partWeight)))
      return single
    }
  }

  return {
    async decode(deliveries, partWeight) {
      const decoded: DecodedOrNot[] = []
      for (const job of toJobs(deliveries)) decoded.push(...(await run(job, partWeight)))
      return decoded
    },
    stop: () => thread.stop(),
  }
}

/** The reasons that people see for a delivery that used too much. Other failures are not caused by the delivery. */
const REASONS: Readonly<Partial<Record<ThreadError['failure'], string>>> = {
  timeout: `The delivery could not be read within ${MS_MAX / 1000} seconds. Send less at once, or retry it later.`,
  memory: `Reading the delivery took more than ${MEMORY_MAX / 2 ** 20} MiB of memory. Send less at once.`,
  ended: 'The thread that read the delivery ended unexpectedly. See the server log, and retry it later.',
}

const toUnread = (reason: string): DecodedInParts => ({
  parts: [NO_FACTS],
  problems: toItemProblems([{ item: '', reason }]),
})

function* toJobs(deliveries: readonly Undecoded[]): Generator<Undecoded[]> {
  let job: Undecoded[] = []
  let chars = 0
  for (const delivery of deliveries) {
    const { type, value_from, counted_statuses, uncounted_statuses, topic, headers, body, received_at } = delivery
    if (job.length > 0 && chars + body.length > JOB_CHARS) {
      yield job
      job = []
      chars = 0
    }
    job.push({ type, value_from, counted_statuses, uncounted_statuses, topic, headers, body, received_at })
    chars += body.length
  }
  if (job.length > 0) yield job
}
