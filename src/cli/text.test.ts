import { expect, test } from 'vitest'
import { forTerminal, onOneLine, padEnd, padStart } from './text.js'

test.each([
  ['Paris', 'Paris     ', '     Paris'],
  ['喫茶店', '喫茶店    ', '    喫茶店'],
])('%s fills a column by its cells, from the left and from the right', (text, left, right) => {
  expect(padEnd(text, 10)).toBe(left)
  expect(padStart(text, 10)).toBe(right)
})

test('a text wider than its column stays complete', () => {
  expect(padEnd('喫茶店', 4)).toBe('喫茶店')
})

test('control characters, including eight-bit ones, and direction marks are removed from a line', () => {
  expect(onOneLine('a\u001b[31mb\r\nc\u009b2Jd\u007fe\u202ef\u2028g')).toBe('a [31mb c 2Jd e f g')
})

test('in text of several lines they are escaped, and the lines stay', () => {
  expect(forTerminal('a\tb\r\nc\u001b[2J\u009bd\re\u202e\n')).toBe('a\tb\r\nc\\u001b[2J\\u009bd\\u000de\\u202e\n')
  const json = JSON.stringify({ name: 'x\u009b2J\u202e' })
  expect(JSON.parse(forTerminal(json))).toEqual(JSON.parse(json))
})
