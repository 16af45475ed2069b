import { describe, expect, test } from 'vitest'
import {
  findPeople,
  insertMention,
  splitMentions,
  stillMentioned,
  typedName,
} from '../../src/console/discussion/mentions.ts'

const ana = { id: 'usr_1', name: 'Ana María' }
const annex = { id: 'usr_2', name: 'Ana' }
const emoji = { id: 'usr_3', name: 'Zoë 🎉' }
const dots = { id: 'usr_4', name: 'J. R. (Ops)' }
const people = [ana, annex, emoji, dots]

describe('a name after an @', () => {
  test.each([
    ['@', 1, { start: 0, name: '' }],
    ['Hello @an', 9, { start: 6, name: 'an' }],
    ['Hello @Ana Ma', 13, { start: 6, name: 'Ana Ma' }],
    ['(@z', 3, { start: 1, name: 'z' }],
    ['one\n@z', 6, { start: 4, name: 'z' }],
    // The caret is before the name, in an address, or three words later.
    ['Hello @an', 4, undefined],
    ['mail@an', 7, undefined],
    ['@one two three', 14, undefined],
    ['', 0, undefined],
  ])('%j with the caret at %i', (text, caret, typed) => expect(typedName(text, caret)).toEqual(typed))

  test('finds people by the beginning of any word, without case and accents', () => {
    const found = (typed: string): string[] => findPeople(people, typed).map(({ id }) => id)
    expect(found('')).toHaveLength(4)
    expect(found('maria')).toEqual(['usr_1'])
    expect(found('ANA')).toEqual(['usr_1', 'usr_2'])
    expect(found('zoe')).toEqual(['usr_3'])
    expect(found('ría')).toEqual([])
  })

  test('is replaced by the full name, and the caret moves after it', () => {
    const typed = typedName('Ask @an today', 7)!
    expect(insertMention('Ask @an today', typed, ana)).toEqual({ text: 'Ask @Ana María today', caret: 15 })
  })
})

describe('the people mentioned in a text', () => {
  test('are those who were chosen and are still named; a name that was only typed does not count', () => {
    expect(stillMentioned('For @Ana María', [ana, emoji])).toEqual([ana])
    expect(stillMentioned('For @Ana María', [])).toEqual([])
  })

  test('are marked, even if one name begins with another or contains special characters of a regex', () => {
    const marked = (text: string, names: string[]): string[] =>
      splitMentions(text, names).flatMap(({ text: part, isMention }) => (isMention ? [part] : []))
    expect(marked('@Ana María and @Ana', ['Ana', 'Ana María'])).toEqual(['@Ana María', '@Ana'])
    expect(marked('@J. R. (Ops)!', [dots.name])).toEqual(['@J. R. (Ops)'])
    expect(splitMentions('plain', [])).toEqual([{ text: 'plain', isMention: false }])
    expect(splitMentions('@Zoë 🎉', [emoji.name])).toEqual([{ text: '@Zoë 🎉', isMention: true }])
  })
})
