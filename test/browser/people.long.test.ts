import { beforeEach, describe, expect, test } from 'vitest'
import { Member } from '../harness.js'
import { insertPost } from '../posts.js'
import {
  announced,
  CHROMIUM,
  Desk,
  enter,
  expectAccessible,
  expectNarrow,
  noted,
  PHONE,
  rowOf,
  SOON,
  tabTo,
  typeText,
} from './console-page.js'

describe.skipIf(CHROMIUM === undefined)('people (needs chromium)', () => {
  const desk = new Desk()
  let admin: Member
  beforeEach(async () => {
    admin = await desk.member('ADMIN')
  })

  const nameOf = ({ id }: Member): string => `Person ${id}`
  const waiting = (channelId: string, caption: string): Promise<string> =>
    insertPost(desk.tenant, {
      status: 'WAITING_FOR_APPROVAL',
      scheduledFor: new Date('2026-12-01T10:00:00Z'),
      media: 'https://example.com/lanterns.jpg',
      mediaType: 'IMAGE',
      channels: [{ channelId, caption }],
    })

  test('a viewer gets the right to write and approve in one channel with only the keyboard, and sees it there', async () => {
    const viewer = await desk.member('VIEWER', false)
    const page = await desk.open('/settings/people', admin)
    await rowOf(page, 'People', viewer.mail).waitFor(SOON)
    await enter(page, `Roles in channels ${nameOf(viewer)}`)
    const dialog = page.getByRole('dialog', { name: `${nameOf(viewer)} has another role in some channels` })
    await dialog.getByText('No channels listed').waitFor(SOON)
    await tabTo(page, 'Channel')
    await page.keyboard.type('merc')
    await enter(page, 'Add')
    await tabTo(page, 'Approves posts in mercado.aurora')
    await page.keyboard.press('Space')
    await expectAccessible(page)
    await enter(page, 'Save')
    await announced(page, `${nameOf(viewer)}’s rights were changed. They apply at once.`)
    await rowOf(page, 'People', viewer.mail).getByText('another role in 1 channel').waitFor(SOON)

    await waiting(desk.instagram, 'Lanterns on Instagram')
    await waiting(desk.pageChannel, 'Lanterns on the page')
    const theirs = await desk.open('/posts/new', viewer)
    await theirs.getByRole('checkbox', { name: /mercado\.aurora/ }).waitFor(SOON)
    expect(await theirs.getByRole('checkbox', { name: /Mercado Aurora/ }).count()).toBe(0)
    await theirs.goto(`${desk.server.url}/o/${desk.tenant.organizationId}/approvals`)
    await theirs
      .getByRole('link', { name: /Lanterns on Instagram/ })
      .first()
      .click(SOON)
    await theirs.getByRole('button', { name: 'Approve', exact: true }).click(SOON)
    await noted(theirs, /^Approved/)
    await theirs.getByText('You can view this post but not approve or return it.').waitFor(SOON)
    expect(await theirs.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0)
  })

  test('channel roles are changed and removed on a phone, in dark mode', async () => {
    const editor = await desk.member('EDITOR', false)
    const path = `/organizations/${desk.tenant.organizationId}/members/${editor.id}`
    const channels = [{ channelId: desk.instagram, role: 'VIEWER', mayApprove: false }]
    await admin.call(200, 'PATCH', path, { body: { channels } })
    const phone = { viewport: PHONE, hasTouch: true, colorScheme: 'dark' } as const
    const page = await desk.open('/settings/people', admin, phone)
    await rowOf(page, 'People', editor.mail)
      .getByRole('button', { name: /^Roles in channels/ })
      .click(SOON)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Role in mercado.aurora').selectOption('Editor')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByLabel('Role in Mercado Aurora').selectOption('Viewer')
    await expectNarrow(page)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Remove mercado.aurora' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await announced(page, `${nameOf(editor)}’s rights were changed. They apply at once.`)
    const { body } = await admin.call(200, 'GET', `/organizations/${desk.tenant.organizationId}/members`)
    expect((body.items ?? body).find(({ id }: { id: string }) => id === editor.id)).toMatchObject({
      channels: [{ channelId: desk.pageChannel, role: 'VIEWER', mayApprove: false }],
    })
  })

  test('an owner deletes an account by typing its name with only the keyboard, and its history stays', async () => {
    const owner = await Member.create(desk.server.test, { owner: true })
    const leaver = await desk.member('EDITOR')
    const id = await insertPost(desk.tenant, { channels: [{ channelId: desk.pageChannel, caption: 'Lanterns' }] })
    await leaver.call(201, 'POST', `/organizations/${desk.tenant.organizationId}/scheduled-posts/${id}/discussion`, {
      body: { text: 'Bring the ladder' },
    })
    const page = await desk.open('/settings/server', owner)
    const row = rowOf(page, 'People with an account', leaver.mail)
    await row.waitFor(SOON)
    // The people of earlier tests come first.
    await row.getByRole('button').first().focus()
    await enter(page, /^Delete/)
    const dialog = page.getByRole('dialog', { name: `Delete ${nameOf(leaver)}?` })
    await dialog.getByText('can be invited again').waitFor(SOON)
    await expectAccessible(page)
    await typeText(page, 'Someone else')
    await page.keyboard.press('Enter')
    expect(await dialog.locator('input:invalid').count()).toBe(1)
    await page.keyboard.press('ControlOrMeta+A')
    await typeText(page, nameOf(leaver))
    await page.keyboard.press('Enter')
    await announced(page, `${nameOf(leaver)} was deleted.`)
    await row.waitFor({ state: 'detached', ...SOON })
    const post = await desk.open(`/posts/${id}`, admin, { viewport: PHONE })
    await post.getByText('Bring the ladder').waitFor(SOON)
    await post
      .getByText(/deleted account/i)
      .first()
      .waitFor(SOON)
    expect(await post.getByText(nameOf(leaver)).count()).toBe(0)
    await expectNarrow(post)
  })
})
