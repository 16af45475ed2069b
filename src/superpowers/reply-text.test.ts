import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChannelType } from '../interface/generated/types.js'
import { toPrivateReply, toPublicReply } from './reply-text.js'
import type { RuleReply } from './rule.js'

const replyOf = (text: string, more: Partial<RuleReply> = {}): RuleReply => ({
  ...{ place: 0, text, media: null, links: [], ...more },
})
const image = (url: string) => ({ url, type: 'IMAGE' as const })
const SHOP = { text: 'Shop', url: 'https://shop.example/1' }

const writer = { personName: null, username: null }
const worldOf = (channelType: ChannelType, notice: string | null = null) => ({ channelType, notice })

describe("the author's name", () => {
  test.each([
    ['FB_PAGE', { personName: 'Ana $& Lima', username: 'ana' }, 'Hi Ana $& Lima, hello Ana $& Lima'],
    ['INSTAGRAM_ACCOUNT', { personName: 'Ana Lima', username: 'ana' }, 'Hi @ana, hello @ana'],
    ['INSTAGRAM_ACCOUNT', { personName: 'Ana Lima' }, 'Hi Ana Lima, hello Ana Lima'],
    ['FB_PAGE', {}, 'Hi, hello'],
  ] as const)('appears on a %s with %j in the text', (channelType, person, text) => {
    const reply = replyOf('Hi @[mention_user], hello @[mention_user]')
    expect(toPublicReply(reply, { ...writer, ...person }, channelType).text).toBe(text)
    expect(toPrivateReply(reply, { ...writer, ...person }, worldOf(channelType)).text).toBe(text)
  })

  test.each([
    ['@[mention_user] hello', 'hello'],
    ['@[mention_user], hello', 'hello'],
    ['@[mention_user]@[mention_user]: hello', 'hello'],
    ['Hello @[mention_user]!', 'Hello!'],
    ['Sent, @[mention_user]! Enjoy, @[mention_user]', 'Sent! Enjoy'],
    ['Hello, @[mention_user] and all', 'Hello, and all'],
    ['Hello @[mention_user] and  welcome', 'Hello and  welcome'],
    ['Hello\n@[mention_user] welcome', 'Hello\nwelcome'],
    ['two  spaces', 'two  spaces'],
  ])('is omitted from %j if it is unknown', (text, filled) => {
    expect(toPublicReply(replyOf(text), writer, 'FB_PAGE').text).toBe(filled)
  })
})

describe('a private reply', () => {
  test('on Facebook keeps its image and its links, and begins with the notice', () => {
    const reply = replyOf('Here', { media: image('https://a.example/1.jpg'), links: [SHOP] })
    expect(toPrivateReply(reply, writer, worldOf('FB_PAGE', ' Automated '))).toEqual({
      ...reply,
      text: 'Automated\n\nHere',
    })
  })

  test('on Instagram is only text, with the addresses as its lines', () => {
    const links = [SHOP, { text: SHOP.url, url: SHOP.url }]
    const reply = replyOf('Here', { media: image('https://a.example/1.jpg'), links })
    expect(toPrivateReply(reply, writer, worldOf('INSTAGRAM_ACCOUNT', 'Automated'))).toEqual({
      ...{ place: 0, media: null, links: [] },
      text: `Automated\n\nHere\nhttps://a.example/1.jpg\nShop: ${SHOP.url}\n${SHOP.url}`,
    })
    const bare = toPrivateReply(replyOf('', { links: [SHOP] }), writer, worldOf('INSTAGRAM_ACCOUNT'))
    expect(bare.text).toBe(`Shop: ${SHOP.url}`)
  })

  test('on Instagram has at most 1,000 bytes: the text is shortened for addresses, and these for the notice', () => {
    const text = fc.string({ unit: 'binary', maxLength: 1_500 })
    const url = fc.integer({ min: 1, max: 600 }).map((length) => `https://a.example/${'x'.repeat(length)}/end`)
    const label = fc.constantFrom('Shop', 'Loja ação', '')
    const links = fc.array(fc.record({ text: label, url }), { maxLength: 4 })
    fc.assert(
      fc.property(text, links, fc.option(fc.constantFrom('Automated', 'é'.repeat(250))), (body, given, notice) => {
        const reply = replyOf(body.trim(), { links: given })
        const sent = toPrivateReply(reply, writer, worldOf('INSTAGRAM_ACCOUNT', notice)).text
        expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(1_000)
        expect(sent.startsWith(notice ?? '')).toBe(true)
        const whole = given.map((link) => `${link.text}: ${link.url}`)
        const left = whole.filter((line) => !sent.includes(line))
        // Nothing of an omitted address remains.
        for (const line of left) expect(sent).not.toContain(line.slice(0, -1))
        // A short reply loses nothing.
        const all = [notice, reply.text].filter(Boolean).join('\n\n') + whole.map((line) => `\n${line}`).join('')
        if (Buffer.byteLength(all) <= 1_000) expect(sent).toBe(all.replace(/^\n/, ''))
      }),
    )
  })

  test('on Instagram is not cut inside a character', () => {
    const { text } = toPrivateReply(replyOf(`a${'🎉'.repeat(400)}`), writer, worldOf('INSTAGRAM_ACCOUNT'))
    expect(text).toBe(`a${'🎉'.repeat(249)}`)
  })
})

test('a public reply is only its text', () => {
  const reply = replyOf('Sent', { place: 3, media: image('https://a.example/1.jpg'), links: [SHOP] })
  expect(toPublicReply(reply, writer, 'FB_PAGE')).toEqual(replyOf('Sent', { place: 3 }))
})
