import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isOptOut } from './opt-out.js'

const WORDS = ['STOP', 'CANCEL', 'UNSUBSCRIBE', 'PARAR', 'SAIR', 'ALTO', 'BAJA']

test.each([
  ...WORDS,
  'stop',
  ' Stop! ',
  '“Sair”.',
  '¡Alto!',
  'ＳＴＯＰ',
  '#baja',
  'stop 🙏',
  '\n\tparar…',
  'SAİR',
  'saır',
  'ſtop',
])('%j opts out of automated messages', (text) => {
  expect(isOptOut(text)).toBe(true)
})

test.each([
  '',
  '!',
  'do not stop',
  'stop it',
  'nonstop',
  'stopp',
  'S T O P',
  'stop stop',
  'baja california',
  'cancelar',
  '🛑',
])('%j does not', (text) => {
  expect(isOptOut(text)).toBe(false)
})

test('only a single word counts, ignoring case and the signs around it', () => {
  const sign = fc.constantFrom(' ', '!', '.', '…', '"', '🙏', '#', '\n', '¿', '-')
  const signs = fc.string({ unit: sign, maxLength: 5 })
  const anyCase = fc
    .tuple(fc.constantFrom(...WORDS), fc.infiniteStream(fc.boolean()))
    .map(([word, upper]) => [...word].map((letter) => (upper.next().value ? letter : letter.toLowerCase())).join(''))
  fc.assert(
    fc.property(signs, anyCase, signs, fc.constantFrom('a', 'não', '1', 'ok'), (before, word, after, other) => {
      expect(isOptOut(`${before}${word}${after}`)).toBe(true)
      expect(isOptOut(`${before}${word}${after} ${other}`)).toBe(false)
      expect(isOptOut(`${other} ${before}${word}${after}`)).toBe(false)
      expect(isOptOut(`${before}${after}`)).toBe(false)
    }),
  )
})
