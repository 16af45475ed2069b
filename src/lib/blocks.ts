/** The largest size of a block. */
const BLOCK_BYTES_MAX = 64 * 1024

/**
 * Collects bytes in blocks of growing size. Nothing is copied while bytes arrive, and the memory is at most twice the bytes
 * received, with at most 64 KiB unused. A list of the pieces would take a hundred bytes for a piece of one byte.
 */
export class Blocks {
  private blocks: Buffer[] = []
  /** Bytes used in the last block. */
  private used = 0
  length = 0
  /** The memory in use. */
  held = 0

  append(part: Uint8Array): void {
    for (let from = 0; from < part.length; ) {
      const last = this.blocks.at(-1)
      if (last === undefined || this.used === last.length) {
        const bytes = Math.min(BLOCK_BYTES_MAX, Math.max(part.length - from, this.length))
        this.blocks.push(Buffer.allocUnsafeSlow(bytes))
        this.used = 0
        this.held += bytes
        continue
      }
      const taken = part.subarray(from, from + last.length - this.used)
      last.set(taken, this.used)
      this.used += taken.length
      this.length += taken.length
      from += taken.length
    }
  }

  /** Returns all bytes as one buffer, which shares its memory with no other, and empties the blocks. */
  join(): Buffer {
    const whole = Buffer.allocUnsafeSlow(this.length)
    let at = 0
    for (const block of this.blocks) {
      whole.set(block.subarray(0, this.length - at), at)
      at += block.length
    }
    this.blocks = []
    this.used = this.length = this.held = 0
    return whole
  }
}
