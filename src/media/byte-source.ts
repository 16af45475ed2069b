import { createTurns } from '../lib/turns.js'

/** The file is truncated, or not what it claims to be. */
export class MediaFormatError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MediaFormatError'
  }
}

/** Shared by all files that arrive at the same time. */
const turn = createTurns()
const NOTHING: Buffer = Buffer.alloc(0)

/** A stream of bytes that is read in pieces. It holds one chunk, whatever the size of the file, and yields to other work. */
export class ByteSource {
  private rest = NOTHING
  private readonly chunks: AsyncIterator<Uint8Array>

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.chunks = chunks[Symbol.asyncIterator]()
  }

  /** Reads until this many bytes are held, or the stream ends; returns what is held then. */
  async peek(count: number): Promise<Buffer> {
    while (this.rest.length < count) {
      const { done, value } = await this.chunks.next()
      if (done) break
      const chunk = Buffer.from(value.buffer, value.byteOffset, value.length)
      this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    }
    const due = turn()
    if (due !== undefined) await due
    return this.rest.subarray(0, count)
  }

  /** Takes this many bytes; callers ask for few. Throws MediaFormatError if the stream ends before. */
  async take(count: number): Promise<Buffer> {
    const bytes = await this.peek(count)
    if (bytes.length < count) throw new MediaFormatError('it is cut')
    this.rest = this.rest.subarray(count)
    return bytes
  }

  /** Yields this many bytes as they arrive. */
  async *pass(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if ((await this.peek(1)).length === 0) throw new MediaFormatError('it is cut')
      const part = this.rest.subarray(0, left)
      this.rest = this.rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async skip(count: number): Promise<void> {
    for await (const _ of this.pass(count));
  }

  /**
   * Yields what comes before the next place that `find` returns, which looks at one byte more than it decides about. If the
   * stream ends first, returns false and holds what `find` could not decide about.
   */
  async *passUntil(find: (bytes: Buffer) => { at: number; isThere: boolean }): AsyncGenerator<Buffer, boolean> {
    for (let wanted = 2; ; ) {
      if ((await this.peek(wanted)).length < wanted) return false
      const { at, isThere } = find(this.rest)
      const part = this.rest.subarray(0, at)
      this.rest = this.rest.subarray(at)
      if (part.length > 0) yield part
      if (isThere) return true
      wanted = this.rest.length + 1
    }
  }

  /** Yields everything that is left. */
  async *passAll(): AsyncGenerator<Buffer> {
    while ((await this.peek(1)).length > 0) {
      const part = this.rest
      this.rest = NOTHING
      yield part
    }
  }
}

const BLOCK_BYTES = 65_536

/** Combines small pieces, so that each write to disk is worthwhile. */
export async function* inBlocks(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let heldBytes = 0
  for await (const part of parts) {
    held.push(part)
    heldBytes += part.length
    if (heldBytes < BLOCK_BYTES) continue
    yield Buffer.concat(held)
    held = []
    heldBytes = 0
  }
  if (heldBytes > 0) yield Buffer.concat(held)
}
