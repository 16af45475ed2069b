import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FROM_OWN_PAGE, Member, operatorCall, send, Tenant, type TestApp } from '../../../test/harness.js'
import { type MailServer, type ReceivedMail, startMailServer } from '../../../test/mail-server.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { takeEmptyApp } from '../../../test/test-app.js'
import { insertMembership } from '../../access/people/memberships.store.js'
import { limit } from '../../lib/limits.js'
import { addInboxEntries } from '../inbox/inbox.store.js'
import { createNotifier } from '../notifier.js'
import { notifyPerson } from '../notify-person.js'

const PUBLIC_URL = 'https://greenroom.example'

let server: MailServer
let app: TestApp
let tenant: Tenant
beforeEach(async () => {
  server = await startMailServer()
  const from = 'Greenroom <greenroom@example.com>'
  app = await takeEmptyApp({ mail: { url: server.url, from }, http: { publicUrl: PUBLIC_URL } })
  tenant = await Tenant.create(app)
})
afterEach(() => Promise.all([server.close(), app.app.close()]))

const tick = (): Promise<void> => createNotifier(app.context, { jitter: (ms) => ms }).tick()
const at = (rest = ''): string => `/organizations/${tenant.organizationId}${rest}`
const setOrganization = (body: object) => operatorCall(app, 200, 'PATCH', at(), { body })
const choose = (person: Member, language: string | null, timeZone: string | null = null, headers = {}) =>
  person.call(200, 'PUT', '/me/preferences', { body: { language, timeZone }, headers })
const member = (role: 'EDITOR' | 'ADMIN', mayApprove = false): Promise<Member> =>
  Member.create(app, { organizationId: tenant.organizationId, role, mayApprove })
const invite = (mail: string) => operatorCall(app, 201, 'POST', at('/invitations'), { body: { mail, role: 'EDITOR' } })
const notify = (person: Member): Promise<void> =>
  app.context.database.transaction((tx) =>
    notifyPerson(tx, { kind: 'password-set', personId: person.id, at: new Date(app.clock.now()) }),
  )
/** Returns the subject of the only email that the person has received since. */
async function subjectTo(mail: string): Promise<string | undefined> {
  await tick()
  const [got, ...more] = server.mails.splice(0).filter(({ to }) => to.includes(mail))
  expect(more).toEqual([])
  return got?.subject
}

/** Headers contain only ASCII, no line is longer than mail servers accept, and the body declares its encoding. */
function expectSound({ raw }: ReceivedMail): void {
  const [head = '', ...body] = raw.split('\r\n\r\n')
  const longest = (text: string): number => Math.max(...text.split('\r\n').map((line) => line.length))
  expect(head).toMatch(/^[\x20-\x7e\r\n\t]*$/)
  expect(raw).toMatch(/^[\x20-\x7e\r\n\t]*$/)
  expect(head).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m)
  expect(longest(head)).toBeLessThanOrEqual(998)
  expect(longest(body.join('\r\n\r\n'))).toBeLessThanOrEqual(76)
}

describe('an email about an account', () => {
  test('is in the language and time zone that the person chose, and follows a change', async () => {
    const person = await Member.create(app)
    await choose(person, 'de', 'Europe/Berlin')
    await notify(person)
    await tick()
    const [mail] = server.mails.splice(0)
    expect(mail!.subject).toBe('Ihr Passwort wurde festgelegt')
    expect(mail!.text).toContain(`Guten Tag Person ${person.id},\n\ndas Passwort Ihres Kontos wurde festgelegt:`)
    expect(mail!.text).toContain('  Fr., 20. Nov. 2026, 10:00 (Europe/Berlin)\n')
    expect(mail!.source).toMatch(/^Content-Language: de\r$/m)
    expectSound(mail!)
    await choose(person, 'pt')
    await notify(person)
    expect(await subjectTo(person.mail)).toBe('A sua senha foi definida')
  })

  test('is in English and UTC for a person who chose nothing', async () => {
    const person = await Member.create(app)
    await notify(person)
    await tick()
    expect(server.mails[0]!.subject).toBe('Your password was set')
    expect(server.mails[0]!.text).toContain('  Fri, 20 Nov 2026, 09:00 (UTC)\n')
  })

  test('is in the language of the console at the last sign-in, with its region', async () => {
    const person = await Member.create(app)
    const signIn = (headers: Record<string, string>) =>
      send(app.app, 200, 'POST', '/api/sign-in', {
        body: { mail: person.mail, password: Member.PASSWORD },
        headers: { ...FROM_OWN_PAGE, ...headers },
      })
    await signIn({ 'accept-language': 'en-US,de-AT;q=0.5' })
    await notify(person)
    await tick()
    expect(server.mails.splice(0)[0]!.text).toContain('Fri, Nov 20, 2026, 09:00 (UTC)')
    await signIn({ 'accept-language': 'en-US,de-AT;q=0.5', cookie: 'greenroom_language=de' })
    await notify(person)
    expect(await subjectTo(person.mail)).toBe('Ihr Passwort wurde festgelegt')
    // Without a choice the browser decides again, whose cookie still has the language.
    const headers = { 'accept-language': 'es-MX', cookie: `${person.cookie}; greenroom_language=de` }
    await choose(person, null, null, headers)
    await notify(person)
    expect(await subjectTo(person.mail)).toBe('Se ha definido tu contraseña')
  })

  test('follows the first organization of a person who chose nothing', async () => {
    const person = await Member.create(app)
    await setOrganization({ language: 'es', timeZone: 'America/Bogota' })
    const other = await Tenant.create(app)
    const role = { personId: person.id, role: 'EDITOR', mayApprove: false } as const
    const joined = (organizationId: string, ms: number) =>
      insertMembership(app.context.database, { ...role, organizationId, at: new Date(app.clock.now() + ms) })
    await joined(other.organizationId, 1_000)
    await joined(tenant.organizationId, 0)
    await notify(person)
    await tick()
    expect(server.mails[0]!.subject).toBe('Se ha definido tu contraseña')
    expect(server.mails[0]!.text).toContain('vie, 20 nov 2026, 04:00 (America/Bogota)')
  })
})

