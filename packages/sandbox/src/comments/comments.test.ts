import { describe, expect, it, onTestFinished, test } from 'vitest'
import { decodeMeta } from '../../../../src/intake/decoders/meta.js'
import { INSTAGRAM_ID, makePages, PAGE_ACCESS_TOKEN, PAGE_ID } from '../../../../test/graph-harness.js'
import { TestClock } from '../../../../test/harness.js'
import { startReceiver } from '../../../../test/webhook-receiver.js'
import { type Sandbox, startSandbox } from '../sandbox.js'
import { ALL_SCOPES } from '../scopes.js'
import type { GivenComment } from './comments.js'
import { REFUSALS } from './refusals.js'

const POST_ID = `${PAGE_ID}_1200000000000001`
const MEDIA_ID = '18000000000000001'
const DAY_MS = 86_400_000
const HI = { text: 'Hi' }

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests read responses of every shape.
  body: any
}

async function start() {
  const clock = new TestClock()
  const model = { tokens: {}, adAccounts: [], pages: makePages() }
  const sandbox = await startSandbox({ model, clock, panel: {} })
  onTestFinished(() => sandbox.close())
  const on =
    (place: object) =>
    (given: Partial<GivenComment> = {}) =>
      sandbox.comment({ from: 'Ana', text: 'I want it', postId: POST_ID, pageId: PAGE_ID, ...place, ...given })
  return { clock, sandbox, onPage: on({}), onInstagram: on({ postId: MEDIA_ID, pageId: INSTAGRAM_ID }) }
}

async function post(sandbox: Sandbox, path: string, params: object = {}): Promise<Answer> {
  const response = await fetch(`${sandbox.url}/v27.0${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PAGE_ACCESS_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(params),
  })
  return { status: response.status, body: await response.json() }
}

async function read(sandbox: Sandbox, path: string, query: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${sandbox.url}/v27.0${path}?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${PAGE_ACCESS_TOKEN}` },
  })
  return { status: response.status, body: await response.json() }
}

const replyTo = (sandbox: Sandbox, id: string, commentId: string, message: object = HI): Promise<Answer> =>
  post(sandbox, `/${id}/messages`, { recipient: { comment_id: commentId }, message })

const codeOf = ({ body }: Answer): string => `${body.error?.code}/${body.error?.error_subcode}`
const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id)

/** Connects the sandbox to a webhook receiver and subscribes the page; `take` returns what arrived since its last call. */
async function connect(sandbox: Sandbox) {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const meta = { url: receiver.url, secret: 'secret' }
  await sandbox.senders.connect({ currency: 'BRL', buyers: async () => [], meta })
  await post(sandbox, `/${PAGE_ID}/subscribed_apps`, { subscribed_fields: 'feed,messages,message_echoes' })
  return {
    take: () =>
      receiver.received.splice(0).map(({ body }) => {
        const { object, entry } = JSON.parse(body)
        return { object, ...entry[0] }
      }),
  }
}

