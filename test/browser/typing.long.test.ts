import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ElementHandle, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Member } from '../harness.js'
import { insertPost, publishable } from '../posts.js'
import { CHROMIUM, comeBack, Desk, SOON } from './console-page.js'

/** The values for fields that do not accept a sentence. */
const TYPED: Record<string, string> = {
  'datetime-local': '2026-12-24T10:00',
  date: '2026-12-24',
  email: 'someone@example.com',
  number: '7',
}

type Field = ElementHandle<{ value: string; type: string; isConnected: boolean; matches(selector: string): boolean }>

/** Types into every field of the open dialog or, without one, of the page; the last field has the focus. */
async function typeEverywhere(page: Page): Promise<Field[]> {
  const dialog = page.locator('dialog[open]')
  const root = (await dialog.count()) > 0 ? dialog : page.getByRole('main')
  const fields: Field[] = []
  for (const field of await root.locator('input:visible, textarea:visible').all()) {
    const type = (await field.getAttribute('type')) ?? 'text'
    if (['checkbox', 'radio', 'file'].includes(type) || !(await field.isEditable())) continue
    await field.fill(TYPED[type] ?? 'Half a sent')
    fields.push((await field.elementHandle()) as Field)
  }
  return fields
}

const read = (fields: Field[]) =>
  Promise.all(fields.map((field) => field.evaluate((element) => (element.isConnected ? element.value : 'gone'))))

describe.skipIf(CHROMIUM === undefined)('typed text stays (needs chromium)', () => {
  let mediaDir: string
  beforeAll(() => {
    mediaDir = mkdtempSync(join(tmpdir(), 'greenroom-typing-'))
  })
  afterAll(() => rmSync(mediaDir, { recursive: true, force: true }))
  const desk = new Desk(() => ({ media: { dir: mediaDir }, http: { publicUrl: 'http://127.0.0.1' } }))

  test.each<[path: string, button: RegExp | 'itself']>([
    ['/settings', 'itself'],
    ['/settings/people', /^Invite/],
    ['/settings/channels', /^Add a channel/],
    ['/settings/channels', /^Rename Mercado/],
    ['/settings/channels', /^Delete Mercado/],
    ['/settings/ad-accounts', /^Add/],
    ['/settings/keys', /^New key/],
    ['/settings/webhooks', /^Add/],
    ['/settings/account', /password/],
    ['/settings/server', /^Add an organization/],
    ['/settings/server', /token/],
    ['/posts/new', 'itself'],
    ['/posts/new', /^Create one…/],
    ['/posts/ID', 'itself'],
    ['/posts/ID', /^Create one…/],
    ['/approvals?post=ID', /^Return…/],
  ])('at %s %s while others change things and the page polls', async (path, button) => {
    const { server, tenant, pageChannel } = desk
    const waiting = {
      ...publishable(pageChannel),
      status: 'WAITING_FOR_APPROVAL' as const,
      scheduledFor: new Date('2026-12-01T10:00:00Z'),
      channels: [{ channelId: pageChannel, caption: 'The first' }],
    }
    const id = await insertPost(tenant, waiting)
    const isServer = path === '/settings/server'
    const who = isServer ? await Member.create(server.test, { owner: true }) : await desk.member('ADMIN')
    const page = await desk.open(path.replace('ID', id), who)
    if (path === '/posts/new') await page.getByRole('checkbox', { name: /Mercado Aurora/ }).check(SOON)
    if (button === 'itself') await page.getByRole('main').locator('input').first().waitFor(SOON)
    else {
      await page.getByRole('main').getByRole('button', { name: button }).first().click(SOON)
      await page.getByRole('dialog').waitFor()
    }
    const fields = await typeEverywhere(page)
    const typed = await read(fields)
    expect(typed.length).toBeGreaterThan(0)
    expect(typed).not.toContain('')

    await desk.operator(200, 'PATCH', '', { name: 'Called otherwise' })
    await desk.operator(201, 'POST', '/workspaces', { name: 'Second', type: 'VIP' })
    await tenant.channel([], 'FB_PAGE', 'Newcomer')
    await insertPost(tenant, { ...waiting, scheduledFor: new Date('2026-11-30T10:00:00Z') })
    const looked = page.waitForResponse(`${server.url}/api/me`)
    await comeBack(page)
    await looked
    await page
      .getByText('Called otherwise')
      .first()
      .waitFor({ state: isServer ? 'attached' : 'visible', ...SOON })
    expect(await read(fields)).toEqual(typed)
    const last = fields.at(-1)
    expect(await page.evaluate((field) => field?.matches(':focus'), last)).toBe(true)
  })
})
