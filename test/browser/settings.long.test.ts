import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { insertMembership } from '../../src/access/people/memberships.store.js'
import { beginSession } from '../../src/access/sessions/session.js'
import { createNotifier } from '../../src/news/notifier.js'
import { ACCESS_TOKEN, AD_ACCOUNT_ID, makeAccount } from '../graph-harness.js'
import { Member, operatorCall, Tenant, TestClock } from '../harness.js'
import { jpeg } from '../media.js'
import { insertPost, publishable } from '../posts.js'
import { isSignedBy, startReceiver } from '../webhook-receiver.js'
import {
  announced,
  CHROMIUM,
  Desk,
  dialogGone,
  enter,
  expectAccessible,
  expectNarrow,
  HOSTILE,
  openPage,
  PHONE,
  rowOf,
  SOON,
  tabTo,
  typeInto,
  typeText,
} from './console-page.js'

describe.skipIf(CHROMIUM === undefined)('settings and the editor with only the keyboard (needs chromium)', () => {
  let sandbox: Sandbox
  let mediaDir: string
  let admin: Member

  beforeAll(async () => {
    mediaDir = mkdtempSync(join(tmpdir(), 'greenroom-settings-'))
    const model = { tokens: { [ACCESS_TOKEN]: [AD_ACCOUNT_ID] }, adAccounts: [makeAccount({ campaigns: [] })] }
    sandbox = await startSandbox({ model, clock: new TestClock() })
  })
  const desk = new Desk(() => ({
    graph: { baseUrl: sandbox.url },
    media: { dir: mediaDir },
    http: { publicUrl: 'http://127.0.0.1' },
    webhooks: { allowsPrivate: true },
  }))
  beforeEach(async () => {
    admin = await desk.member('ADMIN')
  })
  afterAll(async () => {
    await sandbox?.close()
    rmSync(mediaDir, { recursive: true, force: true })
  })

  test('the organization gets a name and a time zone', async () => {
    const page = await desk.open('/settings', admin)
    await page.getByLabel('Name').waitFor(SOON)
    await typeInto(page, 'Name', 'Market')
    await tabTo(page, 'Time zone')
    await page.keyboard.press('Home')
    await enter(page, 'Save')
    await announced(page, 'Saved.')
    await page.getByText('Times are in Africa/Abidjan').waitFor(SOON)
    const { organizations } = (await admin.call(200, 'GET', '/me')).body
    expect(organizations).toMatchObject([{ name: 'Market', timeZone: 'Africa/Abidjan' }])
  })

  test('a channel is added, connected, named, put into a workspace and removed, and deleted', async () => {
    await desk.operator(201, 'POST', '/workspaces', { name: 'VIPs', type: 'VIP' })
    const page = await desk.open('/settings/channels', admin)
    await rowOf(page, 'Channels', 'Mercado Aurora').waitFor(SOON)
    await enter(page, 'Add a channel')
    await typeInto(page, 'Platform ID', '31415')
    await typeInto(page, 'Name', `Corner ${HOSTILE}`)
    await enter(page, 'Add')
    const row = rowOf(page, 'Channels', 'FB_PAGE_31415')
    await row.waitFor(SOON)
    await dialogGone(page)

    await enter(page, /^Rename Corner/)
    await page.locator('input:focus').waitFor(SOON)
    await page.keyboard.press('ControlOrMeta+A')
    await typeText(page, 'Corner')
    await enter(page, 'Rename')
    await row.locator('strong', { hasText: /^Corner$/ }).waitFor(SOON)
    await dialogGone(page)
    await enter(page, 'Connect Corner')
    await typeText(page, 'a token of no one')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('alert').waitFor(SOON)
    await page.keyboard.press('Escape')
    await dialogGone(page)

    // This is the channel's checkbox, the last of them.
    await row.getByLabel('VIPs').focus()
    await page.keyboard.press('Space')
    await announced(page, 'Corner is in VIPs now.')
    await expect.poll(() => row.getByLabel('VIPs').isChecked(), SOON).toBe(true)
    await page.keyboard.press('Space')
    const takeOut = page.getByRole('dialog', { name: 'Remove Corner from VIPs?' })
    await takeOut.waitFor(SOON)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await takeOut.waitFor({ state: 'detached' })
    expect(await row.getByLabel('VIPs').isChecked()).toBe(true)
    await page.keyboard.press('Space')
    await enter(page, 'Remove from the workspace')
    await announced(page, 'Corner is no longer in VIPs.')
    await dialogGone(page)

    await enter(page, 'Delete Corner')
    const dialog = page.getByRole('dialog', { name: 'Delete Corner?' })
    await dialog.waitFor(SOON)
    await expectAccessible(page)
    await typeText(page, 'Cornet')
    await page.keyboard.press('Enter')
    // The browser reports that it is another name.
    expect(await page.evaluate('document.activeElement.validationMessage')).toBe('This is not its name.')
    await page.keyboard.press('Backspace')
    await typeText(page, 'r')
    await page.keyboard.press('Enter')
    await announced(page, 'Corner was deleted.')
    await row.waitFor({ state: 'detached', ...SOON })
    await enter(page, 'Delete VIPs')
    await typeText(page, 'VIPs')
    await page.keyboard.press('Enter')
    await announced(page, 'VIPs was deleted.')
    expect((await desk.operator(200, 'GET', '/workspaces')).body).toEqual([])
  })

  test('a channel with posts about to be published is deleted once the person accepts that they fail', async () => {
    await desk.tenant.conversations(desk.pageChannel, [{ id: 't_1' }, { id: 't_2' }])
    const post = await insertPost(desk.tenant, {
      ...publishable(desk.pageChannel),
      status: 'SCHEDULED',
      scheduledFor: new Date('2026-12-01T10:00:00Z'),
      channels: [{ channelId: desk.pageChannel, caption: 'Lanterns' }],
    })
    const page = await desk.open('/settings/channels', admin, { viewport: PHONE, hasTouch: true })
    await page.getByRole('button', { name: 'Delete Mercado Aurora' }).tap(SOON)
    const dialog = page.getByRole('dialog', { name: 'Delete Mercado Aurora?' })
    await dialog.getByLabel(/type its name/).fill('Mercado Aurora')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).tap()
    await dialog.getByText('Posts are about to be published there.').waitFor(SOON)
    await expectNarrow(page)
    await expectAccessible(page)
    await dialog.getByLabel(/Delete it anyway/).check()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).tap()
    await announced(page, 'Mercado Aurora was deleted.')
    expect((await desk.operator(200, 'GET', '/channels')).body).toMatchObject([{ id: desk.instagram }])
    expect((await desk.tenant.get(200, `/scheduled-posts/${post}`)).body.status).toBe('FAILED')
  })

  test('an ad account is added, connected and disconnected', async () => {
    const page = await desk.open('/settings/ad-accounts', admin)
    await page.getByText('No ad accounts yet').waitFor(SOON)
    await enter(page, 'Add an ad account')
    await typeText(page, AD_ACCOUNT_ID)
    await typeInto(page, 'Name', 'Shop')
    await typeInto(page, 'Currency', 'eur')
    await enter(page, 'Add')
    const row = rowOf(page, 'Ad accounts', 'Shop')
    await row.getByText('Not connected').waitFor(SOON)
    await dialogGone(page)
    await enter(page, 'Connect Shop')
    await typeText(page, ACCESS_TOKEN)
    await page.keyboard.press('Enter')
    await row.getByText('Connected', { exact: true }).waitFor(SOON)
    await dialogGone(page)
    await enter(page, 'Disconnect Shop')
    await enter(page, 'Disconnect')
    await row.getByText('Not connected').waitFor(SOON)
  })

  test('a key is issued, rotated and revoked', async () => {
    const page = await desk.open('/settings/keys', admin)
    await page.getByRole('button', { name: 'New key' }).waitFor(SOON)
    await enter(page, 'New key')
    await typeText(page, 'Warehouse')
    // A key without permissions is refused in words.
    await enter(page, 'Issue')
    await page.getByRole('dialog').getByText('Choose at least one permission.').waitFor(SOON)
    await tabTo(page, 'Read settings')
    await page.keyboard.press('Space')
    await enter(page, 'Issue')
    await page.getByRole('dialog', { name: 'The key is ready' }).waitFor(SOON)
    await enter(page, 'I have it')
    const rows = rowOf(page, 'Keys', 'Warehouse')
    await rows.waitFor(SOON)
    await dialogGone(page)
    await enter(page, 'Rotate Warehouse')
    await enter(page, 'Issue')
    await enter(page, 'I have it')
    await dialogGone(page)
    await expect.poll(() => rows.count(), SOON).toBe(2)
    await enter(page, 'Revoke Warehouse')
    await enter(page, 'Revoke')
    await announced(page, 'Revoked.')
    await expect.poll(() => rows.count(), SOON).toBe(1)
  })

  test('a webhook is added and tested, gets an event again and a new secret, is removed, and fits a phone', async () => {
    const { context } = desk.server.test
    const receiver = await startReceiver()
    const deliver = (): Promise<void> => createNotifier(context, { jitter: (ms) => ms }).tick()
    const page = await desk.open('/settings/webhooks', admin)
    await page.getByText('No webhooks yet').waitFor(SOON)
    await expectAccessible(page)
    await enter(page, 'Add a webhook')
    await typeText(page, 'https://user:password@example.com/')
    await enter(page, 'Add')
    await page
      .getByRole('dialog')
      .getByRole('alert')
      .getByText(/no password/)
      .waitFor(SOON)
    await typeInto(page, 'Address', receiver.url)
    await enter(page, 'Add')
    const ready = page.getByRole('dialog', { name: 'The webhook is ready' })
    const secret = await ready.getByLabel('Secret').inputValue(SOON)
    await enter(page, 'I have it')
    await dialogGone(page)
    expect(await page.content()).not.toContain(secret)

    receiver.answerWith((response) => void response.writeHead(500).end())
    await enter(page, 'Send a test')
    await announced(page, 'A test is on its way.')
    const row = rowOf(page, 'Deliveries', 'A test')
    await row.getByText('On its way').waitFor(SOON)
    // The revision is known again; it does not cover deliveries.
    await page.waitForResponse((response) => /revision$/.test(response.url()) && response.status() === 304, SOON)
    await deliver()
    expect(isSignedBy(secret, receiver.received[0]!)).toBe(true)
    await row.getByText(/^It answered 500\. It is sent again/).waitFor(SOON)
    receiver.answerWith((response) => void response.writeHead(204).end())
    desk.server.test.clock.advance(10_000)
    await deliver()
    // The revision does not cover deliveries; a change of the settings makes the page read at once.
    const [hook] = (await desk.operator(200, 'GET', '/webhooks')).body
    await desk.operator(200, 'PATCH', `/webhooks/${hook.id}`, { events: ['post.failed'] })
    await row.getByText('Delivered on attempt 2', { exact: true }).waitFor(SOON)
    await page.getByRole('button', { name: 'Send again' }).waitFor(SOON)
    await enter(page, 'Send again')
    await announced(page, 'It is on its way again.')
    await deliver()
    await row.getByText('Delivered', { exact: true }).waitFor(SOON)

    await enter(page, 'Replace the secret')
    await enter(page, 'Replace the secret')
    await enter(page, 'I have it')
    await page.getByText(/the previous secret also signs until/).waitFor(SOON)
    await dialogGone(page)
    await expectAccessible(page)
    const phone = await desk.open('/settings/webhooks', admin, { viewport: PHONE, hasTouch: true })
    await rowOf(phone, 'Deliveries', 'A test').waitFor(SOON)
    await expectNarrow(phone)
    await expectAccessible(phone)
    await enter(page, 'Remove')
    await enter(page, 'Remove')
    await announced(page, `${new URL(receiver.url).host} was removed.`)
    await page.getByText('No webhooks yet').waitFor(SOON)
    await receiver.close()

    const activity = await desk.open('/activity', admin)
    await activity.locator('.trail-list').getByText('removed the webhook').first().waitFor(SOON)
    await activity.locator('.trail-list').getByText('sent a test to the webhook').waitFor()
  })

  test('people change their own password, end another session, and end all of them', async () => {
    const { context, clock } = desk.server.test
    await context.database.transaction((tx) =>
      beginSession(tx, admin.id, { method: 'password', headers: {}, ip: '127.0.0.1', now: new Date(clock.now()) }),
    )
    const page = await desk.open('/settings/account', admin)
    await page.getByRole('button', { name: /^End/ }).waitFor(SOON)
    await enter(page, /^End/)
    await announced(page, 'The session has ended.')
    await enter(page, 'Change password')
    await typeInto(page, 'Current password', Member.PASSWORD)
    await typeInto(page, 'New password', 'other words of the tests')
    await page.keyboard.press('Enter')
    await announced(page, 'Your password was changed. You are signed out on your other devices.')
    await dialogGone(page)
    await enter(page, 'Sign out on all devices')
    await page.getByRole('button', { name: 'Sign in' }).waitFor(SOON)
  })

  test('an owner adds an organization, issues a token and invites another owner, also on a phone', async () => {
    const owner = await Member.create(desk.server.test, { owner: true })
    const page = await desk.open('/settings/server', owner)
    await page.getByRole('button', { name: 'Add an organization' }).waitFor(SOON)
    await enter(page, 'New operator token')
    const token = desk.tenant.organizationId.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
    await typeText(page, token)
    await enter(page, 'Issue')
    await page.getByLabel('Operator token', { exact: true }).waitFor(SOON)
    await enter(page, 'I have it')
    await dialogGone(page)
    await page.getByRole('button', { name: `Revoke ${token}` }).waitFor(SOON)
    await enter(page, `Revoke ${token}`)
    await enter(page, 'Revoke')
    await announced(page, 'Revoked.')
    await dialogGone(page)
    await enter(page, 'Invite an owner')
    expect(await page.getByLabel('Link', { exact: true }).inputValue(SOON)).toContain('/#invitation=')
    await enter(page, 'I have it')
    await dialogGone(page)
    const name = `New ${desk.tenant.organizationId}`
    await enter(page, 'Add an organization')
    await typeText(page, name)
    await page.keyboard.press('Enter')
    await rowOf(page, 'Organizations', name).waitFor(SOON)
    await dialogGone(page)

    const phone = await desk.open('/settings/server', owner, { viewport: PHONE, hasTouch: true })
    await rowOf(phone, 'Organizations', name).waitFor(SOON)
    await expectNarrow(phone)
    await expectAccessible(phone)
  })

  test('a file is uploaded in a post, and on a phone', async () => {
    const id = await insertPost(desk.tenant, { channels: [{ channelId: desk.pageChannel, caption: 'Lanterns' }] })
    const page = await desk.open(`/posts/${id}`, await desk.member())
    const file = { name: 'lanterns.jpg', mimeType: 'image/jpeg', buffer: jpeg(1080, 1080) }
    await page.getByRole('button', { name: 'Upload a file…' }).waitFor(SOON)
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), enter(page, 'Upload a file…')])
    await chooser.setFiles(file)
    await announced(page, 'lanterns.jpg is uploaded.')
    await enter(page, /^Save$/)
    await announced(page, 'Saved.')
    expect((await desk.tenant.get(200, `/scheduled-posts/${id}`)).body.media).toMatch(/\/media\/.*\.jpg$/)

    const phone = await desk.open('/posts/new', await desk.member(), { viewport: PHONE, hasTouch: true })
    await phone.getByRole('button', { name: 'Upload a file…' }).waitFor(SOON)
    const [sheet] = await Promise.all([
      phone.waitForEvent('filechooser'),
      phone.getByRole('button', { name: 'Upload a file…' }).tap(),
    ])
    await sheet.setFiles({ ...file, name: `${'long'.repeat(30)}.jpg` })
    await announced(phone, /is uploaded/)
    await expectNarrow(phone)
    await expectAccessible(phone)
  })

  test('a superpower is written, saved for others, changed and deleted', async () => {
    const id = await insertPost(desk.tenant, { channels: [{ channelId: desk.pageChannel, caption: 'Lanterns' }] })
    const page = await desk.open(`/posts/${id}`, await desk.member())
    const preview = page.getByLabel('Preview')
    await page.getByRole('button', { name: /^Create one…/ }).waitFor(SOON)
    await enter(page, /^Create one…/)
    await typeInto(page, 'Name', 'Raffle')
    await typeInto(page, 'Hashtag', '#lantern')
    await tabTo(page, 'When someone')
    await typeText(page, 'comments')
    await typeInto(page, 'With one of these words', 'me')
    await typeInto(page, 'Reply in public', 'Good luck!')
    await tabTo(page, 'Like what they wrote')
    await page.keyboard.press('Space')
    await enter(page, 'Edit as JSON')
    await tabTo(page, 'Edit as JSON')
    const json = page.getByRole('dialog').getByRole('textbox', { name: 'Edit as JSON' })
    expect(JSON.parse(await json.inputValue())).toMatchObject({ hashtag: '#lantern' })
    await enter(page, 'Save for other posts')
    await announced(page, /^Raffle was saved/)
    await preview.getByText('Its hashtag is #lantern.').waitFor(SOON)
    await dialogGone(page)

    await enter(page, /^Edit…/)
    await typeInto(page, 'Hashtag', '#light')
    await enter(page, 'Use in this post')
    await preview.getByText('Its hashtag is #light.').waitFor(SOON)
    await dialogGone(page)
    await enter(page, /^Save$/)
    await announced(page, 'Saved.')
    const { mediumsData } = (await desk.tenant.get(200, `/scheduled-posts/${id}`)).body
    expect(mediumsData[desk.pageChannel].superpower).toMatchObject({ hashtag: '#light' })

    await tabTo(page, 'Superpower on Mercado Aurora')
    await typeText(page, 'Raffle')
    await preview.getByText('Its hashtag is #lantern.').waitFor(SOON)
    await enter(page, /^Edit…/)
    await enter(page, 'Delete')
    await enter(page, 'Delete')
    await announced(page, /was deleted/)
    expect((await desk.operator(200, 'GET', '/superpowers')).body.items).toEqual([])
  })

  test('the start leads to an active organization', async () => {
    const { server, browser, tenant } = desk
    const { organizationId } = await Tenant.create(server.test)
    await operatorCall(server.test, 200, 'PATCH', `/organizations/${organizationId}`, {
      body: { name: 'A company that left', active: false },
    })
    await desk.operator(200, 'PATCH', '', { name: 'Market' })
    const rights = { role: 'VIEWER', mayApprove: false, at: new Date(server.test.clock.now()) } as const
    await server.test.context.database.transaction((tx) =>
      insertMembership(tx, { organizationId, personId: admin.id, ...rights }),
    )
    const page = await desk.keep(openPage(browser, server, '/', {}, admin.cookie))
    await page.waitForURL(new RegExp(`/o/${tenant.organizationId}/approvals`), SOON)
    await page.getByRole('button', { name: 'Organization: Market' }).waitFor(SOON)
  })
})
