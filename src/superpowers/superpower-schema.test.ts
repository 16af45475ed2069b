import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { completeSuperpower, toExpiresAtMs, toLookupHashtag } from './superpower-schema.js'

describe('the lookup form of a hashtag', () => {
  test.each([
    ['#SummerSale', 'summersale'],
    ['summersale', 'summersale'],
    ['  ##Summer ', 'summer'],
    ['# Summer', 'summer'],
    ['#ÉTÉ', 'été'],
    ['#e\u0301te\u0301', 'été'],
    ['#夏', '夏'],
    ['#a#b', 'a#b'],
  ])('of %j is %j', (hashtag, lookupHashtag) => {
    expect(toLookupHashtag(hashtag)).toBe(lookupHashtag)
  })

  test('is its own lookup form, whatever the hashtag', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (hashtag) => {
        const lookup = toLookupHashtag(hashtag)
        expect(toLookupHashtag(lookup)).toBe(lookup)
        expect(toLookupHashtag(`#${hashtag}`)).toBe(lookup)
      }),
    )
  })
})

describe('completeSuperpower', () => {
  const bare = () => ({
    hashtag: '#Tag',
    conditionGroups: [{ publicReplies: [{ redirects: [{}] }], privateReplies: [{}] }],
    raffle: { winnersPrivateReply: {}, looseresPrivateReply: {}, endedPublicReplies: [{ redirects: [{}] }] },
  })

  test('creates every missing id, each unique', () => {
    const id = expect.any(String)
    const whole = completeSuperpower(bare())
    expect(whole).toEqual({
      id,
      hashtag: '#Tag',
      lookupHashtag: 'tag',
      conditionGroups: [{ groupId: id, publicReplies: [{ id, redirects: [{ id }] }], privateReplies: [{ id }] }],
      raffle: {
        winnersPrivateReply: { id },
        looseresPrivateReply: { id },
        endedPublicReplies: [{ id, redirects: [{ id }] }],
      },
    })
    const ids = JSON.stringify(whole).match(/"(?:group|i)[dI]d?":"[^"]+"/g) ?? []
    expect(ids).toHaveLength(9)
    expect(new Set(ids).size).toBe(9)
  })

  test('changes nothing in a complete superpower, and does not modify its input', () => {
    const input = bare()
    const whole = completeSuperpower(input)
    expect(completeSuperpower(whole)).toEqual(whole)
    expect(input).toEqual(bare())
  })

  test('keeps the stored id of each part with the same content, wherever it is now', () => {
    const reply = (text: string) => ({ text, redirects: [{ url: `https://example.com/${text}` }] })
    const input = (texts: string[]) => ({
      hashtag: '#Tag',
      conditionGroups: [{ name: 'all', publicReplies: texts.map(reply) }],
      raffle: { winnersLimit: 1, endedPublicReplies: [reply('end')] },
    })
    const stored = completeSuperpower(input(['a', 'b', 'a']))
    expect(completeSuperpower(input(['a', 'b', 'a']), stored)).toEqual(stored)
    const moved = completeSuperpower(input(['b', 'a', 'new']), stored)
    const [first, second, third] = stored.conditionGroups![0]!.publicReplies!
    const replies = moved.conditionGroups![0]!.publicReplies!
    expect(replies.slice(0, 2)).toEqual([second, first])
    expect([first?.id, second?.id, third?.id]).not.toContain(replies[2]?.id)
    expect(moved.raffle).toEqual(stored.raffle)
    expect(moved.id).not.toBe(stored.id)
    expect(completeSuperpower({ ...input(['a', 'b', 'a']), id: 'mine' }, stored).id).toBe('mine')
    expect(completeSuperpower(input(['a', 'b', 'a']), null).id).not.toBe(stored.id)
  })

  test.each([
    [undefined, null],
    [0, null],
    [1_767_225_600, 1_767_225_600_000],
    [1_767_225_600_000, 1_767_225_600_000],
    [99_999_999_999, 99_999_999_999_000],
    [100_000_000_000, 100_000_000_000],
    [-1, -1_000],
  ])('an expirationDate of %j expires at %j', (expirationDate, expiresAtMs) => {
    expect(toExpiresAtMs({ expirationDate })).toBe(expiresAtMs)
  })

  test('the lookup form follows the hashtag, whatever was sent', () => {
    expect(completeSuperpower({ id: 'a', hashtag: '#New', lookupHashtag: 'old' }).lookupHashtag).toBe('new')
    expect(completeSuperpower({ id: 'a', lookupHashtag: 'old' })).toEqual({ id: 'a' })
  })
})
