import { describe, expect, it, test } from 'vitest'
import { REFUSALS } from '../../packages/sandbox/src/comments/refusals.js'
import { accountLimitFault, emptyBodyFault, type Fault } from '../../packages/sandbox/src/make-faults.js'
import { INSTAGRAM_ID, PAGE_ACCESS_TOKEN, PAGE_ID, startPublishing } from '../../test/graph-harness.js'
import type { GraphError } from '../graph/graph-error.js'
import type { PlatformComment } from './comments.js'
import { classifyEffectFailure, type EffectFailure } from './effect-failure.js'
import { publishVideo } from './facebook/publishing.js'
import type { ReplyMessage } from './messages.js'
import { networkOf } from './networks.js'
import type { ChannelTarget } from './target.js'

type Type = 'FB_PAGE' | 'INSTAGRAM_ACCOUNT'
const POST_ID = `${PAGE_ID}_1200000000000001`
const MEDIA_ID = '18000000000000001'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const BOTH: [Type][] = [['FB_PAGE'], ['INSTAGRAM_ACCOUNT']]

async function start() {
  const harness = await startPublishing()
  const { sandbox, page, account } = harness
  const of = (type: Type) =>
    type === 'FB_PAGE'
      ? { type, target: page, objectId: POST_ID, pageId: PAGE_ID }
      : { type, target: account, objectId: MEDIA_ID, pageId: INSTAGRAM_ID }
  return {
    ...{ ...harness, of },
    comment: (type: Type, text = 'I want it', more: { from?: string; at?: number; parentId?: string } = {}) =>
      sandbox.comment({ ...{ from: 'Ana', text, ...more }, pageId: of(type).pageId, postId: of(type).objectId }),
  }
}

async function pagesOf(
  target: ChannelTarget,
  what: { objectId: string; sinceMs?: number; pagesMax?: number },
): Promise<PlatformComment[][]> {
  const pages: PlatformComment[][] = []
  for await (const page of networkOf(target).listComments(target, { sinceMs: null, pagesMax: 10, ...what }))
    pages.push(page)
  return pages
}

const message = (text: string, more: Partial<ReplyMessage> = {}): ReplyMessage => ({
  ...{ text, mediaUrl: null, links: [] },
  ...more,
})

/** The error with which the call fails. */
async function failureOf(call: Promise<unknown>): Promise<GraphError> {
  return await call.then(
    () => expect.unreachable(),
    (error: GraphError) => error,
  )
}

