import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { greenroom } from '../../test/cli.js'
import { gate } from '../../test/gate.js'
import { TestClock } from '../../test/harness.js'
import { systemRuntime } from '../client/runtime.js'
import { readConfig } from '../config/index.js'
import type { Database } from '../database/database.js'
import { openPglite } from '../database/pglite/pglite.js'
import type {
  FoundPerson,
  PostChange,
  SavedSuperpower,
  ScheduledPost,
  Source,
  VipUserList,
} from '../interface/generated/types.js'
import type { Wait } from '../lib/wait.js'
import { type RunningServer, serve } from '../serve.js'
import { runDemo } from './demo.js'
import type { DemoIds } from './fill.js'
import { demoPosts } from './posts.js'

const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-demo-'))
const demoFile = join(dataDir, 'demo.json')
const clock = new TestClock()
let server: RunningServer | undefined
let printed: string
/** Ends the wait of the demo's simulated life, and resolves when its next round is done. */
let nextRound: () => Promise<void>
/** The waits, in milliseconds, before the client repeated calls while the database was being filled. */
let waits: number[]
beforeAll(async () => {
  const waiting = vi.spyOn(systemRuntime, 'wait')
  printed = await start()
  waits = waiting.mock.calls.map(([ms]) => ms)
  waiting.mockRestore()
}, 120_000)
afterAll(async () => {
  await server?.close()
  rmSync(dataDir, { recursive: true })
})

/** Resolves when the publisher has been killed, with the function that starts the next one. */
let publisherKilled: Promise<() => void>

/** Starts the demo and returns its output. */
async function start({ isSeen = true, port = 0 } = {}): Promise<string> {
  const printed: string[] = []
  const settings = readConfig({
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'silent',
    PUBLISHER_INTERVAL_MS: '100',
    DRAIN_MS: '0',
  })
  let goOn = (): void => {}
  let roundEnded = gate()
  nextRound = async () => {
    roundEnded = gate()
    goOn()
    await roundEnded.opened
  }
  const wait: Wait = (_, signal) => {
    roundEnded.open()
    return new Promise((resolve) => {
      goOn = resolve
      signal?.addEventListener('abort', () => resolve())
    })
  }
  let killed = (_restart: () => void): void => {}
  publisherKilled = new Promise((resolve) => {
    killed = resolve
  })
  const restartWait: Wait = (_, signal) =>
    new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      killed(resolve)
    })
  server = await runDemo(settings, { say: (lines) => printed.push(lines), clock, wait, restartWait, isSeen })
  await roundEnded.opened
  return printed.join('\n')
}

async function run(argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await greenroom(argv, { env: { DATA_DIR: dataDir }, clock })
  expect(code, `${argv.join(' ')}: ${stderr}`).toBe(0)
  return stdout.trim()
}

/** Returns the commands that the demo prints, each as the words that a shell reads. */
const commandsIn = (text: string): string[][] =>
  [...text.replaceAll(/ \\\n\s*/g, ' ').matchAll(/npx greenroom (.+?)\)?$/gm)].map(([, line]) =>
    line!.match(/(?:'[^']*'|[^\s'])+/g)!.map((word) => word.replaceAll("'", '')),
  )

const listPosts = async (): Promise<ScheduledPost[]> => JSON.parse(await run(['posts', 'list', '--all']))
/** True if the demo's simulated life has created the post. */
const isLive = ({ notes }: ScheduledPost): boolean => /^Approve it/.test(notes ?? '')

const statusesOfChannels = async (): Promise<string[]> =>
  JSON.parse(await run(['call', 'GET', '/channels'])).map(({ status }: { status: string }) => status)

test('fills its database without waiting, although its clock goes back and forth', () => {
  expect(waits).toEqual([])
})

