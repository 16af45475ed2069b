// Reads the lines of text files as people send them: UTF-8, UTF-16 or Windows-1252, with LF, CRLF or CR. The server and the
// browser both use this code, so that a preview shows what an import will read.

export type Encoding = 'UTF-8' | 'UTF-16' | 'Windows-1252'

/** A line of a file, counted from 1, with its line break; or the reason why it cannot be read. */
export type Line = { line: number; value: string; end: string } | { line: number; reason: string }

const MIB = 1024 * 1024

const NOT_UTF8 = 'the line is not valid UTF-8: save the file as UTF-8'
const NOT_TEXT = 'the file is a ZIP archive, such as an Excel workbook: save it as CSV in UTF-8'
const NOT_UTF16 = 'the line is not valid UTF-16: save the file as UTF-8'

const LF = 0x0a
const CR = 0x0d
/** Decoders replace invalid bytes with it. */
const REPLACEMENT = '\uFFFD'
/** In the first bytes, the pattern of zeros reveals UTF-16. */
const HEAD_BYTES = 4

/** The characters of 0x80 to 0x9F, with U+0000 for the five undefined bytes. */
const WINDOWS_1252 = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'

interface Options {
  /** If false, lines that are not UTF-8 are refused. JSON allows no other encoding. */
  mayBeWindows1252: boolean
  lineBytesMax?: number
}

/**
 * Splits incoming bytes into lines. A line that is not UTF-8 is read as Windows-1252, unless an earlier line showed
 * that the file is UTF-8: then it is refused, as is a line that is too long. Buffers at most one line.
 */
export class TextLines {
  encoding: Encoding = 'UTF-8'
  private readonly utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  private utf16: InstanceType<typeof TextDecoder> | undefined
  private isZip = false
  /** The first bytes, until there are enough to detect the encoding. */
  private head: Uint8Array | undefined = new Uint8Array()
  /** True once a non-ASCII character or a byte order mark was valid UTF-8. */
  private isUtf8: boolean
  private line = 0
  /** The beginning of an incomplete line; empty for one that is too long. */
  private held = new Uint8Array()
  private heldBytes = 0
  private isTooLong = false
  /** True if the last byte was a CR, which may be the start of a CRLF. */
  private endsWithCr = false

  private readonly lineBytesMax: number

  constructor({ mayBeWindows1252, lineBytesMax = MIB }: Options) {
    this.isUtf8 = !mayBeWindows1252
    this.lineBytesMax = lineBytesMax
  }

  push(chunk: Uint8Array): Line[] {
    if (this.head === undefined) return this.split(this.toUtf8(chunk))
    const bytes = join(this.head, chunk)
    if (bytes.length < HEAD_BYTES) {
      this.head = bytes
      return []
    }
    return this.begin(bytes)
  }

  /** Returns the last line if the file does not end with a line break. */
  end(): Line[] {
    const lines = this.head === undefined ? [] : this.begin(this.head)
    if (this.utf16 !== undefined) lines.push(...this.split(encoder.encode(this.utf16.decode())))
    const isOpen = this.heldBytes > 0 || this.isTooLong
    return isOpen ? [...lines, ...this.linesOf(this.held.subarray(0, this.heldBytes))] : lines
  }

  private begin(bytes: Uint8Array): Line[] {
    this.head = undefined
    const [a, b, c, d] = bytes
    const isLittle = (a === 0xff && b === 0xfe) || (a && b === 0 && c && d === 0)
    const isBig = (a === 0xfe && b === 0xff) || (a === 0 && b && c === 0 && d)
    if (isLittle || isBig) {
      this.utf16 = new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be')
      this.encoding = 'UTF-16'
      return this.split(this.toUtf8(bytes))
    }
    this.isZip = a === 0x50 && b === 0x4b && c === 0x03 && d === 0x04
    const hasMark = a === 0xef && b === 0xbb && c === 0xbf
    this.isUtf8 ||= hasMark
    return this.split(hasMark ? bytes.subarray(3) : bytes)
  }

  private toUtf8(bytes: Uint8Array): Uint8Array {
    return this.utf16 === undefined ? bytes : encoder.encode(this.utf16.decode(bytes, { stream: true }))
  }

  private split(bytes: Uint8Array): Line[] {
    if (bytes.length === 0) return []
    // A trailing CR may be half of a CRLF, so it waits for the next byte.
    const crAt = bytes.length > 1 ? bytes.lastIndexOf(CR, bytes.length - 2) : -1
    const end = Math.max(bytes.lastIndexOf(LF), crAt) + 1
    const rest = bytes.subarray(end)
    let lines: Line[] = []
    if (end > 0 || this.endsWithCr) {
      lines = this.linesOf(this.takeHeld(bytes.subarray(0, end)))
      this.heldBytes = 0
    }
    this.hold(rest)
    this.endsWithCr = bytes[bytes.length - 1] === CR
    return lines
  }

  private hold(part: Uint8Array): void {
    this.isTooLong ||= this.heldBytes + part.length > this.lineBytesMax + 1
    if (this.isTooLong) this.heldBytes = 0
    else this.append(part)
  }

