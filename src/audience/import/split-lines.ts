import { GrowingBuffer } from '../../lib/growing-buffer.js'
import { limit } from '../../lib/limits.js'
import { createTurns } from '../../lib/turns.js'

/**
 * A physical line of a file, the first being line 1, with its value, or with the reason why it has none. A value that
 * spans several lines has a `lastLine`.
 */
export type Numbered<T> = { line: number; lastLine?: number; value: T } | { line: number; reason: string }

const REJECT_REASON = /^# line \d+: /

/** True if the line is not data: in a file of rejected lines each has its reason above it. */
export const isRejectReason = (text: string): boolean => text.startsWith('# line ') && REJECT_REASON.test(text)

const LINE_BYTES_MAX = limit('importLineBytes')
const LINE_FEED = 0x0a

/**
 * The lines of a stream of UTF-8, each without its line feed, the first without a byte order mark; a carriage return
 * stays. A line that is too long or not UTF-8 has a reason in its place. Never holds more than one chunk and one line,
 * and whatever is done with the lines, others have their turns between them.
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Numbered<string>> {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const turn = createTurns()
  let line = 0
  /** The beginning of a line that is not complete. The rest of one that is too long is counted, not kept. */
  const held = new GrowingBuffer()
  let heldBytes = 0

  function hold(part: Uint8Array): void {
    heldBytes += part.length
    if (heldBytes <= LINE_BYTES_MAX) held.append(part)
    else held.clear()
  }

  function finish(last: Uint8Array): Numbered<string> {
    const tooLong = heldBytes + last.length > LINE_BYTES_MAX
    if (heldBytes > 0) hold(last)
    const bytes = heldBytes > 0 ? held.view() : last
    held.clear()
    heldBytes = 0
    line += 1
    if (tooLong) return { line, reason: 'the line is longer than 1 MiB' }
    try {
      const value = utf8.decode(bytes)
      // Further on it is a character of a value, such as a name of two lines.
      return { line, value: line === 1 && value.startsWith('\uFEFF') ? value.slice(1) : value }
    } catch {
      return { line, reason: 'the line is not valid UTF-8: save the file as UTF-8' }
    }
  }

  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield finish(chunk.subarray(start, end))
      start = end + 1
      const due = turn()
      if (due !== undefined) await due
    }
    if (start < chunk.length) hold(chunk.subarray(start))
  }
  if (heldBytes > 0) yield finish(new Uint8Array())
}