describe('comments on a page are listed', () => {
  it('with a filter, in either order, since a time, and page by page', async () => {
    const { clock, sandbox, onPage } = await start()
    const ids: string[] = []
    for (let index = 0; index < 5; index++) {
      ids.push(await onPage({ from: `P ${index}`, ...(index > 2 && { parentId: ids[0] }) }))
      clock.advance(1000)
    }
    const list = (query: Record<string, string> = {}) => read(sandbox, `/${POST_ID}/comments`, query)
    expect(idsOf(await list())).toEqual(ids.slice(0, 3))
    const newest = { filter: 'stream', order: 'reverse_chronological' }
    expect(idsOf(await list(newest))).toEqual(ids.toReversed())
    const since = String(Math.floor(clock.now() / 1000) - 2)
    expect(idsOf(await list({ ...newest, since }))).toEqual([ids[4], ids[3]])
    expect(idsOf(await read(sandbox, `/${ids[0]}/comments`))).toEqual([ids[3], ids[4]])
    const first = await list({ ...newest, limit: '3' })
    const { after } = first.body.paging.cursors
    expect(first.body.paging.next).toContain('after=')
    const second = await list({ ...newest, limit: '3', after })
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids.toReversed())
    expect(second.body.paging.next).toBeUndefined()
    for (const query of [{ filter: 'all' }, { order: 'newest' }, { fields: 'username' }, { after: 'x' }]) {
      expect(await list(query as unknown as Record<string, string>)).toMatchObject({ status: 400 })
    }
    expect(codeOf(await read(sandbox, `/${PAGE_ID}_5/comments`))).toBe('100/33')
  })

  it('with a field that says whether a private reply is possible', async () => {
    const { sandbox, onPage } = await start()
    const id = await onPage()
    const fields = 'can_reply_privately,private_reply_conversation,from,message,parent'
    const ask = async () => (await read(sandbox, `/${id}`, { fields })).body
    const { person } = sandbox.comments.require(id)
    const comment = { id, from: { id: person!.id, name: 'Ana' }, message: 'I want it' }
    expect(await ask()).toEqual({ ...comment, can_reply_privately: true })
    await replyTo(sandbox, PAGE_ID, id)
    expect(await ask()).toEqual({
      ...comment,
      can_reply_privately: false,
      private_reply_conversation: { id: `t_${id}` },
    })
  })
})

test('comments on Instagram are listed newest first, at most fifty per page, regardless of `since`, without those of restricted people', async () => {
  const { clock, sandbox, onInstagram } = await start()
  const ids: string[] = []
  for (let index = 0; index < 60; index++) {
    ids.unshift(await onInstagram({ from: `P ${index}`, isRestricted: index === 30 }))
    clock.advance(1000)
  }
  const reply = await onInstagram({ from: 'Bo', parentId: ids[0], text: 'me too' })
  const listed = ids.filter((id) => id !== ids[29])
  const since = String(Math.floor(clock.now() / 1000) + 60)
  const fields = 'id,username,replies.limit(50){id,parent_id,from{id,username}}'
  const first = await read(sandbox, `/${MEDIA_ID}/comments`, { since, limit: '200', fields })
  expect(idsOf(first)).toEqual(listed.slice(0, 50))
  const bo = sandbox.comments.require(reply).person!
  expect(first.body.data[0]).toEqual({
    ...{ id: ids[0], username: 'p.59' },
    replies: { data: [{ id: reply, parent_id: ids[0], from: { id: bo.id, username: 'bo' } }] },
  })
  const after = first.body.paging.cursors.after
  expect(idsOf(await read(sandbox, `/${MEDIA_ID}/comments`, { after, limit: '50' }))).toEqual(listed.slice(50))
  expect(idsOf(await read(sandbox, `/${ids[0]}/replies`))).toEqual([reply])
  const ask = await read(sandbox, `/${reply}`, { fields: 'can_reply_privately' })
  expect(codeOf(ask)).toBe('100/undefined')
})