describe('comments are listed', () => {
  test.each(BOTH)('%s: newest first with replies, each with its author', async (type) => {
    const { of, comment, clock, sandbox } = await start()
    const { target, objectId, pageId } = of(type)
    const first = await comment(type, 'Quero! ✨')
    clock.advance(1000)
    const reply = await comment(type, 'me too', { from: 'Bo', parentId: first })
    clock.advance(1000)
    const own = await networkOf(target).sendPublicReply(target, { commentId: first, text: 'Look into your messages' })
    const isPage = type === 'FB_PAGE'
    const ana = sandbox.comments.require(first).person!
    const [listed, ...others] = await pagesOf(target, { objectId })
    expect(others).toEqual([])
    const byId = new Map(listed!.map((each) => [each.id, each]))
    expect([...byId.keys()].toSorted()).toEqual([first, reply, own.id].toSorted())
    expect(byId.get(first)).toEqual({
      ...{ id: first, objectId, parentId: null, personId: ana.id, text: 'Quero! ✨', atMs: clock.now() - 2000 },
      ...{ personName: isPage ? 'Ana' : null, username: isPage ? null : 'ana' },
    })
    expect(byId.get(reply)).toMatchObject({ parentId: first, text: 'me too' })
    expect(byId.get(own.id)).toMatchObject({ parentId: first, personId: pageId })
    expect(listed!.map(({ atMs }) => atMs)).toEqual(listed!.map(({ atMs }) => atMs).toSorted((a, b) => b - a))
  })

  test.each(BOTH)('%s: page by page, down to an instant', async (type) => {
    const { of, comment, clock, sandbox } = await start()
    const { target, objectId } = of(type)
    const ids: string[] = []
    for (let index = 0; index < 230; index++) {
      ids.unshift(await comment(type, `comment ${index}`, { from: `Person ${index}` }))
      clock.advance(1000)
    }
    const size = type === 'FB_PAGE' ? 100 : 50
    const all = await pagesOf(target, { objectId })
    expect(all.map((page) => page.length)).toEqual(type === 'FB_PAGE' ? [100, 100, 30] : [50, 50, 50, 50, 30])
    expect(all.flat().map(({ id }) => id)).toEqual(ids)
    expect((await pagesOf(target, { objectId, pagesMax: 2 })).flat()).toHaveLength(2 * size)

    const before = sandbox.requests.length
    const newest = await pagesOf(target, { objectId, sinceMs: clock.now() - 60_000 })
    expect(newest.flat().map(({ id }) => id)).toEqual(ids.slice(0, 60))
    expect(sandbox.requests.length - before).toBe(type === 'FB_PAGE' ? 1 : 3)
    expect(await pagesOf(target, { objectId, sinceMs: clock.now() + 5000 })).toEqual([[]])
  })

  it('distinguishes a page without comments from a missing post', async () => {
    const { page, comment } = await start()
    await expect(pagesOf(page, { objectId: POST_ID })).rejects.toMatchObject({ kind: 'not-found' })
    const id = await comment('FB_PAGE')
    await expect(pagesOf(page, { objectId: `${id}/likes` })).rejects.toMatchObject({
      ...{ kind: 'not-found', outcome: 'refused', status: undefined },
    })
  })

  it('has no author if the platform hides it, and treats an unreadable instant as nonsense', async () => {
    const { page, sandbox } = await start()
    await sandbox.comment({ pageId: PAGE_ID, postId: POST_ID, from: 'Ana', text: 'Hi', isAnonymous: true })
    const [[listed] = []] = await pagesOf(page, { objectId: POST_ID })
    expect(listed).toMatchObject({ personId: null, personName: null, username: null, text: 'Hi' })
    const body = { data: [{ id: '1_2', created_time: 'today' }] }
    sandbox.faults.add({ fault: { kind: 'answer', answer: { status: 200, body } } })
    await expect(pagesOf(page, { objectId: POST_ID })).rejects.toMatchObject({ kind: 'nonsense' })
  })
})

test("comments on a page's video use the id of its post", async () => {
  const { page, account, sandbox } = await start()
  sandbox.faults.add({ match: /videos$/, fault: { kind: 'processing', polls: 2 } })
  const { id } = await publishVideo(page, { url: 'https://media.example/1.mp4', description: 'Olha' })
  const video = { externalId: id, mediaType: 'VIDEO' } as const
  expect(await networkOf(page).findCommentedId(page, video)).toBeNull()
  await page.graph.get(`/${id}`, { fields: 'status' }, page.access)
  await page.graph.get(`/${id}`, { fields: 'status' }, page.access)
  const commented = (await networkOf(page).findCommentedId(page, video))!
  expect(commented).toMatch(new RegExp(`^${PAGE_ID}_\\d+$`))
  expect(commented).not.toContain(id)
  const commentId = await sandbox.comment({ postId: id, from: 'Ana', text: 'Hi' })
  expect(await pagesOf(page, { objectId: id })).toEqual([[]])
  expect((await pagesOf(page, { objectId: commented })).flat()).toMatchObject([{ id: commentId, objectId: commented }])

  const asked = sandbox.requests.length
  expect(await networkOf(page).findCommentedId(page, { ...video, mediaType: 'IMAGE' })).toBeNull()
  expect(await networkOf(page).findCommentedId(page, { ...video, externalId: commented })).toBeNull()
  expect(await networkOf(account).findCommentedId(account, video)).toBeNull()
  expect(sandbox.requests).toHaveLength(asked)
})

