import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPhraseFinder, toWords } from './phrase.js'

const has = (text: string, phrase: string): boolean => createPhraseFinder(toWords(text))(toWords(phrase))

test.each([
  ['QUERO!', 'quero'],
  ['Eu quero, por favor', '#Quero'],
  ['#quero', 'quero'],
  ['ＱＵＥＲＯ', 'quero'],
  ['ÉTÉ', 'e\u0301te\u0301'],
  ['Я хочу скидку', 'Хочу'],
  ['أريد الرابط', 'الرابط'],
  ['नमस्ते दोस्त', 'नमस्ते'],
  ['抽奖 please', '抽奖'],
  ['I do WANT, the: link', 'want the link'],
  ['Don’t stop', "don't"],
  ['offer 50 now', '50'],
])('%s has %s', (text, phrase) => {
  expect(has(text, phrase)).toBe(true)
})

test.each([
  ['querosene', 'quero'],
  ['eu que ro', 'quero'],
  ['ete', 'été'],
  ['want a link', 'want link'],
  ['link want', 'want link'],
  ['want', 'want link'],
  ['', 'quero'],
  ['anything', '#'],
  ['anything', ''],
  ['🎉', '🎉'],
])('%s does not have %s', (text, phrase) => {
  expect(has(text, phrase)).toBe(false)
})

test('a phrase is found exactly where its words follow one another', () => {
  const word = fc.constantFrom('a', 'b', 'c')
  const phrases = fc.array(fc.array(word, { maxLength: 5 }), { maxLength: 20 })
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), phrases, (text, asked) => {
      const has = createPhraseFinder(text)
      for (const phrase of asked) {
        const isThere = phrase.length > 0 && ` ${text.join(' ')} `.includes(` ${phrase.join(' ')} `)
        expect(has(phrase)).toBe(isThere)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('words are the same however a text is composed and written, and again of themselves', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const words = toWords(text)
      expect(toWords(text.normalize('NFD'))).toEqual(words)
      expect(toWords(words.join(' #'))).toEqual(words)
    }),
  )
})
