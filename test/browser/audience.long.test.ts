import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Member, Tenant } from '../harness.js'
import { announced, CHROMIUM, Desk, expectAccessible, expectNarrow, PHONE, SOON, tabTo } from './console-page.js'

describe.skipIf(CHROMIUM === undefined)('the audience in the console (needs chromium)', () => {
  const desk = new Desk()
  let tenant: Tenant
  let channelId: string
  let workspaceId: string
  let admin: Member
  beforeEach(async () => {
    ;({ tenant, pageChannel: channelId } = desk)
    admin = await desk.member('ADMIN')
    workspaceId = await tenant.workspace('VIP', 'Regulars')
    await tenant.changeAudience(
      channelId,
      'insert into workspace_channels (organization_id, channel_id, workspace_id) values ($1, $2, $3)',
      [workspaceId],
    )
    await desk.operator(200, 'PATCH', '', { currency: 'EUR' })
    await tenant.conversations(channelId, [
      { id: 'a', user_name: 'zoë 🌸', birthday: '--11-22', lifetime_value: 1900.5 },
      { id: 'b', user_name: 'Émile', birthday: '1990-12-25', lifetime_value: 800 },
      { id: 'c', user_name: 'dora', lifetime_value: 700 },
      { id: 'd', user_name: 'eva', birthday: '--02-29', lifetime_value: 10 },
    ])
  })
  const names = (page: Page): Promise<string[]> => page.locator('tbody .person-name bdi:first-child').allInnerTexts()
  const vips = async (): Promise<string[]> => {
    const sql = 'select conversation_id from vip_marks where organization_id = $1 order by conversation_id'
    const { rows } = await desk.server.test.context.database.query<{ conversation_id: string }>(sql, [
      tenant.organizationId,
    ])
    return rows.map(({ conversation_id }) => conversation_id)
  }
  const shows = (page: Page, expected: string[]) => expect.poll(() => names(page), SOON).toEqual(expected)

  test('values and ranks are in the list and its file, in the chosen order', async () => {
    const page = await desk.open('/audience?scope=all', admin)
    await shows(page, ['zoë 🌸', 'Émile', 'dora', 'eva'])
    const row = await page.getByRole('row', { name: /zoë/ }).innerText()
    expect(row).toContain('1,900.50')
    await page.getByRole('columnheader', { name: 'Lifetime value in EUR' }).waitFor()
    await page.getByLabel('Order').selectOption('By name')
    await shows(page, ['dora', 'Émile', 'eva', 'zoë 🌸'])
    expect(page.url()).toContain('sort=name')
    await page.getByLabel('Order').selectOption('Soonest birthday first')
    await shows(page, ['zoë 🌸', 'Émile', 'eva'])
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(lines[0]).toMatch(/,lifetimeValue,currency,rank$/)
    expect(lines.slice(1).map((line) => line.split(',').slice(-3).join())).toEqual([
      '1900.5,EUR,1',
      '800,EUR,2',
      '10,EUR,4',
    ])
    await expectAccessible(page)
  })

  test('a segment is created with the keyboard, filters the list, changes, and is deleted with Undo', async () => {
    const page = await desk.open('/audience?scope=all', admin)
    await shows(page, ['zoë 🌸', 'Émile', 'dora', 'eva'])
    await tabTo(page, 'Segments')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'New segment' }).click(SOON)
    await page.keyboard.type('Best 🌟')
    await page.getByLabel('Lifetime value above').fill('700')
    await page.keyboard.press('Enter')
    await announced(page, 'Segment saved.')
    await shows(page, ['zoë 🌸', 'Émile'])
    await page.getByText('1–2 of 2 people').waitFor(SOON)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Edit Best 🌟' }).click()
    await page.getByLabel('Birthday within this many days').fill('7')
    await page.getByRole('button', { name: 'Save' }).click()
    await announced(page, 'Segment saved.')
    // Rows keep their places until the person shows the changes.
    await page.getByRole('button', { name: '1 has changed: show' }).click(SOON)
    await shows(page, ['zoë 🌸'])
    await page.getByRole('button', { name: 'Delete Best 🌟' }).click()
    await shows(page, ['zoë 🌸', 'Émile', 'dora', 'eva'])
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click(SOON)
    await announced(page, 'Segment saved.')
    await shows(page, ['zoë 🌸'])
  })

  test('several people are marked together, and Undo reverts exactly what changed', async () => {
    await tenant.markVips(workspaceId, channelId, ['a'])
    const page = await desk.open('/audience?scope=all', admin)
    await page.getByLabel('Select everyone on this page').check(SOON)
    await page.getByLabel('Select eva').uncheck()
    await page.getByText('3 people selected').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Mark as VIPs', exact: true }).click()
    await announced(page, '2 people are VIPs now.')
    expect(await vips()).toEqual(['a', 'b', 'c'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await announced(page, '2 people are no longer VIPs.')
    expect(await vips()).toEqual(['a'])
  })

  test('a person shows since when they are a VIP and who marked them, and is erased after typing their id', async () => {
    const page = await desk.open('/audience?scope=all', admin)
    await page.getByRole('button', { name: 'dora is a VIP' }).click(SOON)
    await announced(page, 'dora is a VIP now.')
    await page.getByRole('link', { name: 'dora' }).click()
    const mark = page.getByRole('list', { name: 'VIP', exact: true }).getByRole('listitem')
    await mark.waitFor(SOON)
    expect(await mark.innerText()).toMatch(/Regulars · Mercado Aurora\s+since 20 Nov.*, marked by Person usr_/)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Erase cu_c' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.innerText()).toContain('This cannot be undone.')
    await dialog.getByRole('textbox').fill('cu_d')
    await dialog.getByRole('button', { name: 'Erase this person' }).click()
    expect(await tenant.countConversations()).toBe(4)
    await dialog.getByRole('textbox').fill('cu_c')
    await dialog.getByRole('button', { name: 'Erase this person' }).click()
    await announced(page, 'The person was erased.')
    await shows(page, ['zoë 🌸', 'Émile', 'eva'])
  })

  test('a CSV is mapped, checked and imported, and refused lines come as a file', async () => {
    const page = await desk.open('/audience?scope=all', admin)
    await page.getByRole('button', { name: 'Import CSV' }).click(SOON)
    const text = [
      'Thread;Customer ID;First name;Birthday;Notes',
      't_1;cu_1;"Ana ""A""";1990-05-17;x',
      'a;cu_a;Zoë;;',
      't_2;cu_2;Bad;17.5.1990;',
    ].join('\n')
    await page
      .getByLabel('CSV file')
      .setInputFiles({ name: 'crm.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.getByRole('cell', { name: 'Ana "A"' }).waitFor(SOON)
    await page.getByLabel('Field for Birthday').selectOption('Skip')
    await page.getByLabel('Field for Birthday').selectOption('Birthday')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByText('1 person would be added, and 1 existing person updated.').waitFor(SOON)
    await page.getByText('Line 4: birthday must be a date that exists').waitFor()
    expect(await tenant.countConversations()).toBe(4)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save 1 refused line with reasons' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('refused-crm.csv')
    expect(readFileSync(await file.path(), 'utf8')).toContain('\r\n4,')
    await page.getByRole('button', { name: 'Import 2 lines' }).click()
    await announced(page, '2 lines imported.')
    expect(await tenant.countConversations()).toBe(5)
    await page.getByRole('button', { name: /changed: show/ }).click(SOON)
    expect(await names(page)).toContain('Ana "A"')
  })

  test('fits a phone, also in dark mode', async () => {
    const page = await desk.open('/audience?scope=all&panel=import', admin, {
      viewport: PHONE,
      hasTouch: true,
      colorScheme: 'dark',
    })
    await shows(page, ['zoë 🌸', 'Émile', 'dora', 'eva'])
    await page.getByLabel('CSV file').waitFor(SOON)
    await expectNarrow(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Segments', exact: true }).tap()
    await page.getByText('No segments yet.').waitFor(SOON)
    await expectNarrow(page)
    await expectAccessible(page)
  })
})
