/** Bytes that come in pieces, in one buffer: a list of the pieces takes a hundred bytes for a piece of one. */
export class GrowingBuffer {
  private bytes = Buffer.alloc(0)
  length = 0

  append(part: Uint8Array): void {
    const length = this.length + part.length
    if (length > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.bytes.length))
      larger.set(this.bytes.subarray(0, this.length))
      this.bytes = larger
    }
    this.bytes.set(part, this.length)
    this.length = length
  }

  clear(): void {
    this.length = 0
  }

  /** Shared with the buffer: read it before the next append. */
  view(): Buffer {
    return this.bytes.subarray(0, this.length)
  }
}