test('prints a link that signs in as its owner, once', async () => {
  const [, url, token] = /(http:\/\/127\.0\.0\.1:\d+)\/#sign-in=([\w-]{43})/.exec(printed)!
  const signIn = () =>
    fetch(`${url}/api/sign-in/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url! },
      body: JSON.stringify({ token }),
    })
  const reply = await signIn()
  expect(reply.status).toBe(200)
  expect(await reply.json()).toMatchObject({
    person: { owner: true },
    organizations: expect.arrayContaining([expect.objectContaining({ name: 'Mercado Aurora', active: true })]),
  })
  expect((await signIn()).status).toBe(400)
})

test('greenroom demo-link prints another one, whatever server the commands are set to call', async () => {
  expect(readDemo().personId).toMatch(/^usr_/)
  const links: string[] = []
  for (const GREENROOM_URL of [undefined, 'http://127.0.0.1:1']) {
    const { code, stdout, stderr } = await greenroom(['demo-link'], {
      env: { DATA_DIR: dataDir, GREENROOM_URL },
      clock,
    })
    expect(code, stderr).toBe(0)
    links.push(JSON.parse(stdout).link)
  }
  const { baseUrl } = readDemo()
  const signIn = (link: string): Promise<Response> =>
    fetch(`${new URL(baseUrl).origin}/api/sign-in/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: new URL(link).origin },
      body: JSON.stringify({ token: link.split('#sign-in=')[1] }),
    })
  expect(links[0]).toContain(`${new URL(baseUrl).origin}/#sign-in=`)
  // Only the newest link is valid.
  expect((await signIn(links[0]!)).status).toBe(400)
  const reply = await signIn(links[1]!)
  expect(reply.status).toBe(200)
  expect(await reply.json()).toMatchObject({ person: { owner: true } })

  const nowhere = await greenroom(['demo-link'], { env: { DATA_DIR: join(dataDir, 'nothing') } })
  expect(nowhere).toMatchObject({ code: 2, stdout: '' })
  expect(nowhere.stderr).toContain(`There is no demo in ${join(dataDir, 'nothing')}`)
})

test('its calendar has three posts of the last days, a dozen of the next weeks, and two saved superpowers', async () => {
  const demo: DemoIds = JSON.parse(readFileSync(demoFile, 'utf8'))
  const posts = (await listPosts()).filter((post) => !isLive(post))
  expect(posts.map(({ scheduledFor, status }) => [scheduledFor, status])).toEqual([
    ['2026-11-11T12:30:00.000Z', 'PUBLISHED'],
    ['2026-11-18T21:00:00.000Z', 'FAILED'],
    ['2026-11-19T13:00:00.000Z', 'PUBLISHED'],
    ['2026-11-21T12:00:00.000Z', 'SCHEDULED'],
    ['2026-11-23T21:00:00.000Z', 'WAITING_FOR_APPROVAL'],
    ['2026-11-25T15:00:00.000Z', 'SCHEDULED'],
    ['2026-11-26T22:00:00.000Z', 'REJECTED'],
    ['2026-11-28T13:30:00.000Z', 'SCHEDULED'],
    ['2026-11-30T14:00:00.000Z', 'WAITING_FOR_APPROVAL'],
    ['2026-12-02T20:30:00.000Z', 'DRAFT'],
    ['2026-12-04T11:30:00.000Z', 'SCHEDULED'],
    ['2026-12-06T21:30:00.000Z', 'WAITING_FOR_APPROVAL'],
    ['2026-12-09T15:30:00.000Z', 'REJECTED'],
    ['2026-12-14T13:00:00.000Z', 'SCHEDULED'],
    [undefined, 'DRAFT'],
  ])
  const byStatus = Object.fromEntries(posts.toReversed().map(({ id, status }) => [status, id]))
  expect(demo.scheduledPostIds).toEqual({
    draft: byStatus.DRAFT,
    rejected: byStatus.REJECTED,
    waitingForApproval: byStatus.WAITING_FOR_APPROVAL,
    scheduled: byStatus.SCHEDULED,
    published: byStatus.PUBLISHED,
    failed: byStatus.FAILED,
  })
  for (const channelId of [demo.channelId, demo.largeChannelId]) {
    const captions = posts.flatMap(({ mediumsData }) => mediumsData[channelId]?.caption ?? [])
    expect(captions.length).toBeGreaterThanOrEqual(9)
    expect(new Set(captions).size).toBe(captions.length)
  }
  const saved: SavedSuperpower[] = JSON.parse(await run(['superpowers', 'list']))
  expect(saved.map(({ name }) => name)).toEqual(['Basket raffle', 'Size guide by message'])
  const named = posts.flatMap(({ mediumsData }) =>
    Object.values(mediumsData).flatMap(({ superpower }) => superpower ?? []),
  )
  expect(new Set(named.map(({ creativeTemplateId }) => creativeTemplateId))).toEqual(
    new Set(saved.map(({ creativeTemplateId }) => creativeTemplateId)),
  )
})

