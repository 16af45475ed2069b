import type { Clock } from '../lib/clock.js'
import { shared } from '../lib/shared.js'
import { type Database, errorCode, type Log, onlyReads, type WriteRefusal } from './database.js'

/** The error code of an embedded database that has grown to DATA_MAX_MB. */
export const QUOTA_REACHED = 'DATA_MAX_MB'

/** Keys are SQLSTATEs and the operating system's error codes. */
const REFUSALS: Readonly<Record<string, WriteRefusal>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  // disk_full
  '53100': 'full',
  [QUOTA_REACHED]: 'quota',
  EROFS: 'read-only',
  // read_only_sql_transaction: a standby, or a role or database that was made read-only.
  '25006': 'read-only',
  EACCES: 'failing',
  EPERM: 'failing',
  EIO: 'failing',
  // io_error
  '58030': 'failing',
}
const CAUSES_MAX = 5

/** Returns whether a change failed for lack of space, on the disk or below DATA_MAX_MB. */
export const isForWantOfRoom = (error: unknown): boolean => ['full', 'quota'].includes(writeRefusalOf(error) ?? '')

/** Returns undefined for an error that says nothing about later writes. */
function writeRefusalOf(error: unknown): WriteRefusal | undefined {
  let cause = error
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    const refusal = REFUSALS[errorCode(cause) ?? '']
    if (refusal !== undefined) return refusal
    cause = cause.cause
  }
  return undefined
}

/** Large enough to detect a full disk whose existing pages still have room for small rows. */
const PROBE_BYTES = 512 * 1024
const LINE_BYTES = 1024
const PROBE_AGAIN_MS = 1_000

/**
 * Wraps the database with a memory of writes that its disk or server refused. That costs nothing while the service writes or
 * is idle. A successful write does not clear it, because small writes still succeed on a full disk; a probe does.
 */
export function watchWrites(database: Database, { clock, log }: { clock: Clock; log?: Log | undefined }): Database {
  let refused: WriteRefusal | undefined
  let refusals = 0

  const note = (error: unknown): never => {
    const found = writeRefusalOf(error)
    if (found !== undefined) {
      refusals += 1
      if (refused === undefined) log?.error({ reason: found }, 'the database refuses changes')
      refused = found
    }
    throw error
  }

  const write = async (): Promise<void> => {
    const before = refusals
    try {
      await database.transaction((tx) => tx.execute(PROBE))
    } catch (error) {
      if (writeRefusalOf(error) === undefined) return
      return note(error)
    }
    if (refusals !== before || refused === undefined) return
    refused = undefined
    log?.info('the database takes changes again')
  }
  const probe = shared(
    () => write().catch(() => {}),
    () => clock.now(),
    PROBE_AGAIN_MS,
  )

  return {
    ...database,
    query: (text, values) =>
      onlyReads(text) ? database.query(text, values) : database.query<never>(text, values).catch(note),
    execute: (text) => database.execute(text).catch(note),
    transaction: (work, organizationId) => database.transaction(work, organizationId).catch(note),
    writeWatch: {
      refusal: () => refused,
      probe: async () => {
        if (refused !== undefined) await probe()
      },
    },
  }
}

/**
 * A table that is gone at the end of its transaction takes space in the meantime, and needs a commit. It needs no rights in
 * our schema.
 */
const PROBE = `create temporary table greenroom_write_probe on commit drop as
  select repeat(chr(97 + line % 26), ${LINE_BYTES}) as content from generate_series(1, ${PROBE_BYTES / LINE_BYTES}) as line`
