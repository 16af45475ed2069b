import { readFileSync } from 'node:fs'
import { TOTP } from 'otpauth'
import { systemClock } from '../src/lib/clock.js'
import { signDate } from '../src/lib/sign-date.js'
import { waitJittered } from '../src/lib/wait.js'
import type { DemoModel } from '../src/sandbox/model.js'
import type { EarlierIds } from '../test/earlier-formats.js'

interface Earlier {
  url: string
  operatorToken: string
  platform: DemoModel
}

type Ids = EarlierIds & { path: string }
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
// biome-ignore lint/suspicious/noExplicitAny: answers of many versions
type Body = any

const TEXTS = [
  'Zoë 👩‍👩‍👧‍👦',
  '"quoted", \\back\\ \'single\' ; -- drop',
  'tab\tline\nreturn',
  ' leading ',
  '{1,2,NULL}',
  'e\u0301',
]
const CONVERSATIONS = 60
const MINUTE_MS = 60_000
const LOOKS = 120
const PICTURE = new URL('../assets/demo/thank-you.jpg', import.meta.url)

/** Fills the server of any version by the calls that it has, and gives what a test needs to call it again. */
export async function fillEarlier(earlier: Earlier): Promise<EarlierIds> {
  const calls = new Calls(earlier)
  const ids = await fillOrganization(calls, earlier)
  if (await calls.has('POST', '/v1/scheduled-posts')) {
    await connectToPlatform(calls, ids.path, ids, earlier.platform.pageAccessToken)
    await fillPosts(calls, ids)
  }
  if (await calls.has('POST', '/operator/owner-invitation')) await fillPeople(calls, ids)
  if (await calls.has('POST', '/console/api/me/second-factors/totp/begin')) await fillWhatOwnersMake(calls, ids)
  if (await calls.has('PUT', '/operator/organizations/{organizationId}/webhook')) {
    await calls.operator('PUT', `${ids.path}/webhook`, { url: 'https://example.com/hook' })
  } else if (await calls.has('POST', '/operator/organizations/{organizationId}/webhooks')) {
    await calls.operator('POST', `${ids.path}/webhooks`, { url: 'https://example.com/hook' })
  }
  if (await calls.has('POST', '/operator/organizations/{organizationId}/sources')) await fillSources(calls, ids)
  const { path: _, ...kept } = ids
  return kept
}

class Calls {
  key = { id: '', secret: '' }
  #document: Promise<Body> | undefined
  #cookie = ''

  constructor(private readonly earlier: Earlier) {}

