import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareContents, compareTexts, isNothing } from '../../src/console/approvals/difference.js'
import type { ReviewedContent } from '../../src/interface/generated/types.js'

describe('the difference of two texts', () => {
  test('consists of words, removed text before added text', () => {
    expect(compareTexts('The price is 3 € today', 'The price is 30 € for you')).toEqual([
      { kind: 'same', text: 'The price is ' },
      { kind: 'gone', text: '3 ' },
      { kind: 'new', text: '30 ' },
      { kind: 'same', text: '€ ' },
      { kind: 'gone', text: 'today' },
      { kind: 'new', text: 'for you' },
    ])
  })

  test('ignores the space after a word', () => {
    expect(compareTexts('Win 🎁', 'Win 🎁 now')).toEqual([
      { kind: 'same', text: 'Win 🎁' },
      { kind: 'new', text: ' now' },
    ])
  })

  test('contains both texts, in any script and of any length', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b ', 'ب', ' ', '\n', 'été ', '👩‍🚀', '<b>'), { maxLength: 40 })
      .map((parts) => parts.join(''))
    const without = (pieces: ReturnType<typeof compareTexts>, kind: string): string =>
      pieces.flatMap((piece) => (piece.kind === kind ? [] : [piece.text])).join('')
    fc.assert(
      fc.property(text, text, (before, now) => {
        const pieces = compareTexts(before, now)
        expect([without(pieces, 'new'), without(pieces, 'gone')]).toEqual([before, now])
      }),
    )
    const long = 'word '.repeat(5_000)
    expect(compareTexts(long, `${long}more`)).toEqual([
      { kind: 'gone', text: long },
      { kind: 'new', text: `${long}more` },
    ])
  })
})

describe('the difference of two contents', () => {
  const channel = { mediumType: 'FB_PAGE', mediumName: 'Page', failedToPublish: false }
  const content: ReviewedContent = {
    media: 'https://cdn.example.com/a.jpg',
    scheduledFor: '2026-12-01T09:00:00.000Z',
    mediumsData: { a: { ...channel, caption: 'Hello', superpower: { hashtag: '#hi' } }, b: channel },
  }

  test('is empty if they are equal, whether or not a channel has failed', () => {
    const same = { ...content, mediumsData: { ...content.mediumsData, b: { ...channel, failedToPublish: true } } }
    expect(isNothing(compareContents(content, same))).toBe(true)
  })

  test('includes the alt text, with the same picture or another', () => {
    const described = { ...content, altText: 'Bread' }
    expect(compareContents(content, described)).toMatchObject({ altText: { before: '', now: 'Bread' } })
    const other = { ...described, media: 'https://cdn.example.com/b.jpg' }
    expect(compareContents(described, other)).toEqual({
      media: { before: { media: content.media, altText: 'Bread' }, now: { media: other.media, altText: 'Bread' } },
      channels: [],
    })
  })

  test('includes the declaration of AI, with absent equal to false', () => {
    const declared = { ...content, aiGenerated: true }
    expect(compareContents(content, declared)).toEqual({ aiGenerated: { before: false, now: true }, channels: [] })
    expect(isNothing(compareContents(declared, content))).toBe(false)
    expect(isNothing(compareContents(content, { ...content, aiGenerated: false }))).toBe(true)
  })

  test('names each field', () => {
    const now: ReviewedContent = {
      scheduledFor: '2026-12-02T09:00:00.000Z',
      mediumsData: { a: { ...channel, caption: 'Hello you', superpower: { hashtag: '#ho' } }, c: channel },
    }
    expect(compareContents(content, now)).toEqual({
      media: { before: { media: content.media }, now: {} },
      time: { before: content.scheduledFor, now: now.scheduledFor },
      channels: [
        { id: 'a', name: 'Page', kind: 'changed', caption: { before: 'Hello', now: 'Hello you' }, superpower: true },
        { id: 'b', name: 'Page', kind: 'removed' },
        { id: 'c', name: 'Page', kind: 'added' },
      ],
    })
  })
})
