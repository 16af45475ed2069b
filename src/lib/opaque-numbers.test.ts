import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createOpaqueNumbers } from './opaque-numbers.js'

const KEY = Buffer.alloc(32, 7)
const number = fc.nat({ max: Number.MAX_SAFE_INTEGER })

test('any number can be read back only in its own scope, for its own purpose and with its own key', () => {
  fc.assert(
    fc.property(number, fc.string(), fc.string(), (number, scope, other) => {
      fc.pre(scope !== other)
      const text = createOpaqueNumbers(KEY, 'one', scope).hide(number)
      expect(createOpaqueNumbers(KEY, 'one', scope).reveal(text)).toBe(number)
      expect(createOpaqueNumbers(KEY, 'one', other).reveal(text)).toBeUndefined()
      expect(createOpaqueNumbers(KEY, 'two', scope).reveal(text)).toBeUndefined()
      expect(createOpaqueNumbers(Buffer.alloc(32, 8), 'one', scope).reveal(text)).toBeUndefined()
    }),
  )
})

test('a text that was not issued is not a number', () => {
  const numbers = createOpaqueNumbers(KEY, 'one', 'scope')
  const text = numbers.hide(1)
  for (const wrong of [
    '',
    '1',
    text.slice(1),
    `${text}A`,
    `${text}=`,
    text.toUpperCase(),
    ` ${text}`,
    'x'.repeat(9_999),
  ]) {
    expect(numbers.reveal(wrong)).toBeUndefined()
  }
})

test('neighbours have nothing in common', () => {
  const numbers = createOpaqueNumbers(KEY, 'one', 'scope')
  const texts = Array.from({ length: 1_000 }, (_, number) => numbers.hide(number))
  expect(new Set(texts.map((text) => text.slice(0, 8))).size).toBe(1_000)
  expect(texts).not.toEqual([...texts].sort())
})
