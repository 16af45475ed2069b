import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createNotifier } from '../../src/news/notifier.js'
import { type Member, operatorCall, type Tenant } from '../harness.js'
import { Sender } from '../inbox.js'
import { forgetMails, type MailServer, startMailServer } from '../mail-server.js'
import { insertPost, moveAsPublisher, publishable, readHistory } from '../posts.js'
import { ROOT } from '../recipes.js'
import { TEST_DATABASE_URL } from '../test-database.js'
import { CHROMIUM, Desk, drawn, expectAccessible, expectNarrow, openPage, rowOf, SOON, signIn } from './console-page.js'
import { startNamedServer } from './console-server.js'
import { Hands, type Means } from './hands.js'

/** The jobs, by their names in the table of docs/console.md. */
const JOBS = {
  write: 'Write a post for two channels, with a PNG for Instagram',
  plan: 'Plan a week from the calendar: a post on each of five days',
  repair: 'Repair a post that failed',
  worth: 'Find one of 1,000,000 people, and see what makes up their value',
  approver: 'Find out who approved a post from two months ago',
  key: 'Make a key with two permissions',
  decide: 'A client decides on ten posts through one link on a phone, and returns one of them',
  news: 'A writer learns within a minute that a post was returned, and why',
}

/** The embedded engine takes minutes for a million, and keeps them in memory. */
const PEOPLE = TEST_DATABASE_URL === undefined ? 50_000 : 1_000_000
const PEOPLE_AT_ONCE = 10_000
/** PostgreSQL takes more than a minute for a million. */
const FILL_MS = 600_000

/** The jobs that people do equally often with only the keyboard. */
const MEANS: Means[] = ['mouse', 'keyboard']

const MINUTE_MS = 60_000

/** Reads the number of actions of each job from the table in docs/console.md. */
function readTable(): Map<string, number> {
  const [, section = ''] = readFileSync(`${ROOT}docs/console.md`, 'utf8').split('\n## The jobs of a new user\n')
  const rows = section.split('\n## ')[0]!.matchAll(/^\| ([^|]+) \| (\d+) \|$/gm)
  return new Map([...rows].map(([, job, actions]) => [job!, Number(actions)]))
}