test('its posts have a past: created by a key, approved by the operator, published on time', async () => {
  const demo = JSON.parse(readFileSync(demoFile, 'utf8'))
  const { scheduledPostIds, organizationId, sandboxUrl, channelId, key } = demo
  const history = async (id: string): Promise<PostChange[]> =>
    JSON.parse(await run(['posts', 'history', organizationId, id]))
  expect(await history(scheduledPostIds.published)).toMatchObject([
    { action: 'created', actor: `key:${key.id}`, at: '2026-11-08T12:30:00.000Z' },
    { action: 'submitted', actor: `key:${key.id}` },
    { action: 'approved', actor: 'operator', at: '2026-11-09T12:30:00.000Z' },
    { action: 'claimed', actor: 'publisher' },
    { action: 'published', actor: 'publisher', at: '2026-11-11T12:30:00.000Z' },
  ])
  const page = await fetch(`${sandboxUrl}/pages/${channelId.replace('FB_PAGE_', '')}`)
  expect(await page.text()).toMatch(/<time datetime="2026-11-11T12:30:00\.000Z">[\s\S]*Pão de queijo/)
  const failed = (await history(scheduledPostIds.failed)).at(-1)
  expect(failed).toMatchObject({ action: 'failed', at: '2026-11-18T21:20:00.000Z' })
  expect(JSON.stringify(failed?.detail)).toContain('The image could not be fetched')
})

test("the demo's calls take a post from draft to published a minute later, and its page shows it", async () => {
  const commands = commandsIn(printed)
  const demo = JSON.parse(readFileSync(demoFile, 'utf8'))
  let post = ''
  for (const argv of commands) {
    const printed = await run(argv.map((word) => (word === '$post' ? post : word)))
    if (argv[0] === 'posts' && argv[1] === 'create') post = printed
  }
  const verbs = commands.map(([command, verb]) => `${command} ${verb ?? ''}`.trim())
  expect(verbs).toEqual(expect.arrayContaining(['posts submit', 'posts approve', 'posts history', 'status']))
  const read = async () => JSON.parse(await run(['posts', 'get', post]))
  expect(await read()).toMatchObject({ status: 'SCHEDULED' })

  clock.advance(60_000)
  await vi.waitFor(async () => expect(await read()).toMatchObject({ status: 'PUBLISHED' }), { timeout: 15_000 })
  const page = await fetch(`${demo.sandboxUrl}/pages/${demo.channelId.replace('FB_PAGE_', '')}`)
  expect(await page.text()).toContain('Lanterns tonight at eight')
  const status = JSON.parse(await run(['status']))
  expect(status.publisher.published).toMatchObject({ count: 1 })
}, 60_000)

test('its pictures exist, on the posts and on the pages of the sandbox', async () => {
  const demo = JSON.parse(readFileSync(demoFile, 'utf8'))
  const media = (await listPosts()).flatMap((post) => (post.media?.includes('.invalid') ? [] : (post.media ?? [])))
  expect(media.length).toBeGreaterThan(10)
  for (const url of new Set(media)) {
    const answer = await fetch(url)
    expect([url, answer.status, answer.headers.get('content-type')]).toEqual([
      url,
      200,
      expect.stringMatching(/^(image\/jpeg|video\/mp4)$/),
    ])
  }
  const page = await fetch(`${demo.sandboxUrl}/pages/${demo.channelId.replace('FB_PAGE_', '')}`)
  const [, shown] = /<img src="([^"]+)"/.exec(await page.text())!
  expect(media).toContain(shown)
})

test('a comment on a published post with a superpower is answered, in private and then in public', async () => {
  const { sandboxUrl, channelId } = readDemo()
  const pageId = channelId.replace('FB_PAGE_', '')
  const page = async (): Promise<string> => await (await fetch(`${sandboxUrl}/pages/${pageId}`)).text()
  const caption = 'Comment SIZE, and the guide is in your messages'
  const out = (await listPosts()).find(({ mediumsData }) => mediumsData[channelId]?.caption?.includes(caption))!
  const [, post] = new RegExp(`${caption}[^]*?write=([^#"]+)#`).exec(await page())!
  const form = { post: post!, from: 'Ana', text: 'Size, please!' }
  await fetch(`${sandboxUrl}/pages/${pageId}/comment`, { method: 'POST', body: new URLSearchParams(form) })
  // Comments are read every five seconds if no hook delivers them.
  clock.advance(6_000)
  const path = `/scheduled-posts/${out.id}/comments`
  await vi.waitFor(
    async () => {
      const { items } = JSON.parse(await run(['call', 'GET', path]))
      const effects = items.at(-1)?.effects.map(({ effect, state }: Record<string, string>) => [effect, state])
      expect(effects).toEqual([
        ['private_reply', 'done'],
        ['public_reply', 'done'],
      ])
    },
    { timeout: 20_000, interval: 200 },
  )
  const shown = await page()
  expect(shown).toContain('This is the automatic assistant of Mercado Aurora.')
  expect(shown).toContain('have a look at your messages')
}, 60_000)

