import { beforeEach, describe, expect, test } from 'vitest'
import { recordBackup } from '../../src/backup/last-backup.store.js'
import { createNotifier } from '../../src/news/notifier.js'
import { FROM_OWN_PAGE, Member, send } from '../harness.js'
import { startReceiver } from '../webhook-receiver.js'
import {
  announced,
  CHROMIUM,
  Desk,
  dialogGone,
  enter,
  expectAccessible,
  expectNarrow,
  PHONE,
  rowOf,
  SOON,
  tabTo,
  typeInto,
  typeText,
} from './console-page.js'

describe.skipIf(CHROMIUM === undefined)('administration using only the keyboard (needs chromium)', () => {
  let admin: Member
  const desk = new Desk(() => ({ webhooks: { allowsPrivate: true } }))
  beforeEach(async () => {
    admin = await desk.member('ADMIN')
  })

  test('a second webhook gets its own events, and its delivery shows the request and the response', async () => {
    const receiver = await startReceiver()
    receiver.answerWith((response) => void response.writeHead(500).end('The table is full 😀'))
    await desk.operator(201, 'POST', '/webhooks', { name: 'Chat', url: receiver.url })
    const page = await desk.open('/settings/webhooks', admin)
    await page.getByText('Chat', { exact: true }).first().waitFor(SOON)
    await enter(page, 'Add a webhook')
    await typeText(page, receiver.url)
    await typeInto(page, 'Name', 'Raffles')
    await tabTo(page, 'All events, including future ones')
    await page.keyboard.press('ArrowDown')
    await enter(page, 'Add')
    await page.getByRole('dialog').getByText('Choose at least one event.').waitFor(SOON)
    await tabTo(page, 'A raffle is drawn')
    await page.keyboard.press('Space')
    await expectAccessible(page)
    await enter(page, 'Add')
    await enter(page, 'I have it')
    await dialogGone(page)
    const row = rowOf(page, 'Webhooks', 'Raffles')
    await row.getByText('A raffle is drawn').waitFor(SOON)
    await row.getByRole('button', { name: 'Send a test' }).press('Enter')
    await announced(page, 'A test is on its way.')
    await createNotifier(desk.server.test.context, { jitter: (ms) => ms }).tick()
    const delivery = rowOf(page, 'Deliveries', 'to Raffles')
    await delivery.getByText(/It answered 500/).waitFor(SOON)
    await delivery.getByRole('button', { name: 'Show' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'A test' })
    await dialog.getByText('The table is full 😀').waitFor(SOON)
    await dialog.getByText('"type": "test"').waitFor(SOON)
    expect(page.url()).toContain('delivery=')
    await expectAccessible(page)
    const phone = await desk.open(page.url().replace(/^.*?(\/settings)/, '$1'), admin, {
      viewport: PHONE,
      hasTouch: true,
      colorScheme: 'dark',
    })
    await phone.getByRole('dialog', { name: 'A test' }).getByText('The table is full 😀').waitFor(SOON)
    await expectNarrow(phone)
    await expectAccessible(phone)
    await receiver.close()
  })

  test('a key begins without permissions, gets a purpose, is edited, and the activity shows before and after', async () => {
    const page = await desk.open('/settings/keys', admin)
    await page.getByRole('button', { name: 'New key' }).waitFor(SOON)
    await enter(page, 'New key')
    await typeText(page, 'Till')
    expect(await page.getByRole('dialog').getByRole('checkbox', { checked: true }).count()).toBe(0)
    await page.getByRole('dialog').getByLabel('Purpose').selectOption({ label: 'Read insights' })
    expect(await page.getByRole('dialog').getByRole('checkbox', { checked: true }).count()).toBe(1)
    await expectAccessible(page)
    await enter(page, 'Issue')
    await enter(page, 'I have it')
    await dialogGone(page)
    const row = rowOf(page, 'Keys', 'Till')
    await row.getByText('Permissions: read insights').waitFor(SOON)
    await enter(page, 'Edit Till')
    await tabTo(page, 'Read posts')
    await page.keyboard.press('Space')
    await typeInto(page, 'Requests per second', '5')
    await enter(page, 'Save')
    await announced(page, 'Saved.')
    await row.getByText('At most 5 requests per second').waitFor(SOON)

    const phone = await desk.open('/activity?did=updateKey', admin, { viewport: PHONE, hasTouch: true })
    await phone.getByText('may: Read insights → Read insights and Read posts').waitFor(SOON)
    await phone.getByText('from 127.0.0.1').waitFor(SOON)
    await expectNarrow(phone)
    await expectAccessible(phone)
  })

  test("an owner sees the server's health and what to do, and rotates the master key", async () => {
    const { context } = desk.server.test
    // Other tests of the same database leave rows in these.
    for (const table of ['publishers', 'last_backup', 'last_fetched_backup'])
      await context.database.query(`delete from ${table}`)
    const owner = await Member.create(desk.server.test, { owner: true })
    const signIn = { mail: owner.mail, password: Member.PASSWORD }
    await send(desk.server.test.app, 200, 'POST', '/api/sign-in', { body: signIn, headers: FROM_OWN_PAGE })
    const page = await desk.open('/settings/server', owner)
    await rowOf(page, 'Health', 'Publishing').getByText('No process publishes').waitFor(SOON)
    await rowOf(page, 'Health', 'Publishing').getByText('Bad', { exact: true }).waitFor(SOON)
    await rowOf(page, 'Health', 'Database').getByText('Good', { exact: true }).waitFor(SOON)
    await rowOf(page, 'Last backup', 'None yet').waitFor(SOON)
    await page.getByText('Set BACKUP_DIR, or run').waitFor(SOON)
    await rowOf(page, 'Last sign-ins', 'from 127.0.0.0/24').first().waitFor(SOON)
    await expectAccessible(page)
    const at = new Date(context.clock.now())
    const last = { made_at: at, file: 'greenroom-😀.backup', bytes: 7, master_key: false, missing_media: 0 }
    await recordBackup(context.database, last)
    await page.reload()
    await rowOf(page, 'Last backup', 'greenroom-😀.backup').getByText('without the master key').waitFor(SOON)

    // Other tests have left secrets under other keys, which the sentence beside the button may count.
    await page.getByRole('list', { name: 'Master key', exact: true }).getByRole('button').press('Enter')
    await page.getByRole('dialog', { name: 'Rotate the master key?' }).waitFor(SOON)
    await expectAccessible(page)
    // MASTER_KEY is set here, and the server was not started with a new one.
    await enter(page, 'Rotate')
    await page.getByRole('dialog').getByRole('alert').waitFor(SOON)
    await page.keyboard.press('Escape')
    await dialogGone(page)

    const phone = await desk.open('/settings/server', owner, { viewport: PHONE, hasTouch: true, colorScheme: 'dark' })
    await rowOf(phone, 'Health', 'Publishing').getByText('Bad', { exact: true }).waitFor(SOON)
    await expectNarrow(phone)
    await expectAccessible(phone)
  })
})