describe('a comment is answered', () => {
  test.each(BOTH)('%s: privately once, publicly, and with a like', async (type) => {
    const { of, comment, clock, sandbox } = await start()
    const { target, pageId } = of(type)
    const commentId = await comment(type)
    const person = sandbox.comments.require(commentId).person!
    const sent = await networkOf(target).sendPrivateReply(target, {
      commentId,
      message: message('Here: https://shop.example'),
    })
    expect(sent).toEqual({ id: sandbox.messages[0]!.id, recipientId: person.conversationId })
    expect(sandbox.messages).toMatchObject([{ at: clock.now(), pageId, commentId, text: 'Here: https://shop.example' }])
    const again = await failureOf(
      networkOf(target).sendPrivateReply(target, { commentId, message: message('Once more') }),
    )
    expect(classifyEffectFailure(again)).toEqual({
      ...{ is: 'refused', reason: type === 'FB_PAGE' ? 'already_replied' : 'not_eligible' },
    })
    const reply = await networkOf(target).sendPublicReply(target, { commentId, text: 'Look into your messages' })
    expect(sandbox.replies).toEqual([
      { ...{ at: clock.now(), pageId, commentId, id: reply.id, text: 'Look into your messages' } },
    ])
    await networkOf(target).likeComment(target, commentId)
    await networkOf(target).likeComment(target, commentId)
    expect(sandbox.likes).toMatchObject([
      { commentId, isRepeat: false },
      { commentId, isRepeat: true },
    ])
    expect(sandbox.messages).toHaveLength(1)
    expect(sandbox.comments.require(commentId).text).toBe('I want it')
  })

  it('by a page only if permitted, which is checked first', async () => {
    const { page, comment, clock, sandbox } = await start()
    const [first, second, third] = [await comment('FB_PAGE'), await comment('FB_PAGE'), await comment('FB_PAGE')]
    expect(await networkOf(page).mayReplyPrivately(page, first)).toBe(true)
    await networkOf(page).sendPrivateReply(page, { commentId: first, message: message('Hi') })
    expect(await networkOf(page).mayReplyPrivately(page, first)).toBe(false)
    await sandbox.comments.answerAsHuman(second, 'inbox')
    expect(await networkOf(page).mayReplyPrivately(page, second)).toBe(false)
    clock.advance(7 * DAY_MS + 1)
    expect(await networkOf(page).mayReplyPrivately(page, third)).toBe(false)
    sandbox.faults.add({ fault: { kind: 'answer', answer: { status: 200, body: { id: third } } } })
    expect(await networkOf(page).mayReplyPrivately(page, third)).toBe(true)
    sandbox.comments.delete(third)
    expect(classifyEffectFailure(await failureOf(networkOf(page).mayReplyPrivately(page, third)))).toEqual({
      ...{ is: 'refused', reason: 'comment_deleted' },
    })
  })

  test.each(BOTH)('%s: a message is sent only within 24 hours of one of theirs', async (type) => {
    const { of, sandbox, clock } = await start()
    const { target, pageId } = of(type)
    const { conversationId } = sandbox.comments.people.of(sandbox.comments.requirePage(pageId), 'Bo')
    const send = () =>
      networkOf(target).sendMessage(target, { recipientId: conversationId, message: message('You have won') })
    expect(classifyEffectFailure(await failureOf(send()))).toEqual({ is: 'refused', reason: 'window' })
    await sandbox.comments.write({ pageId, from: 'Bo', text: 'Hello' })
    clock.advance(DAY_MS)
    expect(await send()).toMatchObject({ recipientId: conversationId })
    clock.advance(1)
    expect(classifyEffectFailure(await failureOf(send()))).toEqual({ is: 'refused', reason: 'window' })
    const unknown = await failureOf(networkOf(target).sendMessage(target, { recipientId: '7', message: message('Hi') }))
    expect(classifyEffectFailure(unknown)).toEqual({ is: 'refused', reason: 'unavailable' })
    expect(sandbox.messages).toHaveLength(1)
  })

  test.each([
    '',
    '1/2',
    '1_2_3',
    '1_',
    '_1',
    'me',
    '../1',
    '1?x=2',
  ])('never for an id such as %j', async (commentId) => {
    const { page, account, sandbox } = await start()
    for (const call of [
      () => networkOf(page).sendPublicReply(page, { commentId, text: 'Hi' }),
      () => networkOf(account).sendPublicReply(account, { commentId, text: 'Hi' }),
      () => networkOf(page).sendPrivateReply(page, { commentId, message: message('Hi') }),
      () => networkOf(page).likeComment(page, commentId),
      () => networkOf(account).likeComment(account, commentId),
      () => networkOf(page).mayReplyPrivately(page, commentId),
    ]) {
      expect(classifyEffectFailure(await failureOf(call()))).toMatchObject({ is: 'refused' })
    }
    expect(sandbox.requests).toEqual([])
  })

  it('and a response that names the comment instead of the reply proves nothing', async () => {
    const { page, comment, sandbox } = await start()
    const commentId = await comment('FB_PAGE')
    sandbox.faults.add({ fault: { kind: 'answer', answer: { status: 200, body: { id: commentId } } } })
    const error = await failureOf(networkOf(page).sendPublicReply(page, { commentId, text: 'Hi' }))
    expect(classifyEffectFailure(error)).toEqual({ is: 'unknown' })
  })
})

