import { describe, expect, test } from 'vitest'
import { Member, Tenant } from '../harness.js'
import { insertPost } from '../posts.js'
import { CHROMIUM, Desk, expectAccessible, expectNarrow, openPage, PHONE, SOON } from './console-page.js'

describe.skipIf(CHROMIUM === undefined)('the language and the time zone of a person', () => {
  const desk = new Desk()

  /** Opens the dialog in Settings, You. */
  async function openPreferences(who: Member) {
    const page = await desk.open('/settings/account', who)
    const section = page.getByRole('heading', { name: 'Language and time zone' }).locator('..')
    await section.getByRole('button', { name: 'Change' }).click(SOON)
    return page
  }

  test('a chosen language applies in every browser of the person, and nowhere else', async () => {
    const who = await desk.member()
    const page = await openPreferences(who)
    await page.getByLabel('Language', { exact: true }).selectOption('Deutsch')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Sprache und Zeitzone' }).waitFor(SOON)
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await page.getByRole('link', { name: 'Freigaben' }).click()
    await page.getByText('Nichts wartet auf Sie').waitFor(SOON)
    await expectAccessible(page)
    // A browser that does not know the choice reloads the page once in that language.
    const elsewhere = await desk.open('/calendar', who)
    await elsewhere.getByRole('link', { name: 'Kalender' }).waitFor(SOON)
    const other = await desk.open('/calendar', await desk.member())
    await other.getByRole('link', { name: 'Calendar' }).waitFor(SOON)
  })

  test.each([
    ['pt-BR', 'Entrar', 'Endereço de e-mail'],
    ['es-MX', 'Iniciar sesión', 'Dirección de correo'],
    ['de-CH', 'Anmelden', 'E-Mail-Adresse'],
    ['fr-FR', 'Sign in', 'Email address'],
  ])('a browser in %s is asked to sign in in its language', async (locale, submit, mail) => {
    const page = await desk.keep(openPage(desk.browser, desk.server, '/', { locale, viewport: PHONE }))
    await page.getByRole('button', { name: submit, exact: true }).waitFor(SOON)
    await page.getByLabel(mail).waitFor()
    await expectNarrow(page)
    await expectAccessible(page)
  })

  test.each([
    ['pt-BR', ['Aprovações', 'Calendário', 'Público', 'Resultados', 'Atividade', 'Configurações']],
    ['es-ES', ['Aprobaciones', 'Calendario', 'Audiencia', 'Resultados', 'Actividad', 'Ajustes']],
    ['de-DE', ['Freigaben', 'Kalender', 'Publikum', 'Auswertung', 'Aktivität', 'Einstellungen']],
  ])('each page fits a phone in the language %s', async (locale, names) => {
    await insertPost(desk.tenant, {})
    const page = await desk.open('/approvals', await desk.member('ADMIN'), { locale, viewport: PHONE })
    for (const name of names) {
      await page
        .getByRole('navigation')
        .getByRole('link', { name: new RegExp(`^${name}`) })
        .click(SOON)
      await page.getByRole('heading', { level: 1, name: new RegExp(name) }).waitFor(SOON)
      await expectNarrow(page)
    }
  })

  test("a person's own time zone replaces the organization’s, and is shown beside a typed time", async () => {
    const id = await insertPost(desk.tenant, { scheduledFor: new Date('2026-12-01T10:00:00Z') })
    const who = await desk.member()
    const page = await openPreferences(who)
    await page.getByLabel('Your time zone').selectOption('America/Sao Paulo')
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByText('Times are in America/Sao Paulo, your own zone; the organization’s is Europe/Berlin')
      .waitFor(SOON)
    await page.goto(`${desk.server.url}/o/${desk.tenant.organizationId}/posts/${id}`)
    const time = page.getByLabel('Date and time')
    await time.waitFor(SOON)
    expect(await time.inputValue()).toBe('2026-12-01T07:00')
    await page.getByText('1 Dec, 11:00 in Europe/Berlin').waitFor()
    // Another person sees the same post.
    const other = await desk.open(`/posts/${id}`, await desk.member())
    await other.getByLabel('Date and time').waitFor(SOON)
    expect(await other.getByLabel('Date and time').inputValue()).toBe('2026-12-01T11:00')
  })

  test('a time typed in one zone is the same instant in the next', async () => {
    const who = await desk.member()
    const page = await desk.open('/posts/new', who)
    await page.getByLabel('Date and time').fill('2026-12-24T18:00')
    await page.goto(`${desk.server.url}/o/${desk.tenant.organizationId}/settings/account`)
    const section = page.getByRole('heading', { name: 'Language and time zone' }).locator('..')
    await section.getByRole('button', { name: 'Change' }).click(SOON)
    await page.getByLabel('Your time zone').selectOption('America/New York')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Times are in America\/New York/).waitFor(SOON)
    await page.goto(`${desk.server.url}/o/${desk.tenant.organizationId}/posts/new`)
    await page.getByText('Your unsaved changes were restored.').waitFor(SOON)
    expect(await page.getByLabel('Date and time').inputValue()).toBe('2026-12-24T12:00')
  })
})

describe.skipIf(CHROMIUM === undefined)('the choice of the organization', () => {
  const desk = new Desk()

  test('shows on a phone which one is open', async () => {
    const owner = await Member.create(desk.server.test, { owner: true })
    await Tenant.create(desk.server.test)
    const page = await desk.open('/approvals', owner, { viewport: PHONE })
    const name = page.getByRole('button', { name: /^Organization:/ }).locator('bdi')
    await name.waitFor(SOON)
    expect((await name.boundingBox())!.width).toBeGreaterThan(20)
    await expectNarrow(page)
    await expectAccessible(page)
  })
})

describe.skipIf(CHROMIUM === undefined)('the page of a post', () => {
  const desk = new Desk()

  test('has its name, and leads back to where the person came from, with the filters', async () => {
    await insertPost(desk.tenant, {
      status: 'SCHEDULED',
      scheduledFor: new Date('2026-12-01T10:00:00Z'),
      channels: [{ channelId: desk.pageChannel, caption: 'Lanterns tonight' }],
    })
    const page = await desk.open('/calendar?day=2026-12-01&view=week', await desk.member())
    await page.getByRole('link', { name: /Lanterns tonight/ }).click(SOON)
    await page.getByRole('heading', { level: 1, name: 'Post: Lanterns tonight' }).waitFor(SOON)
    expect(await page.title()).toBe('Post: Lanterns tonight · Greenroom')
    await page.getByRole('link', { name: 'Back to Calendar' }).click()
    await page.waitForURL(/calendar\?day=2026-12-01&view=week$/)
  })
})