test('it lives: VIPs buy, and there is always a post to approve that is due soon', async () => {
  const demo = JSON.parse(readFileSync(demoFile, 'utf8'))
  const path = `/vip-users?workspaceId=${demo.workspaceId}&mediumId=${demo.channelId}&limit=200`
  const boughtNow = async (): Promise<number> => {
    const { items }: VipUserList = JSON.parse(await run(['call', 'GET', path]))
    return items.filter(({ lastPurchaseTimestamp }) => lastPurchaseTimestamp === clock.now()).length
  }
  const live = async (): Promise<ScheduledPost[]> => (await listPosts()).filter(isLive)
  clock.advance(1_000)
  expect(await boughtNow()).toBe(0)
  await nextRound()
  // A delivery is applied a moment after it arrives.
  await vi.waitFor(async () => expect(await boughtNow()).toBe(1), { timeout: 15_000 })

  const [post, ...others] = await live()
  expect(others).toEqual([])
  expect(post).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
  expect(Date.parse(post!.scheduledFor!) - clock.now()).toBeLessThanOrEqual(180_000)
  await run(['posts', 'approve', demo.organizationId, post!.id, '--yes'])
  await nextRound()
  const next = (await live()).find(({ id }) => id !== post!.id)!
  expect(next).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
  clock.advance(181_000)
  await vi.waitFor(async () => expect((await live())[0]).toMatchObject({ status: 'PUBLISHED' }), { timeout: 15_000 })
  // Nobody has approved the other post, so it is replaced.
  await nextRound()
  expect((await live()).map(({ id }) => id)).not.toContain(next.id)
  expect((await live()).map(({ status }) => status).toSorted()).toEqual(['PUBLISHED', 'WAITING_FOR_APPROVAL'])
}, 60_000)

const readDemo = () => JSON.parse(readFileSync(demoFile, 'utf8'))
/** Presses a button of the panel. */
const press = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
  (await fetch(`${readDemo().sandboxUrl}${path}`, { method: 'POST', headers, redirect: 'manual' })).status
const panel = async (): Promise<string> => (await fetch(`${readDemo().sandboxUrl}/`)).text()
const pageOf = async (channelId: string): Promise<string> =>
  (await fetch(`${readDemo().sandboxUrl}/pages/${channelId.replace('FB_PAGE_', '')}`)).text()
/** Publishes a post that is due. */
async function publish(caption: string): Promise<string> {
  const { organizationId, channelId, media, baseUrl } = readDemo()
  const post = await run([
    ...['posts', 'create', '--quiet', '--scheduled-for', '+1m'],
    ...['--media', new URL(media['bread.jpg'], baseUrl).href, '--channel', `${channelId}=${caption}`],
  ])
  await run(['posts', 'submit', post])
  await run(['posts', 'approve', organizationId, post, '--yes'])
  clock.advance(60_000)
  return post
}
const statusOf = async (post: string): Promise<string> => JSON.parse(await run(['posts', 'get', post])).status
const becomes = (post: string, status: string): Promise<void> =>
  vi.waitFor(
    async () => {
      // The publisher looks again after a while on its clock.
      clock.advance(1_000)
      expect(await statusOf(post)).toBe(status)
    },
    { timeout: 15_000, interval: 200 },
  )