describe('an email about an organization', () => {
  test('is in the language of the reader, or else of the organization', async () => {
    await setOrganization({ language: 'pt' })
    const [plain, german] = [await member('EDITOR', true), await member('EDITOR', true)]
    await choose(german, 'de')
    const id = await insertPost(tenant, { ...publishable(await tenant.channel()), status: 'DRAFT' })
    await tenant.call(200, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
    await tick()
    const sent = server.mails.map(({ to, subject }) => [to[0], subject])
    expect(sent).toHaveLength(2)
    expect(sent).toContainEqual([plain.mail, 'Uma publicação de Test aguarda aprovação'])
    expect(sent).toContainEqual([german.mail, 'Ein Beitrag von Test wartet auf Freigabe'])
    server.mails.forEach(expectSound)
  })

  test('invites strangers in the language of the organization, and people with an account in theirs', async () => {
    const stranger = `stranger.${tenant.organizationId}@example.org`
    await setOrganization({ language: 'es', name: 'Café «Río»' })
    await invite(stranger)
    await tick()
    const [mail] = server.mails.splice(0)
    expect(mail!.subject).toBe("Invitación a una organización llamada «Café 'Río'»")
    expect(mail!.text).toMatch(/^Hola:\n\nTe invitan a trabajar en Greenroom/)
    expectSound(mail!)
    const person = await Member.create(app)
    await choose(person, 'de')
    await invite(person.mail)
    expect(await subjectTo(person.mail)).toBe("Einladung zu einer Organisation namens „Café 'Río'“")
    // An unproven account may belong to someone else.
    await app.context.database.query('update people set mail_proven_at = null where person_id = $1', [person.id])
    await invite(person.mail)
    expect(await subjectTo(person.mail)).toMatch(/^Invitación/)
  })

  test('asks an outside reviewer in the language of the organization', async () => {
    const mail = `anna.${tenant.organizationId.toLowerCase()}@agency.example`
    await setOrganization({ language: 'de', reviewers: [mail] })
    const writer = await member('EDITOR')
    const post = { ...publishable(await tenant.channel()), status: 'WAITING_FOR_APPROVAL' as const }
    const body = { name: 'Anna', mail, scheduledPostIds: [await insertPost(tenant, post)] }
    await writer.call(201, 'POST', at('/review-links/send'), { body })
    await tick()
    expect(server.mails[0]!.subject).toBe('Test bittet um Ihre Freigabe')
    expect(server.mails[0]!.text).toContain(`${PUBLIC_URL}/review#`)
  })

  test('lists keys with times in the reader’s time zone', async () => {
    await setOrganization({ timeZone: 'Europe/Berlin' })
    const admin = await member('ADMIN')
    await choose(admin, 'de')
    const expiresAt = new Date(app.clock.now() + 30 * 86_400_000).toISOString()
    await operatorCall(app, 201, 'POST', at('/keys'), { body: { name: 'Lager', expiresAt } })
    app.clock.advance(20 * 86_400_000)
    await tick()
    const mail = server.mails.find(({ to }) => to.includes(admin.mail))
    expect(mail!.subject).toBe('Ein Schlüssel von Test läuft bald ab')
    expect(mail!.text).toMatch(/ {2}Lager \(key_\S+\): So\., 20\. Dez\. 2026, 10:00 \(Europe\/Berlin\)\n/)
  })

  test('reports news in the reader’s language, and quotes people literally', async () => {
    const writer = await member('EDITOR')
    await choose(writer, 'de')
    const channel = await tenant.channel()
    const post = { ...publishable(channel), status: 'REJECTED' as const, notes: 'x' }
    const id = await insertPost(tenant, { ...post, channels: [{ channelId: channel, caption: 'Pão „fresco“' }] })
    const news = { personId: writer.id, scheduledPostId: id, at: new Date(app.clock.now()) }
    await app.context.database.transaction((tx) =>
      addInboxEntries(tx, tenant.organizationId, [
        { ...news, kind: 'returned', actor: { type: 'operator' }, detail: { notes: 'O preço está errado' } },
      ]),
    )
    app.clock.advance(limit('inboxMailWaitMs'))
    await tick()
    const [mail] = server.mails
    expect(mail!.subject).toBe('Ihr Beitrag wurde zurückgegeben (Test)')
    expect(mail!.text).toContain(
      "Ihr Beitrag „Pão 'fresco'“ wurde von der Betriebsleitung des Servers zurückgegeben, mit dieser Begründung:\n\n  > O preço está errado\n",
    )
    expectSound(mail!)
  })
})
