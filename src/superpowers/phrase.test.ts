import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startProcessorTime } from '../../test/processor-time.js'
import { foldCase } from '../interface/normal-form.js'
import { createPhraseFinder, toWords } from './phrase.js'

const has = (text: string, phrase: string): boolean => createPhraseFinder(text)(toWords(phrase))

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
  ['FİYAT', 'fiyat'],
  ['FIRSAT', 'fırsat'],
  ['fırsat', 'FIRSAT'],
  ['PLEASE LINK ME', 'link'],
  ['STRASSE', 'straße'],
  ['Straẞe', 'STRASSE'],
  ['ΤΙΜΗ ΤΗΣ ΟΔΟΥ, ΟΔΟΣ', 'οδος'],
  ['ﬁnd it', 'FIND'],
  ['I\u0307lginc', 'ilginc'],
  ['I\u0328\u0307\u0301 namus', 'į́'],
  ['ᎠᎡ', 'ꭰꭱ'],
])('%s contains %s', (text, phrase) => {
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
  ['Straße', 'strase'],
])('%s does not contain %s', (text, phrase) => {
  expect(has(text, phrase)).toBe(false)
})

describe('a script without spaces', () => {
  test.each([
    ['请问价格多少', '价格'],
    ['请问价格多少', '#价格'],
    ['求链接，谢谢', '链接'],
    ['我要抽獎活動的優惠碼', '優惠碼'],
    ['iPhone価格', '価格'],
    ['iPhone価格', 'IPHONE'],
    ['iPhone価格を教えて', 'iphone価格'],
    ['100元可以吗', '100'],
    ['ﾌﾟﾚｾﾞﾝﾄほしいです', 'プレゼント'],
    ['これほしいです', 'ほしい'],
    ['ราคาเท่าไหร่', 'ราคา'],
    ['ขอราคาหน่อยค่ะ', 'ราคา'],
    ['ฟรีๆ', 'ฟรี'],
    ['ລາຄາເທົ່າໃດ', 'ລາຄາ'],
    ['តម្លៃប៉ុន្មាន', 'តម្លៃ'],
    ['ဈေးဘယ်လောက်လဲ', 'ဈေး'],
    // The dictionary splits these elsewhere.
    ['ราคาาาา', 'ราคา'],
    ['คุชชั่นมีไหมคะ', 'คุชชั่น'],
    ['東京スカイツリーへ', 'スカイツリー'],
  ])('%s contains %s', (text, phrase) => {
    expect(has(text, phrase)).toBe(true)
  })

  test.each([
    ['東京都', '京都'],
    ['กาแฟ', 'กา'],
    ['フライパン', 'パン'],
    ['オンライン', 'ライン'],
    ['我要求', '求'],
    ['格价', '价格'],
    ['价钱表格', '价格'],
  ])('%s does not contain %s, which is part of another word', (text, phrase) => {
    expect(has(text, phrase)).toBe(false)
  })

  test('takes time in proportion to a long run', () => {
    const timeOf = (count: number): number => {
      const passed = startProcessorTime()
      has('价格多少'.repeat(count), '价格')
      return passed()
    }
    timeOf(100)
    // Without pieces, eight times as many letters take sixty times as long.
    expect(timeOf(16_000)).toBeLessThan(timeOf(2_000) * 24 + 5_000)
  })
})

test('each letter of Unicode is folded equally in both cases and each normal form, and folding is stable', () => {
  const others: string[] = []
  for (let code = 0; code < 0x110000; code++) {
    const letter = String.fromCodePoint(code)
    if (!/\p{Changes_When_Casemapped}|\p{Changes_When_NFKC_Casefolded}/u.test(letter)) continue
    const folded = foldCase(letter)
    const same = [letter.toLowerCase(), letter.toUpperCase(), letter.normalize('NFD'), letter.normalize('NFKC'), folded]
    if (same.some((form) => foldCase(form) !== folded)) others.push(letter)
  }
  expect(others).toEqual([])
})

test('a phrase is found exactly where its words follow one another', () => {
  const word = fc.constantFrom('a', 'b', 'c')
  const phrases = fc.array(fc.array(word, { maxLength: 5 }), { maxLength: 20 })
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), phrases, (text, asked) => {
      const has = createPhraseFinder(text.join(' '))
      for (const phrase of asked) {
        const isThere = phrase.length > 0 && ` ${text.join(' ')} `.includes(` ${phrase.join(' ')} `)
        expect(has(phrase)).toBe(isThere)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('words are the same however a text is composed and written, and splitting them again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const words = toWords(text)
      expect(toWords(text.normalize('NFD'))).toEqual(words)
      expect(toWords(words.join(' #'))).toEqual(words)
    }),
  )
})