describe('a private reply', () => {
  it('is sent once per comment, within seven days, and links the commenter to a conversation', async () => {
    const { clock, sandbox, onPage, onInstagram } = await start()
    for (const [id, comment, used, old] of [
      [PAGE_ID, onPage, '10900/undefined', '10903/undefined'],
      [INSTAGRAM_ID, onInstagram, '100/2534025', '100/2534025'],
    ] as const) {
      const [first, second] = [await comment(), await comment()]
      const { person } = sandbox.comments.require(first)
      expect(person!.conversationId).not.toBe(person!.id)
      const sent = await replyTo(sandbox, PAGE_ID, first)
      expect(sent.body).toEqual({ recipient_id: person!.conversationId, message_id: expect.stringMatching(/^m_\d+$/) })
      expect(codeOf(await replyTo(sandbox, PAGE_ID, first))).toBe(used)
      clock.advance(7 * DAY_MS)
      expect((await replyTo(sandbox, PAGE_ID, second)).status).toBe(200)
      const third = await comment({ at: clock.now() - 7 * DAY_MS - 1 })
      expect(codeOf(await replyTo(sandbox, PAGE_ID, third))).toBe(old)
      const own = (await post(sandbox, `/${first}/${id === PAGE_ID ? 'comments' : 'replies'}`, { message: 'x' })).body
        .id
      expect(codeOf(await replyTo(sandbox, PAGE_ID, own))).toBe(old)
      sandbox.comments.delete(third)
      expect(codeOf(await replyTo(sandbox, PAGE_ID, third))).toBe(id === PAGE_ID ? '100/33' : '100/2534025')
    }
    expect(sandbox.messages).toHaveLength(4)
  })

  it('is used up when a human answers in the inbox', async () => {
    const { sandbox, onPage, onInstagram } = await start()
    const [first, second] = [await onPage(), await onInstagram()]
    await sandbox.comments.answerAsHuman(first, 'inbox')
    await sandbox.comments.answerAsHuman(second, 'inbox')
    expect(codeOf(await replyTo(sandbox, PAGE_ID, first))).toBe('10900/undefined')
    expect(codeOf(await replyTo(sandbox, PAGE_ID, second))).toBe('100/2534025')
    expect(sandbox.messages).toEqual([])
  })

  it('is used up by a refused template for an Instagram user who does not follow the account', async () => {
    const { sandbox, onPage, onInstagram } = await start()
    const button = { type: 'web_url', title: 'Shop', url: 'https://shop.example' }
    const payload = { template_type: 'button', text: 'Hi', buttons: [button] }
    const template = { attachment: { type: 'template', payload } }
    const [ana, chen, chenOnPage] = [
      await onInstagram(),
      await onInstagram({ from: 'Chen' }),
      await onPage({ from: 'Chen' }),
    ]
    expect((await replyTo(sandbox, PAGE_ID, ana, template)).status).toBe(200)
    expect((await replyTo(sandbox, PAGE_ID, chenOnPage, template)).status).toBe(200)
    expect(codeOf(await replyTo(sandbox, PAGE_ID, chen, template))).toBe('10/1545133')
    expect(codeOf(await replyTo(sandbox, PAGE_ID, chen))).toBe('100/2534025')
    const other = await onInstagram({ from: 'Chen' })
    expect((await replyTo(sandbox, PAGE_ID, other)).status).toBe(200)
  })

  it('is used up by a refusal only if the fault says so', async () => {
    const { sandbox, onPage } = await start()
    const [first, second] = [await onPage(), await onPage()]
    sandbox.faults.add({ match: /messages$/, fault: { kind: 'spends-reply', answer: REFUSALS.notAFollower } })
    expect(codeOf(await replyTo(sandbox, PAGE_ID, first))).toBe('10/1545133')
    expect(codeOf(await replyTo(sandbox, PAGE_ID, first))).toBe('10900/undefined')
    sandbox.faults.add({ match: /messages$/, fault: { kind: 'answer', answer: REFUSALS.otherApp } })
    expect(codeOf(await replyTo(sandbox, PAGE_ID, second))).toBe('10/2018300')
    expect((await replyTo(sandbox, PAGE_ID, second)).status).toBe(200)
    expect(sandbox.messages).toHaveLength(1)
  })

  it('can be sent 750 times an hour on Instagram', async () => {
    const { clock, sandbox, onInstagram } = await start()
    const ids = await Promise.all(Array.from({ length: 751 }, (_, index) => onInstagram({ from: `P ${index}` })))
    for (const id of ids.slice(0, 750)) expect((await replyTo(sandbox, PAGE_ID, id)).status).toBe(200)
    expect(codeOf(await replyTo(sandbox, PAGE_ID, ids[750]!))).toBe('613/undefined')
    clock.advance(DAY_MS / 24)
    expect((await replyTo(sandbox, PAGE_ID, ids[750]!)).status).toBe(200)
  }, 30_000)

  const url = 'https://shop.example'
  const buttons = (count: number, title = 'x') => Array.from({ length: count }, () => ({ type: 'web_url', title, url }))
  const template = (payload: object) => ({ attachment: { type: 'template', payload } })
  const image = { type: 'image', payload: { url } }
  test.each<[object, string]>([
    [{}, PAGE_ID],
    [{ text: '' }, PAGE_ID],
    [{ text: 'Hi', attachment: image }, PAGE_ID],
    [{ text: 'x'.repeat(2001) }, PAGE_ID],
    [{ text: 'é'.repeat(501) }, INSTAGRAM_ID],
    [{ attachment: { type: 'image', payload: { url: 'shop' } } }, PAGE_ID],
    [{ attachment: { type: 'audio', payload: { url } } }, PAGE_ID],
    [template({ template_type: 'button', text: 'x'.repeat(641), buttons: buttons(1) }), PAGE_ID],
    [template({ template_type: 'button', text: 'x', buttons: buttons(4) }), PAGE_ID],
    [template({ template_type: 'button', text: 'x', buttons: [] }), PAGE_ID],
    [template({ template_type: 'button', text: 'x', buttons: buttons(1, 'x'.repeat(21)) }), PAGE_ID],
    [template({ template_type: 'generic', elements: [{ title: 'x'.repeat(81), image_url: url }] }), PAGE_ID],
    [template({ template_type: 'generic', elements: [] }), PAGE_ID],
  ])('rejects the message %j', async (message, id) => {
    const { sandbox, onPage, onInstagram } = await start()
    const commentId = id === PAGE_ID ? await onPage() : await onInstagram()
    expect(codeOf(await replyTo(sandbox, PAGE_ID, commentId, message))).toBe('100/undefined')
    expect((await replyTo(sandbox, PAGE_ID, commentId)).status).toBe(200)
  })
})

