import { createTurns } from '../lib/turns.js'

/** The file is cut, or not what it says it is. */
export class MediaFormatError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MediaFormatError'
  }
}

/** All files that arrive at the same time share it. */
const turn = createTurns()
const NOTHING: Buffer = Buffer.alloc(0)

/**
 * A stream of bytes that is read in pieces: it holds one chunk, whatever the size of the file, and others have their
 * turns.
 */
export class ByteSource {
  private rest = NOTHING
  private readonly chunks: AsyncIterator<Uint8Array>

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.chunks = chunks[Symbol.asyncIterator]()
  }

  /** Reads until so many bytes are held, or the stream ends: those that are held then. */
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

  /** Takes so many bytes, of which a caller asks for few. Throws MediaFormatError when the stream ends before. */
  async take(count: number): Promise<Buffer> {
    const bytes = await this.peek(count)
    if (bytes.length < count) throw new MediaFormatError('it is cut')
    this.rest = this.rest.subarray(count)
    return bytes
  }

  /** Gives so many bytes as they come. */
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
   * Gives what comes before the next place that `find` tells, which looks at one byte more than it decides about. Returns
   * false, with what `find` could not decide about held, if the stream ends before.
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

  /** Gives all that is left. */
  async *passAll(): AsyncGenerator<Buffer> {
    while ((await this.peek(1)).length > 0) {
      const part = this.rest
      this.rest = NOTHING
      yield part
    }
  }
}

const BLOCK_BYTES = 65_536

/** Puts small pieces together, so that each write to the disk is worth it. */
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
