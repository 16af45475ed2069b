import type { Context } from '../http/context.js'
import type { Refusal } from '../interface/generated/types.js'
import { createDecoding, type Decoding } from './decoders/decoding.js'
import { type Activity, createActivity } from './hooks/activity.js'
import { createKnownSources, type KnownSources } from './hooks/known-sources.js'
import { createUnpacker, type Unpacker } from './hooks/unpacker.js'
import { createInbox, type Inbox } from './inbox/group-commit.js'

/** The parts that the hooks and the worker of one process share. */
export interface Intake {
  sources: KnownSources
  unpacker: Unpacker
  inbox: Inbox
  activity: Activity
  decoding: Decoding
  countRefusal(reason: Refusal['reason']): void
  /**
   * Counts a key that no source has. It is logged without the key, at most once a minute: the sender silently loses its
   * data.
   */
  countUnknownKey(): void
  /** Returns those of this process since its start; undefined if there are none. */
  unknownKeys(): { refused: number; lastAt: string } | undefined
  /** Calls back after this process stored deliveries, with the bytes of their bodies. */
  onStored(listener: (bytes: number) => void): void
  close(): Promise<void>
}

const FLUSH_MS = 5_000
const TELL_EVERY_MS = 60_000

export function createIntake(
  context: Pick<Context, 'database' | 'clock' | 'sealer' | 'config' | 'log' | 'metrics'>,
): Intake {
  const { database, clock, log, metrics } = context
  let listener = (_bytes: number): void => {}
  const activity = createActivity(database, clock)
  const decoding = createDecoding()
  const flush = (): Promise<void> =>
    activity.flush().catch((error) => log.warn({ err: error }, 'the last activity of sources could not be stored'))
  const flushing = setInterval(flush, FLUSH_MS).unref()
  let toldAt = Number.NEGATIVE_INFINITY
  let unknownKeys: { refused: number; lastAt: string } | undefined
  const unpacker = createUnpacker()
  return {
    sources: createKnownSources(context),
    unpacker,
    inbox: createInbox(database, (bytes) => listener(bytes)),
    activity,
    decoding,
    countRefusal: (reason) => metrics.countDeliveries(`refused_${reason}`),
    countUnknownKey() {
      metrics.countDeliveries('refused_key')
      unknownKeys = { refused: (unknownKeys?.refused ?? 0) + 1, lastAt: new Date(clock.now()).toISOString() }
      if (Math.abs(clock.now() - toldAt) < TELL_EVERY_MS) return
      toldAt = clock.now()
      log.warn('events with an unknown write key were refused, and their sender drops them')
    },
    unknownKeys: () => unknownKeys,
    onStored(next) {
      listener = next
    },
    async close() {
      clearInterval(flushing)
      await decoding.stop()
      await unpacker.stop()
      await flush()
    },
  }
}
