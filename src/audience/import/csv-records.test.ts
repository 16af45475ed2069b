import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startProcessorTime } from '../../../test/processor-time.js'
import { readCsvRecords } from './csv-records.js'
import { type Numbered, splitLines } from './split-lines.js'

async function read(text: string): Promise<Numbered<string[]>[]> {
  async function* chunks(): AsyncGenerator<Buffer> {
    yield Buffer.from(text)
  }
  return Readable.from(readCsvRecords(splitLines(chunks()))).toArray()
}

/** The records by line; a refused one as null. */
const byLine = (records: Numbered<string[]>[]) =>
  Object.fromEntries(records.map((record) => [record.line, 'value' in record ? record.value : null]))

describe('readCsvRecords', () => {
  test('reads cells in quotes with commas, doubled quotes and line feeds; a record counts from its first line', async () => {
    const text = 'a,b\r\n"1,5","say ""hi"""\r\n\r\n"two\r\n\r\nlines",x\r\n  \nlast,""'
    expect(byLine(await read(text))).toEqual({
      1: ['a', 'b'],
      2: ['1,5', 'say "hi"'],
      4: ['two\r\n\r\nlines', 'x'],
      8: ['last', ''],
    })
  })

  test('any table that is written by the rules is read back, whatever separates its cells', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '🌸', ',', ';', '\t', '"', '\n', '\r', ' ') })
    const delimiter = fc.constantFrom(',', ';', '\t')
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell, cell), { minLength: 1 }), delimiter, async (rows, delimiter) => {
        const table = [['a', 'b', 'c'], ...rows]
        const text = table.map((row) => `${row.map(quote).join(delimiter)}\n`).join('')
        expect((await read(text)).map((record) => ('value' in record ? record.value : record.reason))).toEqual(table)
      }),
      { numRuns: 100 },
    )
  })

  test.each([
    ['in a plain cell', '2,5" disk'],
    ['after a quoted cell', '"2"x,y'],
    ['opened and never closed', '"2,y'],
    ['opened in the last cell', '2,"y'],
  ])('a stray quote %s costs its own line alone', async (_where, broken) => {
    const good = Array.from({ length: 500 }, (_, index) => `${index},"say ""hi"""`)
    const text = ['a,b', broken, ...good].join('\n')
    const records = await read(text)
    expect(records.filter((record) => 'reason' in record)).toEqual([{ line: 2, reason: expect.any(String) }])
    expect(records).toHaveLength(502)
  })

  test('of two stray quotes far apart the lines between them are kept', async () => {
    const records = byLine(await read('a,b\n1,"x\n2,y\n3,z\n4,"w\n5,v'))
    expect(records).toEqual({ 1: ['a', 'b'], 2: null, 3: ['2', 'y'], 4: ['3', 'z'], 5: null, 6: ['5', 'v'] })
  })

  test('a record with more or fewer cells than the header is refused by its numbers', async () => {
    expect(await read('a,b\n1\n1,2,3\n,')).toEqual([
      { line: 1, value: ['a', 'b'] },
      { line: 2, reason: 'the line has 1 cells, the header has 2' },
      { line: 3, reason: 'the line has 3 cells, the header has 2' },
      { line: 4, value: ['', ''] },
    ])
  })

  test('a quote that never closes is given up within 1 MiB, and no line after it is lost', async () => {
    let furthest = 0
    async function* source(): AsyncGenerator<Numbered<string>> {
      yield { line: 1, value: 'a,b' }
      yield { line: 2, value: '1,"open' }
      for (let line = 3; line <= 40_000; line++) {
        furthest = line
        yield { line, value: `${line},${'x'.repeat(60)}` }
      }
    }
    const records = readCsvRecords(source())
    expect((await records.next()).value).toMatchObject({ line: 1 })
    expect((await records.next()).value).toEqual({ line: 2, reason: 'a quote is opened and never closed' })
    expect(furthest).toBeLessThan(20_000)
    let count = 0
    for await (const record of records) count += 'value' in record ? 1 : 0
    expect(count).toBe(39_998)
  })

  /** The processor time that a file takes to read, and how often others had their turn meanwhile. */
  async function readBeside(text: string) {
    const passed = startProcessorTime()
    let turns = 0
    let isReading = true
    const count = (): void => {
      turns += 1
      if (isReading) setImmediate(count)
    }
    setImmediate(count)
    let rejected = 0
    for await (const record of readCsvRecords(splitLines(Readable.from([Buffer.from(`a,b\n${text}`)])))) {
      if ('reason' in record) rejected += 1
    }
    isReading = false
    return { rejected, turns, tookMs: passed() }
  }

  test('misplaced quotes cost little more than sound lines, and others have their turns meanwhile', async () => {
    const sound = await readBeside('a,b\n'.repeat(50_000))
    const misplaced = await readBeside('a,"b\n'.repeat(50_000))
    expect([sound.rejected, misplaced.rejected]).toEqual([0, 50_000])
    // 30 times as much, when each is found by an exception of the parser.
    expect(misplaced.tookMs).toBeLessThan(10 * sound.tookMs)
    expect(misplaced.turns).toBeGreaterThan(misplaced.tookMs / 20)
  })

  test('blank lines that were read behind an open quote leave others their turns', async () => {
    const { rejected, turns, tookMs } = await readBeside(`"${'\n'.repeat(200_000)}`)
    expect(rejected).toBe(1)
    expect(turns).toBeGreaterThan(tookMs / 20)
  })

  test('a line that could not be read ends an open quote', async () => {
    async function* source(): AsyncGenerator<Numbered<string>> {
      yield { line: 1, value: 'a,b' }
      yield { line: 2, value: '1,"open' }
      yield { line: 3, value: '3,c' }
      yield { line: 4, reason: 'not UTF-8' }
      yield { line: 5, value: '5,e"' }
      yield { line: 6, value: '6,f' }
    }
    expect(byLine(await Readable.from(readCsvRecords(source())).toArray())).toEqual({
      1: ['a', 'b'],
      2: null,
      3: ['3', 'c'],
      4: null,
      5: null,
      6: ['6', 'f'],
    })
  })
})
