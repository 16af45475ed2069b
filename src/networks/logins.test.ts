import { describe, expect, test } from 'vitest'
import { appLimitFault } from '../../packages/sandbox/src/make-faults.js'
import type { RecordedRequest } from '../../packages/sandbox/src/route.js'
import { INSTAGRAM_ID, PAGE_ID, startPublishing } from '../../test/graph-harness.js'
import type { GraphConfig } from '../config/graph.js'
import { instagram } from './instagram/instagram.js'
import { createContainer, getContainerStatus, publishContainer } from './instagram/publishing.js'
import { listSubscribedFields, readProfile, subscribe } from './subscriptions.js'
import { type ChannelTarget, toChannelTarget } from './target.js'

const TYPE = 'INSTAGRAM_ACCOUNT'
const OWN_ID = '17841400008460099'
const MESSAGE = { text: 'Look into your messages', mediaUrl: null, links: [] }

async function start(config: Partial<GraphConfig> = {}) {
  const harness = await startPublishing({ config })
  const { sandbox, graph, account } = harness
  const accessToken = 'IGAAtopSecretInstagramToken'
  sandbox.model.pages!.push({ id: OWN_ID, platform: 'instagram', name: 'maker', accessToken })
  const own = toChannelTarget(graph, { channelId: `${TYPE}_${OWN_ID}`, type: TYPE, pageId: null }, accessToken)
  return { ...harness, own, unknownPage: { ...account, pageId: null } }
}

async function publish(target: ChannelTarget): Promise<string> {
  const media = { mediaType: 'IMAGE', url: 'https://cdn.example.com/a.jpg', caption: 'Summer' } as const
  const container = await createContainer(target, media)
  expect(await getContainerStatus(target, container.id)).toEqual({ status: 'FINISHED' })
  return (await publishContainer(target, container.id)).id
}

const pathsOf = (requests: readonly RecordedRequest[], edge: string): string[] =>
  requests.filter(({ path }) => path.endsWith(edge)).map(({ host, path }) => `${host}${path}`)

describe.each([
  ['Facebook login', 'account', `graph.facebook.com/${PAGE_ID}`],
  ['Facebook login, before its page is known', 'unknownPage', 'graph.facebook.com/me'],
  ['Instagram login', 'own', `graph.instagram.com/${OWN_ID}`],
] as const)('an Instagram account by %s', (_name, name, messaging) => {
  test('publishes, reads comments and answers them', async () => {
    const harness = await start()
    const { sandbox, [name]: target } = harness
    const mediaId = await publish(target)
    expect(await instagram.getPermalink(target, mediaId)).toMatch(/^http/)
    const postId = mediaId
    const commentId = await sandbox.comment({ pageId: target.platformId, postId, from: 'Ana', text: 'I want it' })
    const listed = []
    for await (const page of instagram.listComments(target, { objectId: mediaId, sinceMs: null, pagesMax: 3 }))
      listed.push(...page.map(({ id }) => id))
    expect(listed).toEqual([commentId])
    await instagram.sendPublicReply(target, { commentId, text: 'Thank you' })
    const { recipientId } = await instagram.sendPrivateReply(target, { commentId, message: MESSAGE })
    sandbox.comments.people.find(
      sandbox.model.pages!.find(({ id }) => id === target.platformId)!,
      recipientId!,
    )!.wroteAt = harness.clock.now()
    await instagram.sendMessage(target, { recipientId: recipientId!, message: MESSAGE })
    expect(sandbox.messages).toHaveLength(2)
    expect(pathsOf(sandbox.requests, '/messages')).toEqual([`${messaging}/messages`, `${messaging}/messages`])
    expect(await readProfile(target, recipientId!)).toMatchObject({ user: 'ana' })
  })

  test('is subscribed to fields that its object supports', async () => {
    const { sandbox, [name]: target } = await start()
    await subscribe(target, instagram.fieldsToSubscribe(target))
    const fields = await listSubscribedFields(target)
    expect(fields.toSorted()).toEqual(instagram.fieldsToSubscribe(target).toSorted())
    expect(fields.includes('comments')).toBe(name === 'own')
    expect(new Set(pathsOf(sandbox.requests, '/subscribed_apps'))).toEqual(new Set([`${messaging}/subscribed_apps`]))
  })
})

test('likes belong to the Facebook login: with the Instagram login none is requested', async () => {
  const { sandbox, own, account } = await start()
  const commentOn = async (target: ChannelTarget): Promise<string> =>
    sandbox.comment({ pageId: target.platformId, postId: await publish(target), from: 'Ana', text: 'I want it' })
  await instagram.likeComment(account, await commentOn(account))
  expect(pathsOf(sandbox.requests, '/likes')).toEqual([`graph.facebook.com/${INSTAGRAM_ID}/likes`])
  const commentId = await commentOn(own)
  await expect(instagram.likeComment(own, commentId)).rejects.toMatchObject({
    kind: 'invalid',
    outcome: 'refused',
    userText: expect.stringMatching(/Facebook login/),
  })
  expect(sandbox.likes).toHaveLength(1)
})

test('an app limit of one login delays no call of the other', async () => {
  const { sandbox, graph, account, own } = await start({ appSecret: 'of-facebook', instagramAppSecret: 'of-instagram' })
  sandbox.faults.add({ fault: appLimitFault() })
  const read = ({ platformId, access }: ChannelTarget) => graph.get(`/${platformId}`, { fields: 'id' }, access)
  await expect(read(own)).rejects.toMatchObject({ kind: 'rate-limited' })
  await expect(read(own)).rejects.toMatchObject({ kind: 'rate-limited', status: undefined })
  await expect(read(account)).resolves.toMatchObject({ id: INSTAGRAM_ID })
})

test('each host gets the proof of its own app', async () => {
  const harness = await start()
  const { graph, sandbox } = await startPublishing({
    config: { appSecret: 'of-facebook', instagramAppSecret: 'of-instagram' },
  })
  sandbox.model.pages!.push(harness.sandbox.model.pages!.at(-1)!)
  for (const [target, path] of [
    [{ ...harness.account, graph }, `/${INSTAGRAM_ID}`],
    [{ ...harness.own, graph }, `/${OWN_ID}`],
  ] as const)
    await graph.get(path, { fields: 'id' }, target.access)
  expect(sandbox.requests.map(({ host, hasProof }) => [host, hasProof])).toEqual([
    ['graph.facebook.com', true],
    ['graph.instagram.com', true],
  ])
})