test('a message can be sent to a person who wrote within the last 24 hours', async () => {
  const { clock, sandbox } = await start()
  for (const [id, window, unknown] of [
    [PAGE_ID, '10/2018278', '100/2018001'],
    [INSTAGRAM_ID, '10/2534022', '100/2534014'],
  ] as const) {
    const person = sandbox.comments.people.of(sandbox.comments.requirePage(id), 'Bo')
    const send = (to: string) => post(sandbox, `/${PAGE_ID}/messages`, { recipient: { id: to }, message: HI })
    expect(codeOf(await send(person.conversationId))).toBe(window)
    await sandbox.comments.write({ pageId: id, from: 'Bo', text: 'Hello' })
    expect(codeOf(await send(person.id))).toBe(unknown)
    clock.advance(DAY_MS)
    expect((await send(person.conversationId)).body.recipient_id).toBe(person.conversationId)
    clock.advance(1)
    expect(codeOf(await send(person.conversationId))).toBe(window)
  }
  expect(sandbox.messages).toMatchObject([{ commentId: undefined }, { commentId: undefined }])
})

describe('a public reply', () => {
  it('by a page appears beneath the comment; a POST to the comment itself edits it', async () => {
    const { sandbox, onPage } = await start()
    const id = await onPage()
    const first = (await post(sandbox, `/${id}/comments`, { message: 'Look' })).body.id
    const second = (await post(sandbox, `/${first}/comments`, { message: 'Again' })).body.id
    expect(new Set([id, first, second]).size).toBe(3)
    expect(sandbox.comments.of(POST_ID)).toMatchObject([
      { id, text: 'I want it' },
      { id: first, parentId: id, person: undefined },
      { id: second, parentId: id },
    ])
    expect(sandbox.replies.map(({ commentId }) => commentId)).toEqual([id, first])
    expect((await post(sandbox, `/${id}`, { message: 'Edited' })).body).toEqual({ success: true })
    expect(sandbox.comments.require(id).text).toBe('Edited')
    expect((await post(sandbox, `/${id}/comments`)).status).toBe(400)
    expect(codeOf(await post(sandbox, `/${id}/replies`, { message: 'x' }))).not.toBe('undefined/undefined')
    sandbox.comments.delete(id)
    expect(codeOf(await post(sandbox, `/${id}/comments`, { message: 'x' }))).toBe('100/33')
    expect(sandbox.replies).toHaveLength(2)
  })

  it('on Instagram is possible only beneath a visible comment that is not a reply', async () => {
    const { sandbox, onInstagram } = await start()
    const id = await onInstagram()
    const reply = await onInstagram({ parentId: id })
    const hidden = await onInstagram()
    sandbox.comments.hide(hidden)
    expect((await post(sandbox, `/${id}/replies`, { message: 'Look' })).body.id).toMatch(/^\d+$/)
    expect((await post(sandbox, `/${reply}/replies`, { message: 'Look' })).status).toBe(400)
    expect((await post(sandbox, `/${hidden}/replies`, { message: 'Look' })).status).toBe(400)
    expect((await post(sandbox, `/${id}/comments`, { message: 'Look' })).status).toBe(400)
    expect(sandbox.replies).toMatchObject([{ commentId: id, text: 'Look' }])
  })
})

