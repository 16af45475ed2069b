import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accountLimitFault } from '../../packages/sandbox/src/make-faults.js'
import { Member, operatorCall } from '../../test/harness.js'
import { createPatience } from '../../test/patience.js'
import { operatorAny, readHistory } from '../../test/posts.js'
import { type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import { Holder } from '../../test/review-links.js'
import { hashMedia } from '../posts/outside-media.js'

/** The host of a picture that its owner can replace at any time. */
let answer: (request: IncomingMessage, response: ServerResponse) => void
let asked: string[]
let site: string
let close: () => void
let t: PublisherTest
let channel: string
let approver: Member

const start = async (reach: 'public' | 'any' | 'off'): Promise<void> => {
  t = await startPublisherTest({ graph: { timeoutMs: 5_000 }, outsideMedia: { reach } })
  channel = await t.channel('FB_PAGE')
  approver = await Member.create(t, { organizationId: t.tenant.organizationId, role: 'EDITOR', mayApprove: true })
}
beforeEach(async () => {
  asked = []
  answer = (_request, response) => response.end('first')
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  await start('any')
})
afterEach(() => close())

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const path = (tail = ''): string => `/organizations/${t.tenant.organizationId}/scheduled-posts${tail}`

async function create(more: { media?: string; mediaType?: string; channels?: string[] } = {}): Promise<string> {
  const { media = `${site}/picture.jpg`, mediaType = 'IMAGE', channels = [channel] } = more
  const body = {
    status: 'WAITING_FOR_APPROVAL',
    scheduledFor: new Date(t.clock.now() + 3_600_000).toISOString(),
    ...{ media, mediaType },
    channels: Object.fromEntries(channels.map((id) => [id, { caption: 'Summer' }])),
  }
  return (await t.tenant.call(201, 'POST', '/scheduled-posts', { body })).body.id
}
const read = async (id: string) => await approver.call(200, 'GET', path(`/${id}`))
async function approve(id: string) {
  const headers = { 'if-match': String((await read(id)).headers.etag) }
  return (await approver.call(200, 'POST', path(`/${id}/approve`), { headers })).body
}
const due = async (): Promise<void> => {
  t.clock.advance(3_600_000)
  await t.runToEnd()
}
const check = async (id: string) => (await approver.call(200, 'POST', path(`/${id}/check-media`))).body

describe('an approval fixes media at an outside address', () => {
  test.each([
    ['FB_PAGE', 'IMAGE'],
    ['FB_PAGE', 'VIDEO'],
    ['INSTAGRAM_ACCOUNT', 'IMAGE'],
  ] as const)('and the same bytes are published on %s as %s', async (type, mediaType) => {
    const id = await create({ channels: [await t.channel(type)], mediaType })
    expect(await check(id)).toEqual({ fixed: true, sha256: sha256('first') })
    expect((await approve(id)).mediaCheck).toEqual({ fixed: true, sha256: sha256('first') })
    expect((await readHistory(t.tenant, id)).at(-1)!.detail).toMatchObject({ mediaSha256: sha256('first') })
    await due()
    expect((await read(id)).body.status).toBe('PUBLISHED')
    expect(t.sandbox.published).toHaveLength(1)
    // The check, the approval and the publisher each fetch it once.
    expect(asked).toHaveLength(3)
  })

  test.each([
    ['FB_PAGE', 'IMAGE'],
    ['FB_PAGE', 'VIDEO'],
    ['INSTAGRAM_ACCOUNT', 'IMAGE'],
    ['INSTAGRAM_ACCOUNT', 'VIDEO'],
  ] as const)('and other bytes return to approval: %s, %s', async (type, mediaType) => {
    const writer = await Member.create(t, { organizationId: t.tenant.organizationId, role: 'EDITOR' })
    const id = await create({ channels: [await t.channel(type)], mediaType })
    await writer.call(200, 'POST', path(`/${id}/reject`), { body: { notes: 'Once more' } })
    await writer.call(200, 'POST', path(`/${id}/submit-for-approval`))
    await approve(id)
    answer = (_request, response) => response.end('second')
    await due()
    expect(t.sandbox.published).toEqual([])
    expect((await read(id)).body).toMatchObject({
      status: 'WAITING_FOR_APPROVAL',
      mediaCheck: { fixed: false, problem: 'CHANGED' },
    })
    const last = (await readHistory(t.tenant, id)).at(-1)!
    expect(last).toMatchObject({ action: 'reverted', actor: 'publisher', toStatus: 'WAITING_FOR_APPROVAL' })
    expect(last.detail!.reason).toContain('no longer the one that was approved')
    const { items } = (await writer.call(200, 'GET', `/organizations/${t.tenant.organizationId}/inbox`)).body
    expect(items[0]).toMatchObject({ kind: 'returned', actor: 'publisher', detail: { notes: last.detail!.reason } })

    // The current picture is approved and published.
    const scheduledFor = new Date(t.clock.now() + 3_600_000).toISOString()
    await writer.call(200, 'PATCH', path(`/${id}`), { body: { scheduledFor } })
    expect((await read(id)).body.mediaCheck).toMatchObject({ problem: 'CHANGED' })
    await approver.signInAgain()
    expect((await approve(id)).mediaCheck).toEqual({ fixed: true, sha256: sha256('second') })
    await due()
    expect((await read(id)).body.status).toBe('PUBLISHED')
  })

  test('a channel on which the post is published stays so; the other waits for a new approval', async () => {
    const account = await t.channel('INSTAGRAM_ACCOUNT')
    const id = await create({ channels: [channel, account] })
    await approve(id)
    t.sandbox.faults.add({ match: /\/media$/, fault: accountLimitFault('1', 1, 'instagram') })
    answer = (_request, response) => response.end(asked.length <= 2 ? 'first' : 'second')
    await due()
    const states = async () => Object.fromEntries((await t.publications(id)).map((row) => [row.channel_id, row.state]))
    expect((await read(id)).body.status).toBe('WAITING_FOR_APPROVAL')
    expect(await states()).toEqual({ [channel]: 'PUBLISHED', [account]: 'PENDING' })
    const scheduledFor = new Date(t.clock.now() + 3_600_000).toISOString()
    await approver.signInAgain()
    await approver.call(200, 'PATCH', path(`/${id}`), { body: { scheduledFor } })
    await approve(id)
    await due()
    expect(await states()).toEqual({ [channel]: 'PUBLISHED', [account]: 'PUBLISHED' })
    expect(t.sandbox.published.map(({ received }) => received)).toEqual([1, 1])
  })

  test.each([
    ['is gone', (response: ServerResponse) => response.writeHead(404).end(), 'It answers 404.'],
    [
      'leads to a private address',
      (response: ServerResponse) => response.writeHead(302, { location: 'ftp://10.0.0.1/a.jpg' }).end(),
      'not http or https',
    ],
  ])('media that %s when due return to approval', async (_what, then, reason) => {
    const id = await create()
    await approve(id)
    answer = (_request, response) => then(response)
    await due()
    expect((await read(id)).body.status).toBe('WAITING_FOR_APPROVAL')
    expect((await readHistory(t.tenant, id)).at(-1)!.detail!.reason).toContain(reason)
    expect(t.sandbox.published).toEqual([])
  })

  test('media that cannot be fetched for a while wait, and are published when they are back', async () => {
    const id = await create()
    await approve(id)
    let tries = 0
    answer = (_request, response) => {
      tries += 1
      response.writeHead(tries < 3 ? 503 : 200).end('first')
    }
    await due()
    expect((await read(id)).body.status).toBe('PUBLISHED')
    expect(tries).toBe(3)
  })
})

describe('media that are not fixed are published as before, and the approval says so', () => {
  test.each<[string, (request: IncomingMessage, response: ServerResponse) => void, string]>([
    ['that is refused', (_request, response) => response.writeHead(403).end('no'), 'REFUSED'],
    ['that is empty', (_request, response) => response.end(), 'REFUSED'],
    [
      'that is declared too large',
      (_r, response) => response.writeHead(200, { 'content-length': 10 ** 10 }).write('a'),
      'TOO_LARGE',
    ],
    ['that redirects forever', (_r, response) => response.writeHead(302, { location: '/again' }).end(), 'REDIRECTS'],
    [
      'that is cut off',
      (_r, response) => response.writeHead(200, { 'content-length': 9 }).end('abc').destroy(),
      'UNREACHABLE',
    ],
  ])('media %s', async (_what, then, problem) => {
    answer = then
    const id = await create()
    expect(await check(id)).toEqual({ fixed: false, problem })
    expect((await approve(id)).mediaCheck).toEqual({ fixed: false, problem })
    expect((await readHistory(t.tenant, id)).at(-1)!.detail).toMatchObject({ mediaNotFixed: problem })
    await due()
    expect(t.sandbox.published).toHaveLength(1)
  })

  test('at a private address, without the setting that allows it', async () => {
    await start('public')
    const id = await create()
    expect((await approve(id)).mediaCheck).toEqual({ fixed: false, problem: 'PRIVATE' })
    expect(asked).toEqual([])
  })

  test('nothing is fetched if the setting is off', async () => {
    await start('off')
    const id = await create()
    expect(await check(id)).toEqual({ fixed: false, problem: 'OFF' })
    expect((await approve(id)).mediaCheck).toEqual({ fixed: false, problem: 'OFF' })
    await due()
    expect([asked, t.sandbox.published.length]).toEqual([[], 1])
  })
})

test('a redirect is followed, and each address on the way is requested', async () => {
  answer = (request, response) =>
    request.url === '/picture.jpg' ? response.writeHead(301, { location: '/there.jpg' }).end() : response.end('first')
  expect((await approve(await create())).mediaCheck).toEqual({ fixed: true, sha256: sha256('first') })
  expect(asked).toEqual(['/picture.jpg', '/there.jpg'])
})

test('slow or endless media end at their time, and then hold no place', async () => {
  const { startTimer, end } = createPatience()
  answer = (_request, response) => {
    response.write('a')
    end()
  }
  const options = { timeoutMs: 10_000, allowsPrivate: true, startTimer }
  const slow = await Promise.all(Array.from({ length: 20 }, () => hashMedia(`${site}/a.jpg`, options)))
  for (const one of slow) expect(one).toMatchObject({ is: 'problem', problem: 'TOO_SLOW', isLasting: false })
  answer = (_request, response) => response.end('first')
  // It uses another name, because the service does not wait again for an origin that was just silent.
  const again = `${site.replace('127.0.0.1', 'localhost')}/a.jpg`
  const after = await hashMedia(again, { timeoutMs: 10_000, allowsPrivate: true })
  expect(after).toMatchObject({ is: 'read', sha256: sha256('first') })
})

test('an approval with a link, and one by the operator, fix the media too', async () => {
  const id = await create()
  const anna = await Holder.of(approver, t.tenant.organizationId, [id])
  const { body } = await anna.call(200, 'POST', '/posts/1/check-media')
  expect(body).toEqual({ fixed: true, sha256: sha256('first') })
  await anna.approve()
  expect((await read(id)).body.mediaCheck).toEqual({ fixed: true, sha256: sha256('first') })
  // The contract has no field for it.
  expect((await t.tenant.get(200, `/scheduled-posts/${id}`)).body).not.toHaveProperty('mediaCheck')

  const second = await create()
  const ifMatch = String((await read(second)).headers.etag)
  await operatorAny(t.tenant, 'POST', `/scheduled-posts/${second}/approve`, { headers: { 'if-match': ifMatch } })
  expect((await read(second)).body.mediaCheck).toMatchObject({ fixed: true })
})

test('media that change, or an approval that ends, are no longer fixed', async () => {
  const id = await create()
  await approve(id)
  await approver.call(200, 'POST', path(`/${id}/revert`))
  expect((await read(id)).body).not.toHaveProperty('mediaCheck')
  await approver.call(200, 'POST', path(`/${id}/submit-for-approval`))
  await approve(id)
  const body = { media: `${site}/other.jpg` }
  expect((await approver.call(200, 'PATCH', path(`/${id}`), { body })).body).not.toHaveProperty('mediaCheck')
})

test('the database prevents any replacement of what an approval has fixed', async () => {
  const id = await create()
  await approve(id)
  const replace = t.context.database.query(
    'update scheduled_posts set media_sha256 = $3 where organization_id = $1 and scheduled_post_id = $2',
    [t.tenant.organizationId, id, sha256('second')],
  )
  await expect(replace).rejects.toThrow('fixed media')
})

test('nothing is fetched for a refused approval', async () => {
  const id = await create()
  const headers = { 'if-match': '"9-stale"' }
  await approver.call(412, 'POST', path(`/${id}/approve`), { headers })
  await operatorCall(t, 200, 'PATCH', `/organizations/${t.tenant.organizationId}`, { body: { fourEyes: false } })
  expect(asked).toEqual([])
})
