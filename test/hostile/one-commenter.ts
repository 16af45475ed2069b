import { seededRandom } from '../../packages/sandbox/src/lib/seeded-random.js'
import { startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { createInbox } from '../../packages/sandbox/src/senders/meta.js'
import { signedHeaders } from '../harness.js'
import type { Attack, Target } from './run.js'

const COMMENTS = 600
const OTHERS = 50
const TOKEN = 'EAATokenOfTheAttacks'
const SECRET = 'app secret of the attacks'
const PAGE_ID = '104512883716042'
const BATCH = 20

const sandbox = await startSandbox({
  model: {
    ...{ tokens: {}, adAccounts: [] },
    pages: [{ id: PAGE_ID, platform: 'facebook', name: 'Attacked', accessToken: TOKEN }],
  },
})

/**
 * One person comments 600 times, then fifty others comment once each. The channel answers publicly, sixty times a minute:
 * all of the others must be answered within the first hundred and twenty answers. The one person gets one private answer.
 */
export default {
  name: 'one commenter',
  env: { GRAPH_BASE_URL: sandbox.url, INTAKE_PER_SECOND: '0', PUBLISHER_INTERVAL_MS: '100' },
  async run(target) {
    const { organizationId, sourceId, publicPost, privatePost } = await prepare(target)
    await comment(target, sourceId, publicPost.externalId)
    await comment(target, sourceId, privatePost.externalId)
    const isAnswered = (answers: readonly { commentId?: string }[]): number =>
      new Set(answers.map(nameOf).filter((name) => name !== 'Eve')).size
    await until(() => isAnswered(sandbox.replies) === OTHERS, 100_000)
    const byEve = sandbox.replies.filter((reply) => nameOf(reply) === 'Eve').length
    if (byEve > sandbox.replies.length - OTHERS + 1)
      throw new Error(`Eve got ${byEve} of ${sandbox.replies.length} answers`)
    if (sandbox.replies.length > 2 * OTHERS + 20)
      throw new Error(`${sandbox.replies.length} answers for ${OTHERS} people`)
    const privately = sandbox.messages.map(nameOf)
    if (privately.filter((name) => name === 'Eve').length > 1) throw new Error('Eve was answered privately twice')
    if (privately.length < 20) throw new Error(`${privately.length} people were answered privately`)
    const { items } = (await target.operator(
      'GET',
      `/organizations/${organizationId}/scheduled-posts/${privatePost.id}/superpowers`,
    )) as unknown as { items: { effects: { reason: string | null; count: number }[] }[] }
    const skipped = items[0]!.effects.find(({ reason }) => reason === 'person_answered')?.count
    if (skipped !== COMMENTS - 1)
      throw new Error(`${skipped} of ${COMMENTS - 1} comments have a reason for no response`)
  },
} satisfies Attack

const nameOf = ({ commentId }: { commentId?: string }): string => sandbox.comments.require(commentId!).person!.name

async function until(isSo: () => boolean | Promise<boolean>, ms: number): Promise<void> {
  const endsAt = Date.now() + ms
  while (!(await isSo())) {
    if (Date.now() > endsAt) throw new Error('it takes too long')
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

async function prepare({ url, operator, operatorToken }: Target) {
  const { id: organizationId } = await operator('POST', '/organizations', { name: 'Attacked' })
  const at = `/organizations/${organizationId}`
  const channel = { type: 'FB_PAGE', name: 'Attacked', platformId: PAGE_ID, accessToken: TOKEN, check: false }
  const { id: channelId } = await operator('POST', `${at}/channels`, channel)
  await operator('PATCH', `${at}/channels/${channelId}`, { automation: 'on' })
  const { id: sourceId } = await operator('POST', `${at}/sources`, { type: 'META', name: 'Attacked', secret: SECRET })
  const { id: keyId, secret } = await operator('POST', `${at}/keys`)
  const key = { id: keyId!, secret: secret! }
  const publish = async (caption: string, group: object) => {
    const superpower = { conditionGroups: [group] }
    const { id, etag } = await write(url, key, { caption, superpower, channelId: channelId! })
    const headers = { authorization: `Bearer ${operatorToken}`, 'if-match': etag }
    const approved = await fetch(`${url}/api${at}/scheduled-posts/${id}/approve`, { method: 'POST', headers })
    if (approved.status !== 200)
      throw new Error(`the approval is answered ${approved.status}: ${await approved.text()}`)
    const found = () => sandbox.published.find(({ text }) => text === caption)
    await until(() => found() !== undefined, 30_000)
    return { id, externalId: found()!.id }
  }
  return {
    ...{ organizationId, sourceId: sourceId! },
    publicPost: await publish('In public', { publicReplies: [{ text: 'Sent!' }] }),
    privatePost: await publish('In private', { privateReplies: [{ text: 'Here it is' }] }),
  }
}

/** Writes a post that waits for approval and is due in two seconds. */
async function write(
  url: string,
  key: { id: string; secret: string },
  { channelId, ...channel }: { channelId: string; caption: string; superpower: object },
): Promise<{ id: string; etag: string }> {
  const response = await fetch(`${url}/v1/scheduled-posts`, {
    method: 'POST',
    headers: {
      ...{ 'x-api-version': '1', 'content-type': 'application/json' },
      ...signedHeaders(key, new Date().toUTCString()),
    },
    body: JSON.stringify({
      ...{ status: 'WAITING_FOR_APPROVAL', scheduledFor: new Date(Date.now() + 2_000).toISOString() },
      ...{ media: 'https://cdn.example.com/summer.jpg', mediaType: 'IMAGE', channels: { [channelId]: channel } },
    }),
  })
  const text = await response.text()
  if (response.status !== 201) throw new Error(`the post is answered ${response.status}: ${text}`)
  return { id: JSON.parse(text).id, etag: response.headers.get('etag')! }
}

/** Delivers every twenty comments together, as the platform batches them. */
async function comment({ url }: Target, sourceId: string, postId: string): Promise<void> {
  const page = sandbox.model.pages![0]!
  const inbox = createInbox({ url: '', secret: SECRET }, () => Date.now(), seededRandom(1))
  const names = [
    ...Array.from({ length: COMMENTS }, () => 'Eve'),
    ...Array.from({ length: OTHERS }, (_, n) => `Person ${n}`),
  ]
  for (let sent = 0; sent < names.length; sent += BATCH) {
    const ids = await Promise.all(
      names
        .slice(sent, sent + BATCH)
        .map((from, n) =>
          sandbox.comments.comment({ postId, pageId: PAGE_ID, from, text: `me, ${sent + n}`, isDelivered: false }),
        ),
    )
    const comments = ids.map((id) => sandbox.comments.require(id))
    for (const { headers, body } of inbox.comments(page, comments, { isTogether: true })) {
      const response = await fetch(`${url}/hooks/${sourceId}`, { method: 'POST', headers, body })
      if (response.status !== 200) throw new Error(`a delivery is answered ${response.status}`)
    }
  }
}