describe('a message', () => {
  const IMAGE = 'https://media.example/1.jpg'
  const link = (text: string, url = 'https://shop.example/1') => ({ text, url })
  const button = (title: string, url = 'https://shop.example/1') => ({ type: 'web_url', title, url })
  const template = (payload: object) => ({ attachment: { type: 'template', payload } })
  const long = 'x'.repeat(641)

  test.each<[string, ReplyMessage, object]>([
    ['a text', message('Hi\nyou'), { text: 'Hi\nyou' }],
    ['an image', message('', { mediaUrl: IMAGE }), { attachment: { type: 'image', payload: { url: IMAGE } } }],
    [
      'a short text with an image and a link',
      message('Look', { mediaUrl: IMAGE, links: [link('Shop')] }),
      template({
        template_type: 'generic',
        elements: [{ title: 'Look', image_url: IMAGE, buttons: [button('Shop')] }],
      }),
    ],
    [
      'a text of two lines with an image and a link',
      message('Look\nat this', { mediaUrl: IMAGE, links: [link('Shop')] }),
      template({ template_type: 'button', text: `Look\nat this\n${IMAGE}`, buttons: [button('Shop')] }),
    ],
    ['a long text with an image', message(long, { mediaUrl: IMAGE }), { text: `${long}\n${IMAGE}` }],
    [
      'a fourth link, one with a long name, and one that is not a URL',
      message('All', {
        links: [link('1'), link('A name that is too long'), link('2', 'shop'), link('3'), link('4'), link('5')],
      }),
      template({
        template_type: 'button',
        text: 'All\nA name that is too long: https://shop.example/1\n2: shop\n5: https://shop.example/1',
        buttons: [button('1'), button('3'), button('4')],
      }),
    ],
    [
      'a long text with a link',
      message(long, { links: [link('Shop')] }),
      { text: `${long}\nShop: https://shop.example/1` },
    ],
    ['only links', message('', { links: [link('', 'https://shop.example/2')] }), { text: 'https://shop.example/2' }],
  ])('of a page: %s', async (_title, given, sent) => {
    const { page, comment, sandbox } = await start()
    await networkOf(page).sendPrivateReply(page, { commentId: await comment('FB_PAGE'), message: given })
    expect(sandbox.messages.map(({ message: one }) => one)).toEqual([sent])
  })

  test.each<[Type, string]>([
    ['FB_PAGE', 'x'.repeat(2001)],
    ['INSTAGRAM_ACCOUNT', 'é'.repeat(501)],
    ['FB_PAGE', ' '],
    ['INSTAGRAM_ACCOUNT', ''],
  ])(
    'that the platform would refuse on %s is not sent, and the only reply is kept',
    async (type, text) => {
      const { of, comment, sandbox } = await start()
      const commentId = await comment(type)
      const send = (text: string) =>
        networkOf(of(type).target).sendPrivateReply(of(type).target, { commentId, message: message(text) })
      const error = await failureOf(send(text))
      expect(classifyEffectFailure(error)).toEqual({ is: 'refused', reason: 'refused' })
      expect(error.userText).toMatch(/^The message is /)
      expect(sandbox.requests).toEqual([])
      await send(text.slice(1) || 'Hi')
      expect(sandbox.messages).toHaveLength(1)
    },
    20_000,
  )
})