  async has(method: Method, path: string): Promise<boolean> {
    this.#document ??= fetch(`${this.earlier.url}/openapi.json`).then((answer) => answer.json())
    return (await this.#document).paths[path]?.[method.toLowerCase()] !== undefined
  }

  operator(method: Method, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Body> {
    const authorization = `Bearer ${this.earlier.operatorToken}`
    return this.#call(method, `/operator${path}`, body, { authorization, ...headers })
  }

  signed(method: Method, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Body> {
    const date = new Date(systemClock.now()).toUTCString()
    const signature = signDate(this.key.secret, date)
    return this.#call(method, `/v1${path}`, body, {
      ...{ 'x-api-version': '1', 'x-api-key': this.key.id, 'x-date': date, 'x-signature': signature },
      ...headers,
    })
  }

  ingest(writeKey: string, body: unknown): Promise<Body> {
    return this.#call('POST', '/ingest/v1/batch', body, { authorization: `Basic ${btoa(`${writeKey}:`)}` })
  }

  browser(method: Method, path: string, body?: unknown): Promise<Body> {
    const headers = { 'sec-fetch-site': 'same-origin', cookie: this.#cookie }
    return this.#call(method, `/console/api${path}`, body, headers)
  }

  async #call(method: Method, path: string, body: unknown, headers: Record<string, string>): Promise<Body> {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
    const answer = await fetch(this.earlier.url + path, {
      method,
      headers: { ...(body !== undefined && !isRaw && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isRaw ? new Uint8Array(Buffer.from(body)) : JSON.stringify(body) }),
    })
    const [cookie] = answer.headers.getSetCookie()
    if (cookie !== undefined) this.#cookie = cookie.split(';')[0]!
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    const parsed = text === '' ? undefined : JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? { ...parsed, etag: answer.headers.get('etag') }
      : parsed
  }
}

async function fillOrganization(calls: Calls, { platform }: Earlier): Promise<Ids> {
  const { id: organizationId } = await calls.operator('POST', '/organizations', { name: TEXTS[0] })
  const { id: otherId } = await calls.operator('POST', '/organizations', { name: 'A company that left' })
  await calls.operator('PATCH', `/organizations/${otherId}`, { active: false })
  const path = `/organizations/${organizationId}`
  const { id: revokedId } = await calls.operator('POST', `${path}/keys`, {})
  await calls.operator('DELETE', `${path}/keys/${revokedId}`)
  const { id, secret } = await calls.operator('POST', `${path}/keys`, {})
  calls.key = { id, secret }
  const { id: workspaceId } = await calls.operator('POST', `${path}/workspaces`, { name: TEXTS[1], type: 'VIP' })
  await calls.operator('POST', `${path}/workspaces`, { name: 'Support', type: 'STANDARD' })
  const page = { type: 'FB_PAGE', platformId: platform.pageId, name: TEXTS[5] }
  const { id: channelId } = await calls.operator('POST', `${path}/channels`, page)
  await calls.operator('PUT', `${path}/workspaces/${workspaceId}/channels/${channelId}`)
  const [{ id: account, name, currency, timezone } = undefined as never] = platform.model.adAccounts
  const { accessToken } = platform
  await calls.operator('POST', `${path}/ad-accounts`, { id: account, name, currency, timezone, accessToken })
  const lines = Array.from({ length: CONVERSATIONS }, (_, i) =>
    JSON.stringify({
      ...{ conversationId: `t_${i}`, cuid: `cu_${i}`, lifetimeValue: i / 7 },
      ...{ userName: TEXTS[i % TEXTS.length], ...(i % 3 === 0 && { birthday: '--02-28' }) },
    }),
  )
  const isNdjson = { 'content-type': 'application/x-ndjson' }
  await calls.operator('POST', `${path}/channels/${channelId}/conversations`, lines.join('\n'), isNdjson)
  for (const conversation of ['t_1', 't_2']) {
    await calls.operator('PUT', `${path}/workspaces/${workspaceId}/channels/${channelId}/vips/${conversation}`)
  }
  if (await calls.has('DELETE', '/operator/organizations/{organizationId}/people/{cuid}')) {
    await calls.operator('DELETE', `${path}/people/cu_${CONVERSATIONS - 1}`)
  }
  return { path, organizationId, workspaceId, channelId, key: calls.key }
}

async function connectToPlatform(
  calls: Calls,
  path: string,
  { channelId }: EarlierIds,
  accessToken: string,
): Promise<void> {
  await calls.operator('PATCH', `${path}/channels/${channelId}`, { accessToken })
}

async function fillPosts(calls: Calls, { path, channelId }: Ids): Promise<void> {
  const post = (minutes: number, more: object = {}): object => ({
    ...{ media: 'https://media.example/window.jpg', mediaType: 'IMAGE', notes: TEXTS[2] },
    scheduledFor: new Date(systemClock.now() + minutes * MINUTE_MS).toISOString(),
    channels: { [channelId]: { mediumType: 'FB_PAGE', caption: TEXTS[0] } },
    ...more,
  })
  const create = async (body: object): Promise<string> => (await calls.signed('POST', '/scheduled-posts', body)).id
  const submit = async (id: string): Promise<{ 'if-match': string }> => {
    const { etag } = await calls.signed('POST', `/scheduled-posts/${id}/submit-for-approval`)
    return { 'if-match': etag }
  }
  const approve = async (id: string): Promise<void> => {
    await calls.operator('POST', `${path}/scheduled-posts/${id}/approve`, undefined, await submit(id))
  }
  await create({ notes: 'A draft' })
  await submit(await create(post(60 * 24 * 365)))
  const rejected = await create(post(60 * 24 * 365))
  await submit(rejected)
  await calls.signed('POST', `/scheduled-posts/${rejected}/reject`, { notes: TEXTS[1] })
  await approve(await create(post(60 * 24 * 365 * 50)))
  const published = await create(post(0.1))
  await approve(published)
  for (let look = 0; ; look++) {
    const { status } = await calls.signed('GET', `/scheduled-posts/${published}`)
    if (status === 'PUBLISHED') break
    if (status === 'FAILED' || look > LOOKS) throw new Error(`the post is ${status}`)
    await waitJittered(1_000)
  }
  await calls.operator('POST', `${path}/superpowers`, { name: TEXTS[0], superpower: {} })
}

async function fillPeople(calls: Calls, { path }: Ids): Promise<void> {
  const { token } = await calls.operator('POST', '/owner-invitation', {})
  const owner = { name: TEXTS[0], mail: 'zoe@example.com', password: 'long words of earlier versions' }
  await calls.browser('POST', '/invitation/accept', { token, ...owner })
  await calls.operator('POST', `${path}/invitations`, { mail: 'ana@example.com', role: 'EDITOR' })
  await calls.operator('POST', '/operator-tokens', { name: 'anna' })
  const jpeg = { 'content-type': 'image/jpeg' }
  await calls.operator('POST', `${path}/media`, readFileSync(PICTURE), jpeg)
}

/** An owner makes a link to a post, and then an authenticator app, after which the session has another cookie. */
async function fillWhatOwnersMake(calls: Calls, { path, channelId }: Ids): Promise<void> {
  const waiting = {
    ...{ media: 'https://media.example/window.jpg', mediaType: 'IMAGE' },
    scheduledFor: new Date(systemClock.now() + 365 * 24 * 60 * MINUTE_MS).toISOString(),
    channels: { [channelId]: { mediumType: 'FB_PAGE', caption: TEXTS[5], superpower: { hashtag: '#Raffle' } } },
  }
  const { id } = await calls.signed('POST', '/scheduled-posts', waiting, { 'idempotency-key': 'of an earlier version' })
  await calls.signed('POST', `/scheduled-posts/${id}/submit-for-approval`)
  await calls.browser('POST', `${path}/scheduled-posts/${id}/review-links`, { name: TEXTS[5] })
  if (await calls.has('POST', '/console/api/organizations/{organizationId}/review-links')) {
    await calls.browser('POST', `${path}/review-links`, { name: TEXTS[0], scheduledPostIds: [id] })
    await calls.browser('POST', `${path}/scheduled-posts/${id}/discussion`, { text: TEXTS[2], shared: true })
    await calls.operator('POST', `${path}/saved-texts`, { kind: 'TEXT', name: TEXTS[1], text: TEXTS[0] })
  }
  const { secret } = await calls.browser('POST', '/me/second-factors/totp/begin')
  const code = new TOTP({ secret }).generate({ timestamp: systemClock.now() })
  await calls.browser('POST', '/me/second-factors/totp/finish', { code })
}

/** Two orders, of which one is refunded in part, a name, and what cannot be read. */
async function fillSources(calls: Calls, { path }: Ids): Promise<void> {
  await calls.operator('PATCH', path, { currency: 'EUR' })
  const { id, writeKey } = await calls.operator('POST', `${path}/sources`, { type: 'EVENTS', name: TEXTS[0] })
  const timestamp = new Date(systemClock.now()).toISOString()
  const order = (number: number): object => ({
    ...{ type: 'track', event: 'Order Completed', userId: `cu_${number}`, messageId: `m${number}`, timestamp },
    properties: { order_id: `o${number}`, total: '12.50', currency: 'EUR' },
  })
  const refund = { order_id: 'o1', refund_id: 'r1', total: 5 }
  await calls.ingest(writeKey, {
    batch: [
      ...[order(1), order(2)],
      { type: 'track', event: 'Order Refunded', messageId: 'm3', timestamp, properties: refund },
      {
        type: 'identify',
        userId: 'cu_2',
        anonymousId: 'a_2',
        messageId: 'm4',
        timestamp,
        traits: { firstName: TEXTS[5] },
      },
      { type: 'no event', messageId: 'm5', timestamp },
    ],
  })
  for (let look = 0; (await calls.operator('GET', `${path}/sources/${id}`)).problems !== 1; look++) {
    if (look > LOOKS) throw new Error('the events are not applied')
    await waitJittered(1_000)
  }
}
