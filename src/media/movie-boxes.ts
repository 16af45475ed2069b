import type { FileHandle } from 'node:fs/promises'
import { MediaFormatError } from './byte-source.js'

// ISO 14496-12, and QuickTime before it: a file consists of boxes with a length, a type and a content, which may again be
// boxes. This is our own reader because the libraries hold the tables of all samples; this one holds a block of a file of
// any size.

/** The range of a box's content in the file. */
export interface Box {
  type: string
  /** The position of its length. */
  head: number
  start: number
  end: number
}

/** A film of 20 minutes has about 30,000 if each of its fragments is half a second long. */
const BOXES_MAX = 300_000
const WINDOW_BYTES = 16_384
const BLOCK_BYTES = 65_536
const NOTHING: Buffer = Buffer.alloc(0)

export class MovieFile {
  private readonly budget = { boxes: BOXES_MAX }
  private window = NOTHING
  private windowAt = 0

  constructor(
    private readonly file: FileHandle,
    readonly size: number,
  ) {}

  /** Reads this many bytes; callers ask for few. */
  async read(at: number, count: number): Promise<Buffer> {
    if (at < this.windowAt || at + count > this.windowAt + this.window.length) {
      this.window = await this.readBlock(at, Math.min(this.size, at + WINDOW_BYTES))
      this.windowAt = at
    }
    const from = at - this.windowAt
    if (from + count > this.window.length) throw new MediaFormatError('the file is cut')
    return this.window.subarray(from, from + count)
  }

  async readBlock(from: number, to: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(to - from, BLOCK_BYTES)))
    const { bytesRead } = await this.file.read(buffer, 0, buffer.length, from)
    return buffer.subarray(0, bytesRead)
  }

  /** Returns the first bytes of a box, padded with zeros if it is shorter; zeros mean no size and no duration. */
  async readHead({ start, end }: Box, count: number): Promise<Buffer> {
    const head = Buffer.alloc(count)
    ;(await this.read(start, Math.min(count, end - start))).copy(head)
    return head
  }

  /**
   * Yields the boxes from `start` to `end`. If the remainder is not a box, `rest` gets its position and what is there
   * instead of a type.
   */
  async *boxes({ start, end }: Pick<Box, 'start' | 'end'>, rest: (at: number, type: string) => void = () => {}) {
    let at = start
    for (; at + 8 <= end; ) {
      if (this.budget.boxes-- === 0) throw new MediaFormatError('it has too many boxes')
      const head = Buffer.alloc(16)
      ;(await this.read(at, Math.min(16, end - at))).copy(head)
      const type = head.toString('latin1', 4, 8)
      const short = head.readUInt32BE(0)
      // 1 means that the length follows in 64 bits, 0 that the box extends to the end.
      const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short
      const headBytes = short === 1 ? 16 : 8
      if (length < headBytes || at + length > end) return rest(at, type)
      yield { type, head: at, start: at + headBytes, end: at + length } as Box
      at += length
    }
    if (at < end) rest(at, '')
  }
}

/** Reads the numbers of a table one after the other, holding one block of them. */
export class Numbers {
  private block = NOTHING
  private next = 0

  /** `bits` is the size of each number, 4 to 64. */
  constructor(
    private readonly file: MovieFile,
    private at: number,
    private readonly end: number,
    private readonly bits = 32,
  ) {}

  /** Returns undefined at the end of the table. */
  async take(): Promise<number | undefined> {
    const bits = this.bits
    if (((this.next + 1) * bits) / 8 > this.block.length) {
      this.block = await this.file.readBlock(this.at, this.end)
      this.at += this.block.length
      this.next = 0
      if (this.block.length * 8 < bits) return undefined
    }
    const index = this.next++
    if (bits === 64) return Number(this.block.readBigUInt64BE(index * 8))
    if (bits >= 8) return this.block.readUIntBE((index * bits) / 8, bits / 8)
    const byte = this.block[index >> 1]!
    return index % 2 === 0 ? byte >> 4 : byte & 15
  }
}
