import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const MIB = 1024 * 1024
/** Measured again after this time, or after this many bytes written: measuring takes 5 ms. */
const MEASURED_FOR_MS = 1_000
const MEASURED_FOR_BYTES = 4 * MIB

/** Tracks the size of the embedded database on disk, and what it writes. */
export class DiskUsage {
  /** Bytes written to the log since it was last reset. */
  walBytes = 0
  /** The directory counts as full before the first measurement. */
  #bytes = Number.POSITIVE_INFINITY
  #measuredAt = Number.NEGATIVE_INFINITY
  #writtenBytes = 0

  constructor(
    private readonly directory: string,
    private readonly maxBytes = Number.POSITIVE_INFINITY,
  ) {}

  wrote(path: string, bytes: number): void {
    this.#writtenBytes += bytes
    if (path.includes('/pg_wal/')) this.walBytes += bytes
  }

  bytes(): number {
    const isOld = performance.now() - this.#measuredAt >= MEASURED_FOR_MS
    if (isOld || this.#writtenBytes >= MEASURED_FOR_BYTES) this.#measure()
    return this.#bytes
  }

  /** Returns whether the quota is reached. */
  isFull(): boolean {
    if (this.maxBytes === Number.POSITIVE_INFINITY) return false
    if (this.#writtenBytes >= MEASURED_FOR_BYTES) this.#measure()
    return this.#bytes >= this.maxBytes && this.bytes() >= this.maxBytes
  }

  #measure(): void {
    let bytes = 0
    if (existsSync(this.directory)) {
      for (const entry of readdirSync(this.directory, { withFileTypes: true, recursive: true })) {
        if (entry.isFile()) {
          bytes += lstatSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
        }
      }
    }
    this.#bytes = bytes
    this.#writtenBytes = 0
    this.#measuredAt = performance.now()
  }
}
