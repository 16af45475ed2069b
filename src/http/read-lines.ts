import type { Readable } from 'node:stream'
import { type CsvRecord, CsvRecords } from '../interface/csv-records.js'
import { type Line, TextLines } from '../interface/text-lines.js'
import { limit } from '../lib/limits.js'
import { createTurns } from '../lib/turns.js'
import { readAtLeast } from './read-body.js'

/** How many bytes are read without a pause: a chunk may have any number, and each may be a line. */
const PIECE_BYTES = 16 * 1024

/** Opens an uploaded file: its bytes as they arrive, and the lines made from them. Anything but CSV is NDJSON. */
export function openFile(body: Readable, contentType: string | undefined) {
  const isCsv = contentType?.toLowerCase().startsWith('text/csv') ?? false
  return {
    isCsv,
    // Not destroyed if we stop early: the connection carries our response.
    chunks: readAtLeast(body.iterator({ destroyOnReturn: false })),
    text: new TextLines({ mayBeWindows1252: isCsv, lineBytesMax: limit('importLineBytes') }),
  }
}

/** Yields the lines of a body as it arrives, and yields to other work between them. */
export const readLines = (chunks: AsyncIterable<Uint8Array>, lines: TextLines): AsyncGenerator<Line> =>
  inTurns(chunks, lines, { push: (some) => some, end: () => [] })

/** Yields the records of a CSV, starting with the names of its columns. */
export const readCsvRecords = (chunks: AsyncIterable<Uint8Array>, lines: TextLines): AsyncGenerator<CsvRecord> =>
  inTurns(chunks, lines, new CsvRecords())

interface Reader<Item> {
  push(lines: Line[]): Iterable<Item | undefined>
  end(): Iterable<Item | undefined>
}

async function* inTurns<Item>(
  chunks: AsyncIterable<Uint8Array>,
  lines: TextLines,
  reader: Reader<Item>,
): AsyncGenerator<Item> {
  function* read(chunk: Uint8Array | undefined): Generator<Item | undefined> {
    for (let at = 0; chunk !== undefined && at < chunk.length; at += PIECE_BYTES) {
      yield* reader.push(lines.push(chunk.subarray(at, at + PIECE_BYTES)))
    }
    if (chunk !== undefined) return
    yield* reader.push(lines.end())
    yield* reader.end()
  }
  const turn = createTurns()
  for await (const chunk of withEnd(chunks)) {
    for (const item of read(chunk)) {
      if (item !== undefined) yield item
      const due = turn()
      if (due !== undefined) await due
    }
  }
}

async function* withEnd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined> {
  yield* chunks
  yield undefined
}
