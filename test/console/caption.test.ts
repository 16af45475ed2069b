import { beforeAll, describe, expect, test } from 'vitest'
import { foldCaption, hashtagsOf, splitCaption } from '../../src/console/posts/caption.js'
import { countCaption } from '../../src/interface/caption-limits.js'
import type { ChannelType } from '../../src/interface/generated/types.js'
import { startTestApp, Tenant, type TestApp } from '../harness.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
})

describe("the editor's counts of a caption", () => {
  const times = (what: string, many: number): string => what.repeat(many)
  const cases: [ChannelType, number, 'characters' | 'hashtags' | 'mentions', (many: number) => string][] = [
    // The body of a call has no room for this many two-unit UTF-16 characters plus one.
    ['FB_PAGE', 63_206, 'characters', (many) => times('é', many)],
    ['INSTAGRAM_ACCOUNT', 2200, 'characters', (many) => times('é', many)],
    ['INSTAGRAM_ACCOUNT', 30, 'hashtags', (many) => `me@x #1 ${times('#日本 ', many)}`],
    ['INSTAGRAM_ACCOUNT', 20, 'mentions', (many) => `me@x.example ${times('@rosa ', many)}`],
  ]

  test('cover all limits', () => {
    const counted = (['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const).flatMap((type) =>
      countCaption(type, '').map(({ what }) => `${type} ${what}`),
    )
    expect(cases.map(([type, , what]) => `${type} ${what}`).sort()).toEqual(counted.sort())
  })

  test.each(cases)('allow on a %s at most %d %s, like the service', async (type, max, what, make) => {
    const channel = await tenant.channel([], type)
    const submit = (status: number, caption: string) =>
      tenant.call(status, 'POST', '/scheduled-posts', {
        body: {
          status: 'WAITING_FOR_APPROVAL',
          media: 'https://cdn.example.com/a.jpg',
          scheduledFor: '2026-12-01T10:00:00Z',
          channels: { [channel]: { caption } },
        },
      })
    const excess = (caption: string) => countCaption(type, caption).filter(({ count, max: most }) => count > most)
    await submit(201, make(max))
    expect(excess(make(max))).toEqual([])
    const { body } = await submit(400, make(max + 1))
    expect(body.message).toContain(`at most ${max} ${what}`)
    expect(excess(make(max + 1))).toEqual([{ what, count: max + 1, max }])
  })

  test('split it into text, tags and links without loss', () => {
    const caption = 'A #été, @rosa.v and https://shop.example/#a — me@x.example #1 #日本'
    expect(
      splitCaption(caption)
        .map(({ text }) => text)
        .join(''),
    ).toBe(caption)
    expect(hashtagsOf(caption)).toEqual(['#été', '#日本'])
  })
})

describe('the fold of a feed', () => {
  test.each([
    ['a text that is short enough', 'x'.repeat(125)],
    ['as many emoji', '🍞'.repeat(125)],
    ['three lines', 'a\nb\nc'],
    ['trailing space', `${'x'.repeat(125)}   \n\n\n\n`],
    ['nothing', ''],
  ])('leaves %s as it is', (_name, text) => {
    expect(foldCaption(text, 'instagram')).toBe(text)
  })

  test('comes between two words, and splits a long word but no character', () => {
    expect(foldCaption('bread '.repeat(30), 'instagram')).toBe('bread '.repeat(20).trim())
    expect(foldCaption('x'.repeat(126), 'instagram')).toBe('x'.repeat(125))
    expect(foldCaption('🍞'.repeat(126), 'instagram')).toBe('🍞'.repeat(125))
  })

  test('counts lines, and is later on Facebook', () => {
    const lines = 'a\nb\nc\nd\ne\nf'
    expect(foldCaption(lines, 'instagram')).toBe('a\nb\nc')
    expect(foldCaption(lines, 'facebook')).toBe('a\nb\nc\nd\ne')
    expect(foldCaption('x'.repeat(477), 'facebook')).toHaveLength(477)
    expect(foldCaption('x'.repeat(478), 'facebook')).toHaveLength(477)
  })
})
