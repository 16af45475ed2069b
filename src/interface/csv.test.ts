import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapeFormulas, toCsvCell, toCsvRecord, unescapeFormulas } from './csv.js'

describe('a record of CSV (RFC 4180)', () => {
  test.each(['a;b', 'a\tb', 'a"b', 'a,b', 'a\rb', 'a\nb'])('quotes the cell %j', (text) => {
    expect(toCsvCell(text)).toBe(`"${text.replaceAll('"', '""')}"`)
  })

  test('quotes what needs it and ends with CRLF', () => {
    expect(toCsvRecord(['a', 'b,c', 'd"e', 'f\ng', '', 'h i'])).toBe('a,"b,c","d""e","f\ng",,h i\r\n')
  })

  test('has numbers and booleans unchanged, nothing for null, and JSON for objects', () => {
    expect(toCsvRecord([-1.5, true, undefined, null, { a: [1] }])).toBe('-1.5,true,,,"{""a"":[1]}"\r\n')
  })

  test('is read back unchanged by a CSV parser', () => {
    const cell = fc.string({ unit: 'binary' }).filter((text) => escapeFormulas(text) === text)
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 4 }), (cells) => {
        expect(parse(toCsvRecord(cells), { bom: false })).toEqual([cells])
      }),
    )
  })
})

describe('a text that a spreadsheet would run gets an apostrophe before it', () => {
  test.each([
    '=1+1',
    '=A1',
    '+A1()',
    '-2+3',
    '@SUM(A1)',
    '=HYPERLINK("https://evil.example","x")',
    "@SUM(1)*cmd|' /C calc'!A0",
    '\tx',
    '\rx',
    "'=1+1",
    '＝1+1',
  ])('%j', (text) => {
    expect(parse(toCsvRecord([text, 'x']))).toEqual([[`'${text}`, 'x']])
  })

  test.each([
    ['a;=1+1', "a;'=1+1"],
    ['a\t=1+1', "a\t'=1+1"],
    ['a,+1+1', "a,'+1+1"],
    ['a\n@SUM(1)', "a\n'@SUM(1)"],
    ['a;"=cmd()', 'a;"\'=cmd()'],
    ['a; =cmd()', "a; '=cmd()"],
    ['\t=1+1', "'\t'=1+1"],
    ['a;-5;+A1;@anna', 'a;-5;+A1;@anna'],
  ])('also after a separator: %j', (text, escaped) => {
    expect(parse(toCsvRecord([text, 'x']))).toEqual([[escaped, 'x']])
  })

  test('in an object as a JSON escape, which does not change the value', () => {
    const value = { a: ['x;=1+1', '=1', -2, [-3, -4]], '=b': 'y,@SUM(1)' }
    const [[cell]] = parse(toCsvRecord([value])) as [[string]]
    expect(JSON.parse(cell)).toEqual(value)
    expect(cell).not.toMatch(/[,;][ "]*[=+@]/)
  })

  test.each(['-12.5', '+4915', '--05-17', '@anna.b_c', '@аня', '-', 'a=b', '1+1', "it's"])('but not %j', (text) => {
    expect(parse(toCsvRecord([text, 'x']))).toEqual([[text, 'x']])
  })
})

describe('for any text', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '1', '.', ' ', '"', "'", ',', ';', '\t', '\r', '\n', '=', '-', '@', '＋'),
  })

  test('no piece of it between separators begins a formula', () => {
    fc.assert(
      fc.property(text, (text) => {
        for (const piece of escapeFormulas(text).split(/[,;\t\r\n]/)) {
          const plain = piece.replace(/^[ "]*/, '').replace(/[ "]*$/, '')
          expect(/^[=+\-@＝＋－＠]/.test(plain) && !/^[-+@]{0,2}[\w.-]*$/.test(plain), piece).toBe(false)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('unescaping restores it', () => {
    fc.assert(
      fc.property(text, (text) => {
        expect(unescapeFormulas(escapeFormulas(text))).toBe(text)
      }),
      { numRuns: 5_000 },
    )
  })
})