describe('likes', () => {
  it('have no effect when repeated', async () => {
    const { sandbox, onPage, onInstagram } = await start()
    const [first, second] = [await onPage(), await onInstagram()]
    for (const _ of [1, 2]) {
      expect((await post(sandbox, `/${first}/likes`)).body).toEqual({ success: true })
      expect((await post(sandbox, `/${INSTAGRAM_ID}/likes`, { comment_id: second })).body).toEqual({ success: true })
    }
    expect(sandbox.likes.map(({ isRepeat }) => isRepeat)).toEqual([false, false, true, true])
    expect(codeOf(await post(sandbox, `/${INSTAGRAM_ID}/likes`, { comment_id: first }))).toBe('100/33')
    expect(codeOf(await post(sandbox, `/${second}/likes`))).toBe('100/33')
  })

  it('on Instagram are locked for an hour after fifty in five seconds', async () => {
    const { clock, sandbox, onInstagram } = await start()
    const id = await onInstagram()
    const like = () => post(sandbox, `/${INSTAGRAM_ID}/likes`, { comment_id: id })
    for (let index = 0; index < 50; index++) await like()
    clock.advance(4999)
    expect(codeOf(await like())).toBe('613/undefined')
    clock.advance(3_599_999)
    expect(codeOf(await like())).toBe('613/undefined')
    clock.advance(1)
    expect((await like()).status).toBe(200)
    for (let index = 0; index < 49; index++) await like()
    clock.advance(5000)
    expect((await like()).status).toBe(200)
  })
})