  private append(part: Uint8Array): void {
    const length = this.heldBytes + part.length
    if (length > this.held.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.held.length))
      larger.set(this.held.subarray(0, this.heldBytes))
      this.held = larger
    }
    this.held.set(part, this.heldBytes)
    this.heldBytes = length
  }

  /** Returns the held bytes followed by `part`. */
  private takeHeld(part: Uint8Array): Uint8Array {
    if (this.heldBytes === 0) return part
    this.append(part)
    return this.held.subarray(0, this.heldBytes)
  }

  /** Returns the lines of bytes that end with a complete line. */
  private linesOf(given: Uint8Array): Line[] {
    const lines: Line[] = []
    let bytes = given
    if (this.isTooLong) {
      this.isTooLong = false
      lines.push({ line: ++this.line, reason: this.tooLong() })
      bytes = bytes.subarray(findEnd(bytes, 0).next)
    }
    if (bytes.length === 0) return lines
    const text = bytes.length > this.lineBytesMax ? undefined : this.utf8.decode(bytes)
    if (text !== undefined && !text.includes(REPLACEMENT)) {
      this.isUtf8 ||= text.length !== bytes.length
      this.splitText(text, lines)
      return lines
    }
    for (let start = 0; start < bytes.length; ) {
      const { at, next, end } = findEnd(bytes, start)
      lines.push(this.decode(bytes.subarray(start, at), end))
      start = next
    }
    return lines
  }

  private splitText(text: string, lines: Line[]): void {
    let lf = text.indexOf('\n')
    let cr = text.indexOf('\r')
    for (let start = 0; start < text.length; ) {
      let at = text.length
      let end = ''
      if (lf >= 0 && (cr < 0 || lf < cr)) {
        at = lf
        end = '\n'
      } else if (cr >= 0) {
        at = cr
        end = lf === cr + 1 ? '\r\n' : '\r'
      }
      lines.push({ line: ++this.line, value: text.slice(start, at), end })
      start = at + end.length
      if (lf >= 0 && lf < start) lf = text.indexOf('\n', start)
      if (cr >= 0 && cr < start) cr = text.indexOf('\r', start)
    }
  }

  private tooLong(): string {
    return `the line is longer than ${this.lineBytesMax / MIB} MiB`
  }

  private decode(bytes: Uint8Array, end: string): Line {
    const line = ++this.line
    if (bytes.length > this.lineBytesMax) return { line, reason: this.tooLong() }
    const text = this.utf8.decode(bytes)
    if (!text.includes(REPLACEMENT) || (this.utf16 === undefined && hasOwnReplacements(text, bytes))) {
      this.isUtf8 ||= text.length !== bytes.length
      return { line, value: text, end }
    }
    if (this.utf16 !== undefined) return { line, reason: NOT_UTF16 }
    if (this.isZip) return { line, reason: NOT_TEXT }
    const value = this.isUtf8 ? undefined : fromWindows1252(bytes)
    if (value === undefined) return { line, reason: NOT_UTF8 }
    this.encoding = 'Windows-1252'
    return { line, value, end }
  }
}

const encoder = new TextEncoder()

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0 && second.length >= HEAD_BYTES) return second
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** Returns the position of the first line break from `start` on, and of what follows it. */
function findEnd(bytes: Uint8Array, start: number): { at: number; next: number; end: string } {
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] === LF) return { at, next: at + 1, end: '\n' }
    if (bytes[at] !== CR) continue
    return bytes[at + 1] === LF ? { at, next: at + 2, end: '\r\n' } : { at, next: at + 1, end: '\r' }
  }
  return { at: bytes.length, next: bytes.length, end: '' }
}

/** Returns whether every U+FFFD in a decoded text was already in its bytes, which are then valid UTF-8. */
function hasOwnReplacements(text: string, bytes: Uint8Array): boolean {
  let left = text.split(REPLACEMENT).length - 1
  for (let at = bytes.indexOf(0xef); at !== -1; at = bytes.indexOf(0xef, at + 1)) {
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) left -= 1
  }
  return left === 0
}

/**
 * Decodes Windows-1252. Returns undefined if it does not define one of the bytes. A TextDecoder is not used, because some
 * versions of Node decode 0x80 to 0x9F as control characters.
 */
function fromWindows1252(bytes: Uint8Array): string | undefined {
  let text = ''
  for (const byte of bytes) {
    text += byte < 0x80 || byte > 0x9f ? String.fromCharCode(byte) : WINDOWS_1252[byte - 0x80]!
  }
  return text.includes('\0') ? undefined : text
}

/** Reads a whole file. Returns its text, or the first line that cannot be read. */
export function readText(bytes: Uint8Array): { text: string; encoding: Encoding } | { line: number; reason: string } {
  const lines = new TextLines({ mayBeWindows1252: true })
  let text = ''
  for (const line of [...lines.push(bytes), ...lines.end()]) {
    if ('reason' in line) return line
    text += line.value + line.end
  }
  return { text, encoding: lines.encoding }
}