test('a person breaks the platform for a while: posts are published once, and a refused token is replaced', async () => {
  expect(await press('/break/lost', { 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await press('/break/nothing')).toBe(404)
  expect(await panel()).not.toContain('Broken for another')
  expect(await press('/break/lost')).toBe(303)
  expect(await press('/break/lost')).toBe(303)
  expect(await panel()).toContain('Broken for another 120 s')
  await becomes(await publish('Once and no more'), 'PUBLISHED')
  const page = await pageOf(readDemo().channelId)
  expect(page.split('Once and no more')).toHaveLength(2)
  expect(page).not.toContain('received 2 times')
  expect(await press('/mend/lost')).toBe(303)
  expect(await panel()).not.toContain('Broken for another')

  expect(await press('/break/revoked')).toBe(303)
  const refused = await publish('Not yet')
  await becomes(refused, 'FAILED')
  expect(await statusesOfChannels()).toContain('needs-reconnect')
  await nextRound()
  expect(await statusesOfChannels()).toContain('needs-reconnect')
  clock.advance(120_000)
  await nextRound()
  expect(await statusesOfChannels()).not.toContain('needs-reconnect')
}, 60_000)

test('its shops and its inbox deliver when a person presses a button, and the audience gets it once', async () => {
  const { organizationId, operatorUrl, operatorToken, channelId } = readDemo()
  const pageId = channelId.replace('FB_PAGE_', '')
  const read = async (path: string) => {
    const url = `${operatorUrl}/organizations/${organizationId}${path}`
    return (await fetch(url, { headers: { authorization: `Bearer ${operatorToken}` } })).json()
  }
  const applied = () =>
    vi.waitFor(
      async () => {
        const { items } = (await read('/sources')) as { items: Source[] }
        expect(items).toHaveLength(4)
        for (const { waiting, refused } of items) expect({ waiting, refused }).toEqual({ waiting: 0, refused: 0 })
      },
      { timeout: 30_000, interval: 200 },
    )
  await vi.waitFor(async () => expect(await panel()).toMatch(/Subscribed to [a-z_, ]{0,80}feed/), { timeout: 15_000 })
  for (const shop of ['shopify', 'woocommerce']) {
    for (const action of ['order', 'change', 'refundPart', 'twice', 'shuffled', 'late', 'cancel']) {
      expect([shop, action, await press(`/send/${action}/${shop}`)]).toEqual([shop, action, 303])
    }
  }
  clock.advance(1_000)
  const at = clock.now()
  for (const action of ['message', 'twice', 'late', 'shuffled', 'thousand']) {
    expect([action, await press(`/send/${action}/${pageId}`)]).toEqual([action, 303])
  }
  expect(await panel()).toContain('1 × 200')
  await applied()
  for (const { id } of ((await read('/sources')) as { items: Source[] }).items) {
    expect(await read(`/sources/${id}/problems`)).toEqual({ items: [], nextCursor: null })
  }
  const writers: FoundPerson[] = []
  for (let person = 0; person <= 40; person++) {
    const { items } = (await read(`/people?search=${9_000_000_000_000_000 + person}`)) as { items: FoundPerson[] }
    writers.push(...items)
  }
  expect(writers).toHaveLength(41)
  expect(Math.max(...writers.map(({ lastUserMessageTimestamp }) => lastUserMessageTimestamp ?? 0))).toBe(at)

  expect(await press(`/send/forget/${pageId}`)).toBe(303)
  expect(await panel()).toContain('Not subscribed: messages are lost.')
}, 120_000)

test('a person kills the publisher during a post: another continues with it, and it is published once', async () => {
  const { channelId } = readDemo()
  expect(await press('/break/killed')).toBe(303)
  expect(await panel()).toContain('It happens with the next post.')
  const post = await publish('Out, and not known to be')
  const restart = await publisherKilled
  expect(await panel()).not.toContain('It happens with the next post.')
  await vi.waitFor(async () => expect(await pageOf(channelId)).toContain('Out, and not known to be'), {
    timeout: 15_000,
  })
  const later = await publish('Due during the break')
  expect([await statusOf(post), await statusOf(later)]).toEqual(['PUBLISHING', 'SCHEDULED'])
  restart()
  await becomes(post, 'PUBLISHED')
  await becomes(later, 'PUBLISHED')
  const page = await pageOf(channelId)
  expect(page.split('Out, and not known to be')).toHaveLength(2)
  expect(page).not.toContain('received 2 times')
  await nextRound()
}, 60_000)

test('whenever it starts, its future posts are in the next four weeks, in shop hours', () => {
  const superpowerIds = { raffle: 'r', sizeGuide: 's' }
  for (let hour = 0; hour < 24 * 31; hour += 5) {
    const now = Date.parse('2028-02-15T00:30:00Z') + hour * 3_600_000
    const posts = demoPosts({
      pageId: 'p',
      instagramId: 'i',
      superpowerIds,
      now,
      mediaUrl: (name) => `http://m/${name}`,
    })
    const times = posts.flatMap(({ post, status }) =>
      post.scheduledFor ? [{ status, at: Date.parse(post.scheduledFor) }] : [],
    )
    for (const { status, at } of times) {
      const isPast = status === 'PUBLISHED' || status === 'FAILED'
      expect(at > now).toBe(!isPast)
      expect(Math.abs(at - now)).toBeLessThan(28 * 86_400_000)
      const hourThere = new Date(at - 3 * 3_600_000).getUTCHours()
      expect(hourThere).toBeGreaterThanOrEqual(8)
      expect(hourThere).toBeLessThan(20)
    }
  }
})

test('a later start finds its data, duplicates none of it, and connects the channels, even those of a version without page tokens', async () => {
  const { sandboxUrl, ...earlier } = JSON.parse(readFileSync(demoFile, 'utf8'))
  for (const channel of [earlier.channelId, earlier.largeChannelId]) {
    await run(['channels', 'disconnect-platform', earlier.organizationId, channel, '--yes'])
  }
  expect(await statusesOfChannels()).not.toContain('connected')
  const posts = await listPosts()
  const superpowers = await run(['superpowers', 'list'])
  await server!.close()
  writeFileSync(demoFile, JSON.stringify(earlier))
  await start()
  const { baseUrl, earlierBaseUrl, operatorUrl, ...later } = JSON.parse(readFileSync(demoFile, 'utf8'))
  expect({ ...earlier, ...later }).toEqual({ ...earlier, sandboxUrl: expect.stringMatching(/^http:/) })
  expect((await statusesOfChannels()).toSorted()).toEqual(['connected', 'connected', 'not-connected'])
  expect(await listPosts()).toEqual(posts)
  expect(await run(['superpowers', 'list'])).toBe(superpowers)
  expect(JSON.parse(await run(['organizations', 'list']))).toHaveLength(3)
}, 60_000)

test('its sandbox keeps its port, ten above its own, and takes another if that is in use; a log contains no link', async () => {
  await server!.close()
  server = undefined
  const port = await findPorts()
  const taken = createServer().listen(port, '127.0.0.1')
  await once(taken, 'listening')
  await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', syscall: 'listen' })
  taken.close()
  await once(taken, 'close')

  const printed = await start({ isSeen: false, port })
  expect(readDemo().sandboxUrl).toBe(`http://127.0.0.1:${port + 10}`)
  expect(printed).not.toContain('#sign-in=')
  expect(printed).toMatch(/Sign in .*npx greenroom demo-link/)
  await server!.close()

  const other = createServer().listen(port + 10, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const beside = await start({ port })
  const { sandboxUrl } = readDemo()
  expect(sandboxUrl).not.toBe(`http://127.0.0.1:${port + 10}`)
  expect(beside).toContain(
    `Port ${port + 10} is in use by another program, so the sandbox is at ${sandboxUrl} this time.`,
  )
}, 60_000)

/** Returns a free port. The port ten above is also free. */
async function findPorts(): Promise<number> {
  for (;;) {
    const first = createServer().listen(0, '127.0.0.1')
    await once(first, 'listening')
    const { port } = first.address() as AddressInfo
    const second = createServer().listen(Math.min(port + 10, 65_535), '127.0.0.1')
    const isFree = await once(second, 'listening').then(
      () => true,
      () => false,
    )
    for (const each of [first, second]) each.close()
    if (isFree && port + 10 < 65_535) return port
  }
}

test('a service refuses the data of the demo, and the demo that of a service, and neither changes it', async () => {
  await server!.close()
  server = undefined
  const env = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' }
  await expect(serve(readConfig(env))).rejects.toThrow(
    `The database at DATA_DIR ${dataDir} contains the made-up data of the demo: set another DATA_DIR.`,
  )
  const database = await openPglite({ dataDir })
  await database.query("update installation set purpose = 'service'")
  const count = async (from: Database) => (await from.query('select count(*) from organizations')).rows
  const before = await count(database)
  await database.close()
  writeFileSync(demoFile, '{}')
  await expect(start()).rejects.toThrow('contains the data of a service, which a demo would mix with made-up data')
  expect(readFileSync(demoFile, 'utf8')).toBe('{}')
  const again = await openPglite({ dataDir })
  expect(await count(again)).toEqual(before)
  await again.close()
}, 60_000)
