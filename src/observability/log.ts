import { writeSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import type { LogFormat } from '../config/observability.js'
import { limit } from '../lib/limits.js'

/** Half of a pipe's capacity on Linux. */
const BATCH_CHARS = 32_768
const BATCH_MS = 100
/** How long until a full pipe is tried again: at 64 KiB each time, more than a busy service writes. */
const RETRY_MS = 5
/** The memory for lines that are not read. */
const BUFFER_CHARS_MAX = limit('logBufferChars')
/** How long the process waits at its end for a reader that does not empty a full pipe. */
const EXIT_WAIT_MS = 2_000

/** The options of pino, and how its line of a fatal error begins. */
const FORMS = {
  numbers: { options: {}, fatalStart: `{"level":${pino.levels.values.fatal},` },
  words: {
    options: { formatters: { level: (level) => ({ level }) }, timestamp: pino.stdTimeFunctions.isoTime },
    fatalStart: '{"level":"fatal",',
  },
} satisfies Record<LogFormat, { options: pino.LoggerOptions; fatalStart: string }>

/**
 * Opens a log that never blocks the process. Lines are written in batches, because a write for each would cost more than the
 * request it describes. A reader that stops reading costs BUFFER_CHARS_MAX, then lines: they are counted, and reported once
 * it reads again. Fatal lines are never dropped, and are written at once, after everything before them. A process that is
 * killed outright loses the lines of the last 100 ms; any other end writes them.
 */
export function openLog(
  level: string,
  { fd = 1, format = 'numbers' }: { fd?: number; format?: LogFormat } = {},
): Logger {
  // Opens it as a stream, which makes a pipe non-blocking. A terminal that its user has paused still blocks.
  if (fd === 1) void process.stdout
  const { options, fatalStart } = FORMS[format]
  const buffer = new LineBuffer(fd, fatalStart, (lines) =>
    log.error({ lines }, 'log lines were dropped because nothing read them'),
  )
  const log = pino({ level, ...options }, buffer)
  process.once('exit', () => buffer.end())
  return log
}

/**
 * pino.destination would instead block the process while a pipe is full (`sync`), or write a fatal line before the lines of
 * a pending write (`sync: false`).
 */
class LineBuffer implements pino.DestinationStream {
  private lines: string[] = []
  private chars = 0
  /** Taken from `lines`, but not written yet. */
  private batch: Buffer = Buffer.alloc(0)
  private dropped = 0
  private isReporting = false
  /** The code of the error that stopped the last write. */
  private blockedBy: string | undefined
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly fd: number,
    private readonly fatalStart: string,
    private readonly onDropped: (lines: number) => void,
  ) {}

  write(line: string): void {
    if (!this.hasRoom() && !this.isReporting && !line.startsWith(this.fatalStart)) {
      this.dropped += 1
      return
    }
    this.reportDropped()
    this.lines.push(line)
    this.chars += line.length
    this.timer ??= setTimeout(this.writeBatches, BATCH_MS).unref()
    if (this.chars >= BATCH_CHARS && this.blockedBy === undefined) this.writeBatches()
  }

  /** pino calls this after a fatal line. */
  flushSync(): void {
    this.writeBatches()
  }

  end(): void {
    const clock = new Int32Array(new SharedArrayBuffer(4))
    this.writeBatches()
    for (let waitedMs = 0; this.blockedBy === 'EAGAIN' && waitedMs < EXIT_WAIT_MS; waitedMs += RETRY_MS) {
      Atomics.wait(clock, 0, 0, RETRY_MS)
      const before = this.batch.length
      this.writeBatches()
      if (this.batch.length !== before) waitedMs = 0
    }
  }

  private readonly writeBatches = (): void => {
    clearTimeout(this.timer)
    this.timer = undefined
    this.blockedBy = undefined
    try {
      do {
        while (this.nextBatch().length > 0) this.batch = this.batch.subarray(writeSync(this.fd, this.batch))
        this.reportDropped()
      } while (this.chars > 0)
    } catch (error) {
      // The pipe or the disk is full; retried later.
      this.blockedBy = (error as NodeJS.ErrnoException).code
      this.timer = setTimeout(this.writeBatches, RETRY_MS).unref()
    }
  }

  private nextBatch(): Buffer {
    if (this.batch.length === 0 && this.chars > 0) {
      this.batch = Buffer.from(this.lines.join(''))
      this.lines = []
      this.chars = 0
    }
    return this.batch
  }

  /**
   * Once lines are dropped, new ones are accepted when half of the memory is free, so that a slow reader does not get a
   * report for each.
   */
  private hasRoom(): boolean {
    const max = this.dropped === 0 ? BUFFER_CHARS_MAX : BUFFER_CHARS_MAX / 2
    return this.chars + this.batch.length < max
  }

  private reportDropped(): void {
    if (this.dropped === 0) return
    const lines = this.dropped
    this.dropped = 0
    this.isReporting = true
    this.onDropped(lines)
    this.isReporting = false
  }
}