test.each<[string, 'page' | 'instagram', (id: string) => [string, object?]]>([
  ['pages_messaging', 'page', (id) => [`/${PAGE_ID}/messages`, { recipient: { comment_id: id }, message: HI }]],
  ['pages_manage_engagement', 'page', (id) => [`/${id}/comments`, { message: 'x' }]],
  ['pages_manage_engagement', 'page', (id) => [`/${id}/likes`]],
  ['pages_read_user_content', 'page', () => [`/${POST_ID}/comments`, undefined]],
  [
    'instagram_manage_messages',
    'instagram',
    (id) => [`/${PAGE_ID}/messages`, { recipient: { comment_id: id }, message: HI }],
  ],
  ['instagram_manage_comments', 'instagram', (id) => [`/${id}/replies`, { message: 'x' }]],
  ['instagram_manage_comments', 'instagram', () => [`/${MEDIA_ID}/comments`, undefined]],
  ['instagram_manage_engagement', 'instagram', (id) => [`/${INSTAGRAM_ID}/likes`, { comment_id: id }]],
])('a call without %s is refused (%s)', async (scope, platform, toCall) => {
  const { sandbox, onPage, onInstagram } = await start()
  const id = platform === 'page' ? await onPage() : await onInstagram()
  const [path, params] = toCall(id)
  const isRead = path.endsWith('/comments') && params === undefined
  const call = () => (isRead ? read(sandbox, path) : post(sandbox, path, params))
  sandbox.model.tokenDetails = { [PAGE_ACCESS_TOKEN]: { scopes: ALL_SCOPES.filter((name) => name !== scope) } }
  expect(codeOf(await call())).toBe('200/undefined')
  sandbox.model.tokenDetails = {}
  expect((await call()).status).toBe(200)
})

describe('the app receives', () => {
  it("comments, including the page's own, in each platform's format", async () => {
    const { clock, sandbox, onPage, onInstagram } = await start()
    const { take } = await connect(sandbox)
    const seconds = Math.floor(clock.now() / 1000)
    const id = await onPage()
    const { id: personId } = sandbox.comments.require(id).person!
    expect(take()).toEqual([
      {
        ...{ object: 'page', id: PAGE_ID, time: seconds },
        changes: [
          {
            field: 'feed',
            value: {
              ...{ item: 'comment', verb: 'add', comment_id: id, post_id: POST_ID, parent_id: POST_ID },
              ...{ message: 'I want it', created_time: seconds, from: { id: personId, name: 'Ana' } },
            },
          },
        ],
      },
    ])
    const reply = (await post(sandbox, `/${id}/comments`, { message: 'Look' })).body.id
    await sandbox.comments.settled()
    expect(take()[0].changes[0].value).toMatchObject({ comment_id: reply, parent_id: id, from: { id: PAGE_ID } })
    const onMedia = await onInstagram({ text: 'é' })
    expect(take()).toMatchObject([
      {
        ...{ object: 'instagram', id: INSTAGRAM_ID },
        changes: [
          { field: 'comments', value: { id: onMedia, text: 'é', from: { username: 'ana' }, media: { id: MEDIA_ID } } },
        ],
      },
    ])
    await replyTo(sandbox, PAGE_ID, id)
    await sandbox.comments.settled()
    const { conversationId } = sandbox.comments.require(id).person!
    expect(take()[0].messaging).toMatchObject([
      { recipient: { id: conversationId }, message: { text: 'Hi', is_echo: true } },
    ])
    await sandbox.comments.write({ pageId: PAGE_ID, from: 'Ana', text: 'STOP' })
    expect(take()[0].messaging).toMatchObject([{ sender: { id: conversationId }, message: { text: 'STOP' } }])
  })

  it('webhooks in a format that the service can decode', async () => {
    const { clock, sandbox, onPage, onInstagram } = await start()
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    const meta = { url: receiver.url, secret: 'secret' }
    await sandbox.senders.connect({ currency: 'BRL', buyers: async () => [], meta })
    await post(sandbox, `/${PAGE_ID}/subscribed_apps`, { subscribed_fields: 'feed' })
    const first = await onPage()
    const ids = [first, await onPage({ parentId: first }), await onInstagram({ from: 'Bo' })]
    const read = ({ body }: { body: string }) =>
      decodeMeta({ topic: null, headers: {}, body: Buffer.from(body), receivedAt: clock.now() }, { valueFrom: 'total' })
    const decoded = receiver.received.map(read)
    expect(decoded.flatMap(({ problems }) => problems)).toEqual([])
    const facts = decoded.flatMap((each) => each.facts.map(({ fact }) => fact))
    const page = { channelId: `FB_PAGE_${PAGE_ID}`, objectId: POST_ID, fromName: 'Ana' }
    expect(facts).toMatchObject([
      { ...page, commentId: ids[0], parentId: undefined },
      { ...page, commentId: ids[1], parentId: first },
      { channelId: `INSTAGRAM_ACCOUNT_${INSTAGRAM_ID}`, objectId: MEDIA_ID, commentId: ids[2], fromName: 'bo' },
    ])
  })

  it('no filtered, withheld or unsubscribed comments, and several comments in one delivery on request', async () => {
    const { sandbox, onPage } = await start()
    const { take } = await connect(sandbox)
    await onPage({ isFiltered: true })
    const later = [await onPage({ isDelivered: false }), await onPage({ isDelivered: false })]
    expect(take()).toEqual([])
    await sandbox.comments.deliver(later.toReversed())
    const delivered = () =>
      take().map(({ changes }) => changes.map((each: { value: { comment_id: string } }) => each.value.comment_id))
    expect(delivered()).toEqual([[later[1]], [later[0]]])
    await sandbox.comments.deliver(later, { isTogether: true })
    expect(delivered()).toEqual([later])
    sandbox.subscriptions.forget(PAGE_ID)
    await onPage()
    expect(take()).toEqual([])
    expect(idsOf(await read(sandbox, `/${POST_ID}/comments`))).toHaveLength(4)
  })

  it('duplicated and shuffled comments, or a reply by a human before the comment, if so configured', async () => {
    const { sandbox, onPage } = await start()
    const { take } = await connect(sandbox)
    const ids: string[] = []
    for (let index = 0; index < 6; index++) ids.push(await onPage({ from: `P ${index}` }))
    take()
    Object.assign(sandbox.comments.habits, { isDoubled: () => true })
    const id = await onPage()
    const delivered = take().map(({ changes }) => changes[0].value.comment_id)
    expect(delivered.toSorted()).toEqual([...ids.slice(-4), id, id].toSorted())
    Object.assign(sandbox.comments.habits, { isDoubled: () => false, humanFirst: () => 'publicly' })
    const answered = await onPage()
    expect(take().map(({ changes }) => changes[0].value)).toMatchObject([
      { parent_id: answered, from: { id: PAGE_ID } },
      { comment_id: answered },
    ])
    expect(sandbox.replies).toEqual([])
  })
})

