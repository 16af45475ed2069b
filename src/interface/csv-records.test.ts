import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startProcessorTime } from '../../test/processor-time.js'
import { type CsvRecord, CsvRecords } from './csv-records.js'
import { type Line, TextLines } from './text-lines.js'

/** The records of these lines, in order. */
function* recordsOf(lines: Iterable<Line>): Generator<CsvRecord> {
  const records = new CsvRecords()
  for (const line of lines) for (const record of records.push([line])) if (record !== undefined) yield record
  for (const record of records.end()) if (record !== undefined) yield record
}

function read(text: string): CsvRecord[] {
  const lines = new TextLines({ mayBeWindows1252: true })
  return [...recordsOf([...lines.push(Buffer.from(text)), ...lines.end()])]
}

const linesOf = (values: (string | null)[]): Line[] =>
  values.map((value, index) =>
    value === null ? { line: index + 1, reason: 'not UTF-8' } : { line: index + 1, value, end: '\n' },
  )

/** The records by line, with null for a refused one. */
const byLine = (records: CsvRecord[]) =>
  Object.fromEntries(records.map((record) => [record.line, 'value' in record ? record.value : null]))

describe('CsvRecords', () => {
  test('reads quoted cells with commas, doubled quotes and line feeds; a record has the number of its first line', () => {
    const text = 'a,b\r\n"1,5","say ""hi"""\r\n\r\n"two\r\n\r\nlines",x\r\n  \nlast,""'
    expect(byLine(read(text))).toEqual({
      1: ['a', 'b'],
      2: ['1,5', 'say "hi"'],
      4: ['two\r\n\r\nlines', 'x'],
      8: ['last', ''],
    })
  })

  test('reads back any valid table, whatever the delimiter', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '🌸', ',', ';', '\t', '"', '\n', '\r', ' ') })
    const delimiter = fc.constantFrom(',', ';', '\t')
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell, cell), { minLength: 1 }), delimiter, async (rows, delimiter) => {
        const table = [['a', 'b', 'c'], ...rows]
        const text = table.map((row) => `${row.map(quote).join(delimiter)}\n`).join('')
        const sound = table.filter((row) => row.some((cell) => cell.trim() !== ''))
        expect(read(text).map((record) => ('value' in record ? record.value : record.reason))).toEqual(sound)
      }),
      { numRuns: 100 },
    )
  })

  test.each([
    ['opened and never closed', '"2,y'],
    ['opened in the last cell', '2,"y'],
    ['opened after a quote in the middle of a cell', '2",y","z'],
  ])('a stray quote %s costs only its own line', (_where, broken) => {
    const good = Array.from({ length: 500 }, (_, index) => `${index},"say ""hi"""`)
    const records = read(['a,b', broken, ...good].join('\n'))
    expect(records.filter((record) => 'reason' in record)).toEqual([{ line: 2, reason: expect.any(String) }])
    expect(records).toHaveLength(502)
  })

  test('a quote in the middle of a cell is a character, and so are quotes of a cell that continues after them', () => {
    expect(byLine(read('a,b\n2,5" disk\n"Big" news,"x"  \n"a, b" c, "d"\n="1,x\n'))).toEqual({
      1: ['a', 'b'],
      2: ['2', '5" disk'],
      3: ['"Big" news', 'x'],
      4: ['"a, b" c', ' "d"'],
      5: ['="1', 'x'],
    })
  })

  test('the lines between two distant stray quotes are kept', () => {
    const records = byLine(read('a,b\n1,"x\n2,y\n3,z\n4,"w\n5,v'))
    expect(records).toEqual({ 1: ['a', 'b'], 2: null, 3: ['2', 'y'], 4: ['3', 'z'], 5: null, 6: ['5', 'v'] })
  })

  test('a short line has empty cells, and empty cells beyond the last column are dropped', () => {
    expect(read('a,b,c,,\n1\n1,2,3,,\n1,2,3, ,"",\n1,2,3,,4\n,,\n"", ,\n"x\ny",2\n')).toEqual([
      { line: 1, value: ['a', 'b', 'c'] },
      { line: 2, value: ['1', '', ''] },
      { line: 3, value: ['1', '2', '3'] },
      { line: 4, value: ['1', '2', '3'] },
      {
        line: 5,
        reason: 'the line has 5 cells, but the header has 3: put any text that contains commas in quotes',
        cells: ['1', '2', '3'],
      },
      { line: 8, lastLine: 9, value: ['x\ny', '2', ''] },
    ])
  })

  test('allows an empty column without a name', () => {
    expect(read(' a ,,="b"\n1,,2\n1,x,2')).toMatchObject([
      { line: 1, value: ['a', '', 'b'] },
      { line: 2, value: ['1', '', '2'] },
      { line: 3, reason: 'column 2 has text but no name: name it, or delete it' },
    ])
  })

  test.each([
    ['sep=;\na;b,c\n1;2', ';'],
    ['"sep=;"\na;b\n1;2', ';'],
    ['SEP=\t\r\na\tb\n1\t2', '\t'],
    ['\n;;\n\nsep=;\n\na;b\n1;2', ';'],
    ['a;"b,,,"\n1;2', ';'],
    ['a\n1', 'none'],
  ])('the delimiter of %j comes from the header, or from the line before it', (text, separator) => {
    expect(read(text).map((record) => 'value' in record && record.value.length)).toEqual(
      separator === 'none' ? [1, 1] : [2, 2],
    )
  })

  test('a header is limited', () => {
    const header = (many: number) => Array.from({ length: many }, (_, at) => `c${at}`).join(',')
    expect(read(header(1_000))[0]).toHaveProperty('value')
    expect(read(header(1_001))[0]).toMatchObject({ line: 1, reason: expect.stringContaining('more than 1000 cells') })
  })

  test('an unclosed quote is abandoned within 1 MiB, and no line after it is lost', () => {
    let furthest = 0
    function* source(): Generator<Line> {
      yield* linesOf(['a,b', '1,"open'])
      for (let line = 3; line <= 40_000; line++) {
        furthest = line
        yield { line, value: `${line},${'x'.repeat(60)}`, end: '\n' }
      }
    }
    const records = recordsOf(source())
    expect(records.next().value).toMatchObject({ line: 1 })
    expect(records.next().value).toEqual({ line: 2, reason: 'a quote is opened but never closed' })
    expect(furthest).toBeLessThan(20_000)
    let count = 0
    for (const record of records) count += 'value' in record ? 1 : 0
    expect(count).toBe(39_998)
  })

  test.each([
    ['misplaced', 'a,"b\n', 50_000],
    ['opened and closed over lines', '1,"\n', 0],
    ['in the middle of cells before open ones', 'x","y\n', 50_000],
    ['doubled in an open one', '"",""\n', 0],
    ['that close and open', '","\n', 0],
    ['that open after others', '"a"b,"c\n', 50_000],
  ])('quotes %s cost little more than valid lines', (_what, line, refused) => {
    const timeOf = (text: string): [time: number, refused: number] => {
      const passed = startProcessorTime()
      const records = read(`a,b\n${text}`)
      return [passed(), records.filter((record) => 'reason' in record).length]
    }
    const [soundMs] = timeOf('a,b\n'.repeat(50_000))
    for (const before of ['', '"open\n']) {
      const [tookMs, many] = timeOf(before + line.repeat(50_000))
      if (refused > 0) expect(many).toBeGreaterThanOrEqual(refused)
      // It would take half a minute if each line were read again for every line before it.
      expect(tookMs).toBeLessThan(20 * soundMs + 5_000)
    }
  })

  test('an unreadable line ends an open quote', () => {
    expect(byLine([...recordsOf(linesOf(['a,b', '1,"open', '3,c', null, '5,e"', '6,f']))])).toEqual({
      1: ['a', 'b'],
      2: null,
      3: ['3', 'c'],
      4: null,
      5: ['5', 'e"'],
      6: ['6', 'f'],
    })
  })
})
