import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toCsvCell, toCsvRecord } from './csv.js'

describe('a record of CSV (RFC 4180)', () => {
  test('quotes what needs it and ends with CRLF', () => {
    expect(toCsvRecord(['a', 'b,c', 'd"e', 'f\ng', '', 'h i'])).toBe('a,"b,c","d""e","f\ng",,h i\r\n')
  })

  test('has numbers and truth values as they are, nothing for nothing, JSON for objects', () => {
    expect(toCsvRecord([-1.5, true, undefined, null, { a: [1] }])).toBe('-1.5,true,,,"{""a"":[1]}"\r\n')
  })

  test('is read back as it was by a reader of CSV', () => {
    const cell = fc.string({ unit: 'binary' }).filter((text) => toCsvCell(text).replace(/^"/, '')[0] !== "'")
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 4 }), (cells) => {
        expect(parse(toCsvRecord(cells), { bom: false })).toEqual([cells])
      }),
    )
  })
})

describe('what a spreadsheet would run gets an apostrophe before it', () => {
  test.each([
    '=1+1',
    '=A1',
    '+A1()',
    '-2+3',
    '@SUM(A1)',
    '=HYPERLINK("https://evil.example","x")',
    "@SUM(1)*cmd|' /C calc'!A0",
    '\t=1+1',
    '\r=1+1',
    '＝1+1',
  ])('%j', (text) => {
    expect(parse(toCsvRecord([text, 'x']))).toEqual([[`'${text}`, 'x']])
  })

  test.each([
    '-12.5',
    '+4915',
    '--05-17',
    '@anna.b_c',
    '@аня',
    '-',
    'a=b',
    '1+1',
    "it's",
  ])('and %j does not', (text) => {
    expect(parse(toCsvRecord([text, 'x']))).toEqual([[text, 'x']])
  })
})