describe('people', () => {
  const write = (sandbox: Sandbox, act: string, form: Record<string, string>, headers = {}) =>
    fetch(`${sandbox.url}/pages/${PAGE_ID}/${act}`, {
      ...{ method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' },
    })
  async function publish(sandbox: Sandbox): Promise<string> {
    const photo = await post(sandbox, `/${PAGE_ID}/photos`, { url: 'https://media.example/1.jpg', published: false })
    const attached = [{ media_fbid: photo.body.id }]
    return (await post(sandbox, `/${PAGE_ID}/feed`, { message: 'New in', attached_media: attached })).body.id
  }

  it('comment beneath a publication, and see the replies', async () => {
    const { sandbox } = await start()
    const postId = await publish(sandbox)
    const page = async (query = '') => (await fetch(`${sandbox.url}/pages/${PAGE_ID}${query}`)).text()
    expect(await page()).toContain(`href="/pages/${PAGE_ID}?write=${postId}#${postId}"`)
    expect(await page()).toContain('http-equiv="refresh"')
    const box = await page(`?write=${postId}`)
    expect(box).toContain(`action="/pages/${PAGE_ID}/comment"`)
    expect(box).not.toContain('http-equiv="refresh"')

    const done = await write(sandbox, 'comment', { post: postId, from: 'Bo', text: '<b>Quero!</b>' })
    expect([done.status, done.headers.get('location')]).toEqual([303, `/pages/${PAGE_ID}#${postId}`])
    const [comment] = sandbox.comments.of(postId)
    expect(comment).toMatchObject({ text: '<b>Quero!</b>', person: { name: 'Bo' } })
    const button = { type: 'web_url', title: 'Shop', url: 'https://shop.example' }
    const payload = { template_type: 'button', text: 'Here you are', buttons: [button] }
    await replyTo(sandbox, PAGE_ID, comment!.id, { attachment: { type: 'template', payload } })
    await post(sandbox, `/${comment!.id}/comments`, { message: 'Look into your messages' })
    await post(sandbox, `/${comment!.id}/likes`)
    const html = await page()
    expect(html).toContain('&lt;b&gt;Quero!&lt;/b&gt;')
    expect(html).toContain('♥ liked by the page')
    expect(html).toContain('✉ to Bo: Here you are · Shop · https://shop.example')
    expect(html).toContain('</strong> Look into your messages')

    await write(sandbox, 'message', { post: postId, from: 'Bo', text: 'Thanks' })
    expect(comment!.person!.wroteAt).toBeDefined()
    const foreign = { 'sec-fetch-site': 'cross-site' }
    expect((await write(sandbox, 'comment', { post: postId, from: 'Bo', text: 'x' }, foreign)).status).toBe(403)
    expect((await write(sandbox, 'comment', { post: '1_2', from: 'Bo', text: 'x' })).status).toBe(404)
    expect((await write(sandbox, 'comment', { post: postId, from: 'Bo', text: ' ' })).status).toBe(404)
    expect(sandbox.comments.of(postId)).toHaveLength(2)
  })

  it('can break the replies to comments, and repair them', async () => {
    const { clock, sandbox, onPage } = await start()
    const press = async (path: string) =>
      (await fetch(`${sandbox.url}/${path}`, { method: 'POST', redirect: 'manual' })).status
    const id = await onPage()
    for (const [name, code] of [
      ['followersOnly', '10/1545133'],
      ['unavailable', '551/1545041'],
      ['otherApp', '10/2018300'],
      ['throttled', '613/undefined'],
      ['blocked', '368/1390008'],
      ['notPermitted', '200/undefined'],
      ['answersFail', '2/undefined'],
    ] as const) {
      expect(await press(`break/${name}`)).toBe(303)
      expect(codeOf(await replyTo(sandbox, PAGE_ID, await onPage()))).toBe(code)
      expect(await press(`mend/${name}`)).toBe(303)
    }
    await press('break/likesLocked')
    expect(codeOf(await post(sandbox, `/${id}/likes`))).toBe('613/undefined')
    expect((await post(sandbox, `/${id}/comments`, { message: 'x' })).status).toBe(200)
    await press('break/answersCut')
    await expect(replyTo(sandbox, PAGE_ID, id)).rejects.toThrow('fetch failed')
    expect(sandbox.messages).toEqual([])
    await press('mend/answersCut')
    await press('break/answersLost')
    await expect(replyTo(sandbox, PAGE_ID, id)).rejects.toThrow('fetch failed')
    expect(sandbox.messages).toHaveLength(1)
    await press('mend/answersLost')
    await press('break/humanInbox')
    expect(codeOf(await replyTo(sandbox, PAGE_ID, await onPage()))).toBe('10900/undefined')
    clock.advance(120_000)
    expect((await replyTo(sandbox, PAGE_ID, await onPage())).status).toBe(200)
    await press('break/revoked')
    expect(codeOf(await post(sandbox, `/${id}/comments`, { message: 'x' }))).toBe('190/460')
    expect(codeOf(await read(sandbox, `/${POST_ID}/comments`))).toBe('190/460')
    await press('mend/revoked')
    const { take } = await connect(sandbox)
    await press('break/doubled')
    await onPage({ postId: `${PAGE_ID}_7` })
    expect(take()).toHaveLength(2)
    await press('break/humanPublic')
    const answered = await onPage()
    expect(sandbox.comments.of(POST_ID).at(-1)).toMatchObject({ parentId: answered, person: undefined })
  })
})