describe('a failed call', () => {
  const wait = { is: 'wait', reason: 'throttled', waitMs: MINUTE_MS } as const
  const refused = (reason: string) => ({ is: 'refused', reason }) as EffectFailure
  const CLASSES: Record<keyof typeof REFUSALS, EffectFailure> = {
    alreadyReplied: refused('already_replied'),
    notReplyable: refused('not_replyable'),
    notEligible: refused('not_eligible'),
    notAFollower: refused('not_a_follower'),
    outsideWindowOfPage: refused('window'),
    outsideWindowOfInstagram: refused('window'),
    unavailable: refused('unavailable'),
    notATester: refused('unavailable'),
    otherApp: refused('other_app'),
    noSuchPersonOfPage: refused('unavailable'),
    noSuchPersonOfInstagram: refused('unavailable'),
    tooManyToPage: wait,
    tooManyMessages: wait,
    tooManyCalls: wait,
    tooManyOfApp: wait,
    blocked: { is: 'blocked' },
    tokenInvalid: { is: 'token' },
    notPermitted: { is: 'permission' },
    failedUnknown: { is: 'unknown' },
    failedService: { is: 'unknown' },
  }
  const names = Object.keys(REFUSALS) as (keyof typeof REFUSALS)[]

  test.each(names)('that is answered %s has its class', async (name) => {
    const { page, comment, sandbox } = await start()
    const commentId = await comment('FB_PAGE')
    sandbox.faults.add({ fault: { kind: 'answer', answer: REFUSALS[name] } })
    const error = await failureOf(networkOf(page).sendPublicReply(page, { commentId, text: 'Hi' }))
    expect(classifyEffectFailure(error)).toEqual(CLASSES[name])
  })

  test.each<[string, Fault]>([
    ['the connection is cut', { kind: 'reset' }],
    ['the response is lost', { kind: 'accepted-then-reset' }],
    ['the response is cut', { kind: 'reset-in-body' }],
    ['the response has no body', emptyBodyFault()],
    ['the response has no body and an error', emptyBodyFault(500)],
    ['a gateway answers', { kind: 'answer', answer: { status: 502, body: '<html></html>' } }],
    ['the response has no id', { kind: 'answer', answer: { status: 200, body: {} } }],
  ])('is unknown if %s, and is not repeated', async (_title, fault) => {
    const { page, account, comment, sandbox } = await start()
    const calls = [
      async () =>
        networkOf(page).sendPrivateReply(page, { commentId: await comment('FB_PAGE'), message: message('Hi') }),
      async () => networkOf(page).sendPublicReply(page, { commentId: await comment('FB_PAGE'), text: 'Hi' }),
      async () => networkOf(account).likeComment(account, await comment('INSTAGRAM_ACCOUNT')),
    ]
    for (const [index, call] of calls.entries()) {
      sandbox.faults.add({ fault })
      expect(classifyEffectFailure(await failureOf(call()))).toEqual({ is: 'unknown' })
      expect(sandbox.requests).toHaveLength(index + 1)
    }
  })

  it('waits if nothing was sent: no connection, or an unanswered question', async () => {
    const { page, comment, sandbox, clock } = await start()
    const commentId = await comment('FB_PAGE')
    const unreachable = { is: 'wait', reason: 'unreachable', waitMs: null }
    for (const fault of [{ kind: 'reset' }, { kind: 'answer', answer: REFUSALS.failedService }] as const) {
      sandbox.faults.add({ times: 2, fault })
      expect(classifyEffectFailure(await failureOf(networkOf(page).mayReplyPrivately(page, commentId)))).toEqual(
        unreachable,
      )
    }
    sandbox.faults.add({ times: 2, fault: { kind: 'reset' } })
    const listed = pagesOf(page, { objectId: POST_ID, sinceMs: clock.now() })
    expect(classifyEffectFailure(await failureOf(listed))).toEqual(unreachable)
    await sandbox.close()
    const closed = await failureOf(networkOf(page).sendPublicReply(page, { commentId, text: 'Hi' }))
    expect(classifyEffectFailure(closed)).toEqual(unreachable)
  })

  it('because of an invalid token is a token error', async () => {
    const { page } = await start()
    const target = { ...page, access: { ...page.access, accessToken: '' } }
    const error = await failureOf(networkOf(target).sendPublicReply(target, { commentId: '1_2', text: 'Hi' }))
    expect(classifyEffectFailure(error)).toEqual({ is: 'token' })
  })
})

