import { expect, test } from 'vitest'
import { describeFault } from './fault.js'

test('an error is described with its causes, the first line of each, once', () => {
  const root = Object.assign(new Error(''), { code: 'ECONNREFUSED' })
  const error = new Error('No response.\n    at x (y.js:1)', { cause: new Error('No response', { cause: root }) })
  expect(describeFault(error)).toBe('No response: ECONNREFUSED')
  expect(describeFault(new Error('x'.repeat(1_000)))).toBe(`${'x'.repeat(300)}…`)
  expect(describeFault('a text')).toBe('a text')
  expect(describeFault({ message: 42 })).toBe('42')
})

test('circular causes end', () => {
  const error = new Error('one')
  error.cause = new Error('two', { cause: error })
  expect(describeFault(error)).toBe('one: two')
})
