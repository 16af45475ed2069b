import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const MIB = 1024 * 1024
/** It is measured again when that much time has passed, or that much was written: measuring takes 5 ms. */
const MEASURED_FOR_MS = 1_000
const MEASURED_FOR_BYTES = 4 * MIB

/** Counts what the embedded database takes on disk, and what it writes. */
export class DiskUsage {
  /** Written to the log since it was last set to 0. */
  walBytes = 0
  /** Before the first measurement the directory counts as full. */
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

  /** True once the quota is reached. */
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
