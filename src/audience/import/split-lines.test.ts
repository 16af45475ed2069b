import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { startProcessorTime } from '../../../test/processor-time.js'
import { type Numbered, splitLines } from './split-lines.js'

const MIB = 1024 * 1024

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function split(bytes: Buffer | string, chunkSize = 64 * 1024): Promise<Numbered<string>[]> {
  return Readable.from(splitLines(chunksOf(Buffer.from(bytes as string), chunkSize))).toArray()
}

const texts = (lines: Numbered<string>[]) => lines.map((line) => ('value' in line ? line.value : line.reason))

describe('splitLines', () => {
  test.each([1, 2, 3, 5, 1000])('gives the same lines in chunks of %i bytes, characters never torn', async (size) => {
    const lines = await split('Zoë 🌸\n\n\r\nשלום\rx\nlast', size)
    expect(texts(lines)).toEqual(['Zoë 🌸', '', '\r', 'שלום\rx', 'last'])
    expect(lines.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5])
  })

  test('an empty file has no lines, and a line feed at the end starts none', async () => {
    expect(await split('')).toEqual([])
    expect(texts(await split('a\n'))).toEqual(['a'])
  })

  test('leaves the byte order mark of the file out, and no other', async () => {
    expect(texts(await split('\uFEFFa\n\uFEFFb', 1))).toEqual(['a', '\uFEFFb'])
  })

  test('refuses a line that is not UTF-8 and reads on', async () => {
    const bytes = Buffer.concat([Buffer.from('a\n'), Buffer.from([0xff, 0xfe, 0x61]), Buffer.from('\nb')])
    expect(await split(bytes)).toEqual([
      { line: 1, value: 'a' },
      { line: 2, reason: expect.stringContaining('UTF-8') },
      { line: 3, value: 'b' },
    ])
  })

  test('takes a line of 1 MiB and refuses one byte more', async () => {
    const lines = await split(`${'a'.repeat(MIB)}\n${'b'.repeat(MIB + 1)}\nc\n${'d'.repeat(2 * MIB)}`)
    expect(lines.map((line) => ('value' in line ? line.value.length : line.reason))).toEqual([
      MIB,
      expect.stringContaining('1 MiB'),
      1,
      expect.stringContaining('1 MiB'),
    ])
  })

  test('others have their turns between the lines of one chunk', async () => {
    let turns = 0
    let isReading = true
    const count = (): void => {
      turns += 1
      if (isReading) setImmediate(count)
    }
    setImmediate(count)
    const passed = startProcessorTime()
    for await (const _line of splitLines(chunksOf(Buffer.from('{}\n'.repeat(100_000)), 300_000)));
    isReading = false
    expect(turns).toBeGreaterThan(passed() / 20)
    expect(turns).toBeGreaterThan(3)
  })

  test('asks for the next chunk only when the lines of the last are taken', async () => {
    let given = 0
    async function* source(): AsyncGenerator<Buffer> {
      for (;;) {
        given += 1
        yield Buffer.from('a\nb\n')
      }
    }
    const lines = splitLines(source())
    for (let taken = 0; taken < 100; taken++) {
      await lines.next()
      expect(given).toBe(Math.floor(taken / 2) + 1)
    }
    await lines.return(undefined)
  })
})
