import { describe, expect, test } from 'vitest'
import { startProcessorTime } from '../../test/processor-time.js'
import { type Line, readText, TextLines } from './text-lines.js'

const MIB = 1024 * 1024

/** The lines of a file that arrives in chunks of the given size. */
function read(file: Buffer | string, size = 64 * 1024, lines = new TextLines({ mayBeWindows1252: true })): Line[] {
  const bytes = Buffer.from(file as string)
  const read: Line[] = []
  for (let at = 0; at < bytes.length; at += size) read.push(...lines.push(bytes.subarray(at, at + size)))
  return [...read, ...lines.end()]
}

const texts = (lines: Line[]) => lines.map((line) => ('value' in line ? line.value : line.reason))

describe('TextLines', () => {
  test.each([1, 2, 3, 5, 1000])('reads the same lines in chunks of %i bytes, without splitting characters', (size) => {
    const lines = read('Zoë 🌸\n\n\r\nשלום\nlast', size)
    expect(texts(lines)).toEqual(['Zoë 🌸', '', '', 'שלום', 'last'])
    expect(lines.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5])
  })

  test('an empty file has no lines, and a line feed at the end starts none', () => {
    expect(read('')).toEqual([])
    expect(texts(read('a\n'))).toEqual(['a'])
  })

  test('removes the byte order mark of the file, and no other', () => {
    expect(texts(read('\uFEFFa\n\uFEFFb', 1))).toEqual(['a', '\uFEFFb'])
  })

  test('refuses a line that is not UTF-8 and continues', () => {
    const bytes = Buffer.concat([Buffer.from('a\n'), Buffer.from([0xff, 0xfe, 0x61]), Buffer.from('\nb')])
    expect(read(bytes, 100, new TextLines({ mayBeWindows1252: false }))).toEqual([
      { line: 1, value: 'a', end: '\n' },
      { line: 2, reason: expect.stringContaining('UTF-8') },
      { line: 3, value: 'b', end: '' },
    ])
  })

  test('accepts a line of 1 MiB and refuses one byte more', () => {
    const lines = read(`${'a'.repeat(MIB)}\n${'b'.repeat(MIB + 1)}\nc\n${'d'.repeat(2 * MIB)}`)
    expect(lines.map((line) => ('value' in line ? line.value.length : line.reason))).toEqual([
      MIB,
      expect.stringContaining('1 MiB'),
      1,
      expect.stringContaining('1 MiB'),
    ])
  })

  test('ends lines at LF, CRLF and CR, and keeps the line break', () => {
    const file = 'a\r\nb\rc\n\r\r\n\nd\r'
    for (const size of [1, 2, 3, 100]) {
      expect(read(file, size).map((line) => 'end' in line && [line.value, line.end])).toEqual([
        ...[
          ['a', '\r\n'],
          ['b', '\r'],
          ['c', '\n'],
          ['', '\r'],
          ['', '\r\n'],
          ['', '\n'],
          ['d', '\r'],
        ],
      ])
    }
  })

  test.each<[string, Buffer]>([
    ['with a mark, low byte first', Buffer.from('\uFEFFZoë,€\n🌸', 'utf16le')],
    ['with a mark, high byte first', Buffer.from('\uFEFFZoë,€\n🌸', 'utf16le').swap16()],
    ['without a mark, low byte first', Buffer.from('Zoë,€\n🌸', 'utf16le')],
    ['without a mark, high byte first', Buffer.from('Zoë,€\n🌸', 'utf16le').swap16()],
  ])('reads UTF-16 %s', (_what, bytes) => {
    for (const size of [1, 3, 100]) {
      const lines = new TextLines({ mayBeWindows1252: true })
      expect(texts(read(bytes, size, lines))).toEqual(['Zoë,€', '🌸'])
      expect(lines.encoding).toBe('UTF-16')
    }
  })

  test('refuses a line of UTF-16 with half a character, as in a truncated file', () => {
    const cut = Buffer.from('\uFEFFa\n\ud83c\nb', 'utf16le')
    expect(texts(read(cut))).toEqual(['a', expect.stringContaining('not valid UTF-16'), 'b'])
    expect(texts(read(cut.subarray(0, -1)))[2]).toContain('not valid UTF-16')
  })

  test('reads all characters of Windows-1252 if the bytes are not UTF-8', () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte >= 0x20))
    const none = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])
    const lines = new TextLines({ mayBeWindows1252: true })
    const [line] = read(Buffer.from([...all].filter((byte) => !none.has(byte))), 100, lines)
    const text = 'value' in line! ? line.value : ''
    expect(text).toContain('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ\u00a0¡')
    expect([text.length, text.slice(-3), lines.encoding]).toEqual([219, 'ýþÿ', 'Windows-1252'])
    for (const byte of [0, ...none]) expect(read(Buffer.from([0xe9, byte]))[0]).toHaveProperty('reason')
  })

  test('refuses invalid UTF-8 in a file that has proven to be UTF-8', () => {
    const wrong = Buffer.from([0xe9, 0x0a])
    const sound = Buffer.from('é\n')
    const reason = expect.stringContaining('not valid UTF-8')
    expect(texts(read(Buffer.concat([sound, wrong])))).toEqual(['é', reason])
    expect(texts(read(Buffer.concat([Buffer.from('\uFEFF'), wrong])))).toEqual([reason])
    expect(texts(read(Buffer.concat([wrong, sound])))).toEqual(['é', 'é'])
    expect(texts(read(Buffer.concat([Buffer.from('PK\u0003\u0004'), wrong])))).toEqual([
      expect.stringContaining('ZIP archive'),
    ])
    expect(
      texts(read(Buffer.concat([Buffer.from('a\n'), wrong]), 100, new TextLines({ mayBeWindows1252: false }))),
    ).toEqual(['a', reason])
  })

  test('keeps a U+FFFD that is in the file', () => {
    expect(texts(read('a\uFFFDb\n'))).toEqual(['a\uFFFDb'])
  })

  test('reads Windows-1252 and unreadable lines at little more cost than UTF-8', () => {
    const timeOf = (text: string, encoding: 'utf8' | 'latin1'): number => {
      const bytes = Buffer.from(text, encoding)
      const passed = startProcessorTime()
      read(bytes)
      return passed()
    }
    const sound = timeOf('Zoë and others, who have a name\n'.repeat(20_000), 'utf8')
    expect(timeOf('Zoë and others, who have a name\n'.repeat(20_000), 'latin1')).toBeLessThan(20 * sound + 5_000)
    expect(timeOf('Zo\u0081 and others, who have a name\n'.repeat(20_000), 'latin1')).toBeLessThan(20 * sound + 5_000)
  })
})

test('readText returns a whole file as text, or the first unreadable line', () => {
  expect(readText(Buffer.from('a\r\nç\rb', 'latin1'))).toEqual({ text: 'a\r\nç\rb', encoding: 'Windows-1252' })
  expect(readText(Buffer.from('a\n\u0000ÿ', 'latin1'))).toEqual({ line: 2, reason: expect.stringContaining('UTF-8') })
})