describe.skipIf(CHROMIUM === undefined)('the jobs of a new user (needs chromium)', () => {
  const mediaDir = mkdtempSync(join(tmpdir(), 'greenroom-jobs-'))
  let mails: MailServer
  beforeAll(async () => {
    mails = await startMailServer()
  })
  afterAll(async () => {
    await mails.close()
    rmSync(mediaDir, { recursive: true, force: true })
  })
  const desk = new Desk(
    () => ({ mail: { url: mails.url, from: 'Greenroom <greenroom@example.com>' }, media: { dir: mediaDir } }),
    startNamedServer,
  )
  const table = readTable()
  let tenant: Tenant
  let posts: string
  beforeEach(() => {
    ;({ tenant } = desk)
    posts = `/organizations/${tenant.organizationId}/scheduled-posts`
  })

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const inNavigation = (page: Page, name: string | RegExp) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
  const read = async (id: string) => (await tenant.get(200, `/scheduled-posts/${id}`)).body
  const statusOf = async (id: string): Promise<string> => (await read(id)).status

  /** Signs in, which does not count, and stays on the page that opens. */
  async function arrive(who: Member, means: Means = 'mouse', options: BrowserContextOptions = {}): Promise<Hands> {
    const page = await desk.keep(openPage(desk.browser, desk.server, '/', options))
    await signIn(page, who)
    await page.getByRole('heading', { name: 'Approvals' }).waitFor(SOON)
    return new Hands(page, means)
  }

  async function end({ page, actions }: Hands, job: string): Promise<void> {
    await expectAccessible(page)
    expect(actions, job).toBe(table.get(job))
  }

  const write = async (by: Member, caption: string, scheduledFor: string): Promise<string> => {
    const channels = { [desk.pageChannel]: { caption } }
    const { media } = publishable(desk.pageChannel)
    return (
      await by.call(201, 'POST', posts, { body: { status: 'WAITING_FOR_APPROVAL', scheduledFor, media, channels } })
    ).body.id
  }
  async function decide(by: Member, id: string, what: 'approve' | 'reject', body?: object): Promise<void> {
    const { headers } = await by.call(200, 'GET', `${posts}/${id}`)
    await by.call(200, 'POST', `${posts}/${id}/${what}`, { body, headers: { 'if-match': String(headers.etag) } })
  }

  test('are those of the table in docs/console.md', () => {
    expect([...table.keys()]).toEqual(Object.values(JOBS))
  })

  test.each(MEANS)('%s: write a post for two channels, with a PNG for Instagram', async (means) => {
    const hands = await arrive(await desk.member('EDITOR', false), means)
    const { page } = hands
    await hands.press(page.getByRole('link', { name: 'New post' }))
    await hands.press(page.getByRole('checkbox', { name: /^Mercado Aurora/ }))
    await hands.press(page.getByRole('checkbox', { name: /^mercado\.aurora/ }))
    await hands.fill(page.getByLabel('Text on Mercado Aurora'), 'Lanterns at eight')
    await hands.press(button(page, 'Use on all channels').first())
    const buffer = await drawn(page, 'image/png', 1080, 1350)
    await hands.chooseFile(button(page, 'Upload a file…'), { name: 'lanterns.png', mimeType: 'image/png', buffer })
    await page.getByText('It was converted to JPEG, which every channel accepts.').waitFor(SOON)
    await hands.fill(page.getByLabel('Date and time'), '2026-12-24T18:00')
    await hands.press(button(page, 'Ask for approval'))
    await page.waitForURL(/posts\/post_/)
    await page.getByText('Waiting for approval').first().waitFor(SOON)
    await end(hands, JOBS.write)
    const [, id = ''] = /posts\/(post_[\w-]+)/.exec(page.url()) ?? []
    const caption = 'Lanterns at eight'
    expect(await read(id)).toMatchObject({
      status: 'WAITING_FOR_APPROVAL',
      scheduledFor: '2026-12-24T17:00:00.000Z',
      mediumsData: { [desk.pageChannel]: { caption }, [desk.instagram]: { caption } },
    })
    const { items } = (await desk.operator(200, 'GET', '/media')).body
    expect(items).toMatchObject([{ url: (await read(id)).media, contentType: 'image/jpeg', width: 1080, height: 1350 }])
  })

  test('plan a week from the calendar: a post on each of five days', async () => {
    const editor = await desk.member('EDITOR', false)
    const hands = await arrive(editor)
    const { page } = hands
    const days = ['Monday 23', 'Tuesday 24', 'Wednesday 25', 'Thursday 26', 'Friday 27']
    await hands.press(inNavigation(page, 'Calendar'))
    await hands.choose(page.getByLabel('Channel'), 'Mercado Aurora (Facebook page)')
    for (const day of days) {
      await hands.press(page.getByRole('gridcell', { name: new RegExp(`^${day} November`) }))
      await hands.fill(page.getByLabel('Text on Mercado Aurora'), `Bread of ${day}`)
      await hands.press(button(page, 'Save as draft'))
      await page.getByRole('link', { name: new RegExp(`Bread of ${day}`) }).waitFor(SOON)
    }
    await end(hands, JOBS.plan)
    const { items } = (await editor.call(200, 'GET', posts)).body
    expect(items.map((post: { scheduledFor: string }) => post.scheduledFor).toSorted()).toEqual(
      [23, 24, 25, 26, 27].map((day) => `2026-11-${day}T09:00:00.000Z`),
    )
    for (const { mediumsData } of items) expect(Object.keys(mediumsData)).toEqual([desk.pageChannel])
  })

  test.each(MEANS)('%s: repair a failed post', async (means) => {
    const id = await insertPost(tenant, {
      ...publishable(desk.pageChannel),
      status: 'SCHEDULED',
      scheduledFor: new Date('2026-11-20T08:59:00Z'),
    })
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finishWithFailure')
    const hands = await arrive(await desk.member('EDITOR'), means)
    const { page } = hands
    await hands.press(page.getByRole('link', { name: 'See why' }))
    await page.getByText('Mercado Aurora: Refused').first().waitFor(SOON)
    await hands.press(page.getByRole('link', { name: 'Summer is here' }).first())
    await hands.press(button(page, 'Try again now'))
    await page.getByText('Approved and scheduled.').waitFor(SOON)
    await end(hands, JOBS.repair)
    expect(await statusOf(id)).toBe('SCHEDULED')
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finish')
    expect(await statusOf(id)).toBe('PUBLISHED')
  })

  /** Many people, one of whom has an imported value and purchases since. */
  async function fillAudience(): Promise<void> {
    const { test: app } = desk.server
    await desk.operator(200, 'PATCH', '', { currency: 'EUR' })
    const workspaceId = await tenant.workspace('VIP')
    await desk.operator(200, 'PUT', `/workspaces/${workspaceId}/channels/${desk.pageChannel}`)
    for (let from = 1; from < PEOPLE; from += PEOPLE_AT_ONCE) {
      await tenant.changeAudience(
        desk.pageChannel,
        `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, first_name, last_name, lifetime_value)
         select $1, $2, 't_' || 10000000 + n, 'cu_' || 10000000 + n, 'user.' || n, 'First' || n % 997, 'Last' || n % 4999, n % 1000
           from generate_series($3::int, $4::int) n`,
        [from, Math.min(from + PEOPLE_AT_ONCE, PEOPLE) - 1],
      )
    }
    const shop = await Sender.create(app, 'EVENTS', { tenant })
    const ada = { conversationId: 'ada', cuid: 'cu_ada', firstName: 'Ada', lastName: 'Żółkiewska', lifetimeValue: 100 }
    const channel = `/organizations/${tenant.organizationId}/channels/${desk.pageChannel}`
    await operatorCall(app, 200, 'POST', `${channel}/conversations`, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: JSON.stringify(ada),
    })
    expect(await tenant.countConversations()).toBe(PEOPLE)
    app.clock.advance(10 * MINUTE_MS)
    await shop.track({
      ...{ type: 'track', event: 'Order Completed', userId: 'cu_ada', messageId: 'm1' },
      ...{ timestamp: '2026-11-20T09:05:00Z', properties: { order_id: 'o1', total: 12.5, currency: 'EUR' } },
    })
  }

  test('find a person among many, and explain their value', { timeout: FILL_MS }, async () => {
    await fillAudience()
    const hands = await arrive(await desk.member('VIEWER', false))
    const { page } = hands
    await hands.press(inNavigation(page, 'Audience'))
    await hands.fill(page.getByLabel('Find a person'), 'żółk')
    const found = page.getByRole('list', { name: 'People found' })
    await found.getByText('cu_ada · Mercado Aurora').waitFor(SOON)
    await hands.press(found.getByRole('button', { name: 'Ada Żółkiewska' }))
    await page.getByRole('heading', { name: 'Person Ada Żółkiewska' }).waitFor(SOON)
    const conversation = page.getByRole('list', { name: 'Conversations' })
    await conversation.getByText('Lifetime value 112.5 EUR').waitFor(SOON)
    await conversation.getByText('100 as of 20 Nov 2026 + 12.5 bought').waitFor(SOON)
    const purchase = rowOf(page, 'Purchases', '12.5 EUR')
    await purchase.getByText('counted', { exact: true }).waitFor(SOON)
    await end(hands, JOBS.worth)
    const person = (await desk.operator(200, 'GET', '/people/cu_ada')).body
    expect(person.conversations).toMatchObject([
      { lifetimeValue: 112.5, opening: { amount: '100' }, purchased: '12.5', refunded: '0' },
    ])
  })

  test.each(MEANS)('%s: find out who approved a post two months ago', async (means) => {
    const { clock } = desk.server.test
    clock.set('2026-09-20T09:00:00Z')
    const approver = await desk.member('VIEWER')
    const id = await write(await desk.member('EDITOR', false), 'The first quinces', '2026-09-24T09:00:00Z')
    await decide(approver, id, 'approve')
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finish')
    clock.set('2026-11-20T09:00:00Z')
    const hands = await arrive(await desk.member('VIEWER', false), means)
    const { page } = hands
    await hands.press(inNavigation(page, 'Calendar'))
    await hands.fill(page.getByRole('searchbox', { name: 'Search texts and notes' }), 'quinces')
    await hands.press(page.getByRole('link', { name: /The first quinces/ }))
    await page.getByText(`Person ${approver.id} approved it`).waitFor(SOON)
    await end(hands, JOBS.approver)
    const approval = (await readHistory(tenant, id)).find(({ action }) => action === 'approved')
    expect(approval).toMatchObject({ actor: `user:${approver.id}` })
  })

  test.each(MEANS)('%s: issue a key with two permissions', async (means) => {
    const hands = await arrive(await desk.member('ADMIN', false), means)
    const { page } = hands
    await hands.press(inNavigation(page, 'Settings'))
    await hands.press(page.getByRole('link', { name: 'Keys', exact: true }))
    await hands.press(button(page, 'New key'))
    await hands.fill(page.getByLabel('Name'), 'Till')
    await hands.press(page.getByRole('checkbox', { name: 'See channels' }))
    await hands.press(page.getByRole('checkbox', { name: 'Read posts' }))
    await hands.press(button(page, 'Issue'))
    const [id, secret] = [
      await page.getByLabel('Key ID').inputValue(SOON),
      await page.getByLabel('Secret', { exact: true }).inputValue(),
    ]
    await hands.press(button(page, 'I have it'))
    await page.getByText('Permissions: see channels and read posts').waitFor(SOON)
    await end(hands, JOBS.key)
    const till = tenant.withKey({ id, secret })
    await till.get(200, '/scheduled-posts')
    await till.get(403, '/superpowers')
    const { body: keys } = await desk.operator(200, 'GET', '/keys')
    expect(keys.find((key: { id: string }) => key.id === id).permissions).toEqual(['channels:read', 'posts:read'])
  })

  test('a client decides about ten posts with one link on a phone, and returns one of them', async () => {
    const ids: string[] = []
    const writer = await desk.member('EDITOR', false)
    for (let day = 10; day < 20; day += 1) ids.push(await write(writer, `Post of ${day}`, `2026-12-${day}T09:00:00Z`))
    const approver = await desk.member('VIEWER')
    const made = await approver.call(201, 'POST', `/organizations/${tenant.organizationId}/review-links`, {
      body: { name: 'Anna', scheduledPostIds: ids },
    })
    const phone = { viewport: { width: 375, height: 740 }, hasTouch: true }
    const page = await desk.keep(openPage(desk.browser, desk.server, '/healthz', phone))
    const hands = new Hands(page, 'touch')
    await hands.open(desk.server.url + made.body.path)
    await hands.press(button(page, 'Open the posts'))
    for (let at = 1; at <= 10; at += 1) {
      await page.locator('.outside-progress').getByText(`${at} of 10`, { exact: true }).waitFor(SOON)
      await expectNarrow(page)
      if (at !== 4) await hands.press(button(page, 'Approve'))
      else {
        await hands.press(button(page, 'Return…'))
        await hands.fill(page.getByLabel('What should change?'), 'Another picture, please.')
        await hands.press(button(page, 'Return'))
      }
    }
    await page.getByText('You approved 9 posts and returned 1.').waitFor(SOON)
    await expectNarrow(page)
    await end(hands, JOBS.decide)
    expect(await Promise.all(ids.map(statusOf))).toEqual(ids.map((_, at) => (at === 3 ? 'REJECTED' : 'SCHEDULED')))
    expect((await readHistory(tenant, ids[3]!)).at(-1)).toMatchObject({
      detail: { notes: 'Another picture, please.', outsider: { name: 'Anna' } },
    })
  })

  test('a writer learns within a minute that a post was returned, and why', async () => {
    const { context, clock } = desk.server.test
    await forgetMails(context.database)
    const writer = await desk.member('EDITOR', false)
    const id = await write(writer, 'Bread at eight', '2026-12-01T09:00:00Z')
    const hands = await arrive(writer)
    const { page } = hands
    await decide(await desk.member('VIEWER'), id, 'reject', { notes: 'The price is wrong: it is 3.50 now.' })
    await inNavigation(page, /^Inbox 1/).waitFor(SOON)
    expect(await page.title()).toBe('(1) Approvals · Greenroom')
    await hands.press(inNavigation(page, /^Inbox/))
    const news = page.getByRole('list', { name: 'News about your posts' })
    await news.getByText('The price is wrong: it is 3.50 now.').waitFor(SOON)
    await end(hands, JOBS.news)
    // A writer who is not at the console reads the same in an email.
    const mine = () => mails.mails.filter(({ to }) => to.includes(writer.mail))
    for (let passedMs = 0; passedMs < MINUTE_MS && mine().length === 0; passedMs += 5_000) {
      clock.advance(5_000)
      await createNotifier(context, { jitter: (ms) => ms }).tick()
    }
    const [mail, ...others] = mine()
    expect(others).toEqual([])
    expect(mail?.source).toMatch(/^Subject: Your post was returned/m)
    expect(mail?.source).toContain('> The price is wrong: it is 3.50 now.')
    expect(mail?.source).toContain(`${desk.server.url}/o/${tenant.organizationId}/posts/${id}\r\n`)
    expect(await statusOf(id)).toBe('REJECTED')
  })
})