describe('publishing comes first', () => {
  const usage = (type: string, percent: number): Fault => {
    const entry = { type, call_count: percent, total_time: 1, total_cputime: 1, estimated_time_to_regain_access: 0 }
    return {
      kind: 'headers',
      headers: { 'x-business-use-case-usage': JSON.stringify({ [PAGE_ID]: [entry], [INSTAGRAM_ID]: [entry] }) },
    }
  }

  it('calls about comments stop at three quarters of the quota, until it is queried again', async () => {
    const { page, account, comment, sandbox, clock } = await start()
    const commentId = await comment('FB_PAGE')
    const read = () => page.graph.get(`/${PAGE_ID}`, { fields: 'id' }, page.access)
    const answer = () => networkOf(page).sendPublicReply(page, { commentId, text: 'Hi' })
    sandbox.faults.add({ fault: usage('pages', 74) })
    await read()
    await answer()
    sandbox.faults.add({ fault: usage('pages', 75) })
    await read()
    const made = sandbox.requests.length
    const waiting = { is: 'wait', reason: 'throttled', waitMs: 5 * MINUTE_MS }
    expect(classifyEffectFailure(await failureOf(answer()))).toEqual(waiting)
    expect(classifyEffectFailure(await failureOf(networkOf(page).mayReplyPrivately(page, commentId)))).toEqual(waiting)
    await expect(pagesOf(page, { objectId: POST_ID })).rejects.toMatchObject({ kind: 'rate-limited' })
    expect(sandbox.requests).toHaveLength(made)
    // Publishing continues, and so does another account.
    await read()
    await networkOf(account).likeComment(account, await comment('INSTAGRAM_ACCOUNT'))
    clock.advance(5 * MINUTE_MS)
    await answer()
    expect(sandbox.replies).toHaveLength(2)
  })

  it('a limit of messages or of one kind of call does not delay publishing, but one of the page does', async () => {
    const { page, account, comment, sandbox, clock } = await start()
    const commentId = await comment('FB_PAGE')
    const read = (target = page) => target.graph.get(`/${target.platformId}`, { fields: 'id' }, target.access)
    const reply = () => networkOf(page).sendPrivateReply(page, { commentId, message: message('Hi') })
    sandbox.faults.add({ fault: { kind: 'answer', answer: REFUSALS.tooManyMessages } })
    await failureOf(reply())
    await read()
    await networkOf(page).likeComment(page, commentId)
    const made = sandbox.requests.length
    expect(classifyEffectFailure(await failureOf(reply()))).toMatchObject({ is: 'wait' })
    expect(sandbox.requests).toHaveLength(made)

    const liked = await comment('INSTAGRAM_ACCOUNT')
    sandbox.faults.add({ fault: { kind: 'answer', answer: REFUSALS.tooManyCalls } })
    await failureOf(networkOf(account).likeComment(account, liked))
    await read(account)

    clock.advance(HOUR_MS)
    sandbox.faults.add({ fault: accountLimitFault(PAGE_ID, 10, 'pages') })
    const error = await failureOf(networkOf(page).sendPublicReply(page, { commentId, text: 'Hi' }))
    expect(classifyEffectFailure(error)).toEqual({ is: 'wait', reason: 'throttled', waitMs: 10 * MINUTE_MS })
    await expect(read()).rejects.toMatchObject({ kind: 'rate-limited' })
  })
})

test('no access token is in an error or in the log', async () => {
  const { page, comment, sandbox, logText } = await start()
  const commentId = await comment('FB_PAGE')
  sandbox.faults.add({ fault: { kind: 'answer', answer: REFUSALS.tokenInvalid } })
  const error = await failureOf(networkOf(page).sendPublicReply(page, { commentId, text: 'Hi' }))
  expect(`${error.message} ${error.userText} ${logText()}`).not.toContain(PAGE_ACCESS_TOKEN)
})
