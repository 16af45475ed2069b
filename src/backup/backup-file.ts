import { createHash, type Hash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { Sequence, Table } from '../database/rows.js'
import type { Sealing } from '../lib/passphrase.js'

/*
 * A backup is one file: a line that says what it is, followed by parts. A part is a header in JSON, its content in blocks,
 * an empty block, and the SHA-256 of all of these. The header and each block are preceded by their length in four bytes. The
 * last part contains the SHA-256 of everything before it.
 */

/** This program reads its own format and all earlier ones. */
const FORMAT = 1
const MAGIC = 'greenroom backup\n'
const HASH_BYTES = 32
/** Larger than any row, compressed or not. */
const BLOCK_BYTES_MAX = 64 * 1024 * 1024
const BLOCK_BYTES = 256 * 1024
/** The last line of a block of rows may be long; those before it have less than BLOCK_BYTES characters, plus line breaks. */
const LINES_CHARS_MAX = 2 * BLOCK_BYTES
/** The names of all tables and columns take about 50 KiB. */
const HEADER_BYTES_MAX = 4 * 1024 * 1024

export interface Head {
  part: 'head'
  format: number
  /** The version of the program that made it. */
  program: string
  /** The id of this backup. */
  id: string
  /** An ISO 8601 instant: the backup contains everything committed before it. */
  at: string
  engine: string
  migrations: string[]
  tables: Table[]
  sequences: Sequence[]
}

export interface End {
  part: 'end'
  parts: number
  sha256: string
  digests: Record<string, { rows: number; sum: string }>
  /** The number of media files that rows refer to but the backup lacks. */
  missing: number
}

export type Header =
  | Head
  /** The keys in hex as JSON, sealed under a passphrase, in the order of a data directory's files. */
  | { part: 'masterKey'; sealing: Sealing }
  /** One row per line, compressed. */
  | { part: 'rows'; table: string }
  | { part: 'media'; organization: string; name: string; bytes: number }
  | End

const PARTS: readonly unknown[] = ['head', 'masterKey', 'rows', 'media', 'end'] satisfies Header['part'][]

/** The file cannot be used. The message says why and what to do. */
export class BackupError extends Error {}

export const MASTER_KEY_CONTEXT = 'greenroom backup: master key'

const deflate = promisify(deflateRaw) as (content: Buffer) => Promise<Buffer>
const inflate = promisify(inflateRaw) as (content: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

/** Resolves when more can be written. */
export type Write = (bytes: Buffer) => Promise<void>

export class BackupWriter {
  readonly #whole = createHash('sha256')
  #hash: Hash = createHash('sha256')
  #parts = 0

  constructor(private readonly write: Write) {}

  async head(head: Omit<Head, 'part' | 'format'>): Promise<void> {
    this.#whole.update(MAGIC)
    await this.write(Buffer.from(MAGIC))
    await this.part({ part: 'head', format: FORMAT, ...head }, [])
  }

  async part(header: Header, content: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    this.#hash = createHash('sha256')
    await this.#block(Buffer.from(JSON.stringify(header)))
    for await (const bytes of content) if (bytes.length > 0) await this.#block(bytes)
    await this.#out(Buffer.alloc(4))
    const digest = this.#hash.digest()
    this.#whole.update(digest)
    await this.write(digest)
    this.#parts += 1
  }

  /** Writes the rows of a table. Each batch has several lines, one for each row. */
  rows(table: string, batches: AsyncIterable<string[]>): Promise<void> {
    return this.part({ part: 'rows', table }, deflated(batches))
  }

  async end(digests: End['digests'], missing: number): Promise<void> {
    const sha256 = this.#whole.copy().digest('hex')
    await this.part({ part: 'end', parts: this.#parts, sha256, digests, missing }, [])
  }

  async #block(bytes: Buffer): Promise<void> {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    await this.#out(length)
    await this.#out(bytes)
  }

  async #out(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes)
    this.#whole.update(bytes)
    await this.write(bytes)
  }
}

async function* deflated(batches: AsyncIterable<string[]>): AsyncGenerator<Buffer> {
  let lines: string[] = []
  let size = 0
  for await (const batch of batches) {
    for (const line of batch) {
      lines.push(line)
      size += line.length
      if (size < BLOCK_BYTES) continue
      yield await deflate(Buffer.from(lines.join('\n')))
      lines = []
      size = 0
    }
  }
  if (lines.length > 0) yield await deflate(Buffer.from(lines.join('\n')))
}

/** Yields the lines of a part with rows, as they were written. */
export async function* linesOf(content: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  for await (const block of content) {
    const inflated = await inflate(block, { maxOutputLength: BLOCK_BYTES_MAX }).catch(() => {
      throw damaged()
    })
    const text = inflated.toString()
    if (text.lastIndexOf('\n') > LINES_CHARS_MAX) throw damaged()
    yield text.split('\n')
  }
}

export interface Part {
  header: Header
  /** Must be read to its end before the next part; its checksum is verified then. */
  content: AsyncIterable<Buffer>
}

/**
 * Yields the parts of a backup, including the last. Throws BackupError for a file that is not a backup, has a newer version,
 * is damaged or truncated, or continues after its end. A part is verified once its content has been read, and the file once
 * the generator is done.
 */
export async function* readParts(file: AsyncIterable<Uint8Array>): AsyncGenerator<Part> {
  const bytes = new Bytes(file)
  try {
    const magic = await bytes.take(MAGIC.length, true)
    if (magic?.toString('latin1') !== MAGIC) throw new BackupError('It is not a Greenroom backup.')
    const whole = createHash('sha256').update(magic)
    for (let parts = 0; ; parts++) {
      const before = whole.copy().digest('hex')
      const hash = createHash('sha256')
      const out = (read: Buffer): Buffer => {
        hash.update(read)
        whole.update(read)
        return read
      }
      const block = async (bytesMax = BLOCK_BYTES_MAX): Promise<Buffer | undefined> => {
        const length = out(await bytes.take(4)).readUInt32BE()
        if (length > bytesMax) throw damaged()
        return length === 0 ? undefined : out(await bytes.take(length))
      }
      const header = parseHeader(await block(HEADER_BYTES_MAX))
      if (parts === 0) checkHead(header)
      async function* content(): AsyncGenerator<Buffer> {
        for (let read = await block(); read !== undefined; read = await block()) yield read
        const digest = hash.digest()
        const stored = await bytes.take(HASH_BYTES)
        if (!digest.equals(stored)) throw damaged(describe(header))
        whole.update(stored)
      }
      const body = content()
      if (header.part === 'end') {
        for await (const _ of body);
        if (header.sha256 !== before || header.parts !== parts) throw damaged()
        if ((await bytes.take(1, true)) !== undefined)
          throw new BackupError('It has extra data after its end: copy it again.')
        yield { header, content: body }
        return
      }
      yield { header, content: body }
      // Skip the content if the caller has not read it.
      for await (const _ of body);
    }
  } finally {
    await bytes.close()
  }
}

function parseHeader(block: Buffer | undefined): Header {
  try {
    const header = JSON.parse(block!.toString())
    if (PARTS.includes(header.part)) return header
  } catch {
    // Reported below.
  }
  throw damaged()
}

function checkHead(header: Header): asserts header is Head {
  if (header.part !== 'head') throw damaged()
  if (header.format > FORMAT) {
    throw new BackupError(
      `It was made by a newer version of the program (${String(header.program).slice(0, 40)}): use that version or a later one.`,
    )
  }
  const { id, at, migrations, tables, sequences } = header
  const isSound =
    (id === undefined || /^backup_[\w-]{1,64}$/.test(id)) &&
    !Number.isNaN(Date.parse(at)) &&
    [migrations, tables, sequences].every(Array.isArray)
  if (!isSound) throw damaged('head')
}

const describe = (header: Header): string =>
  header.part === 'rows' ? `the rows of ${header.table}` : header.part === 'media' ? header.name : header.part

const damaged = (what?: string): BackupError =>
  new BackupError(
    `It is damaged${what === undefined ? '' : ` (${what})`}: use another copy of it, or an earlier backup.`,
  )

/** Reads a given number of bytes at a time from a stream. */
class Bytes {
  readonly #iterator: AsyncIterator<Uint8Array>
  #read: Buffer[] = []
  #length = 0

  constructor(file: AsyncIterable<Uint8Array>) {
    this.#iterator = file[Symbol.asyncIterator]()
  }

  /** Lets the source close its file. */
  async close(): Promise<void> {
    await this.#iterator.return?.()
  }

  /** Returns the next bytes. Throws BackupError if there are fewer. */
  take(length: number): Promise<Buffer>
  /** Returns undefined instead if there are fewer. */
  take(length: number, mayEnd: true): Promise<Buffer | undefined>
  async take(length: number, mayEnd = false): Promise<Buffer | undefined> {
    while (this.#length < length) {
      const { done, value } = await this.#iterator.next()
      if (done) {
        if (mayEnd) return undefined
        throw new BackupError('It is truncated: it was not written or copied completely.')
      }
      this.#read.push(Buffer.from(value.buffer, value.byteOffset, value.length))
      this.#length += value.length
    }
    const all = this.#read.length === 1 ? this.#read[0]! : Buffer.concat(this.#read)
    this.#read = [all.subarray(length)]
    this.#length = all.length - length
    return all.subarray(0, length)
  }
}
