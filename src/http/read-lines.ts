import type { Readable } from 'node:stream'
import { type CsvRecord, CsvRecords } from '../interface/csv-records.js'
import { type Line, TextLines } from '../interface/text-lines.js'
import { limit } from '../lib/limits.js'
import { createTurns } from '../lib/turns.js'
import { readAtLeast } from './read-body.js'

/** Chunks are parsed in pieces of this size, because they may have any size, and each byte may be a line. */
const PIECE_BYTES = 16 * 1024

/** Opens an uploaded file: its bytes as they arrive, and a parser of its lines. Anything but CSV is treated as NDJSON. */
export function openFile(body: Readable, contentType: string | undefined) {
  const isCsv = contentType?.toLowerCase().startsWith('text/csv') ?? false
  return {
    isCsv,
    // The body is not destroyed if we stop early, because its connection also carries our response.
    chunks: readAtLeast(body.iterator({ destroyOnReturn: false })),
    text: new TextLines({ mayBeWindows1252: isCsv, lineBytesMax: limit('importLineBytes') }),
  }
}

/** Yields the lines of a body as it arrives, and lets other work run in between. */
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
